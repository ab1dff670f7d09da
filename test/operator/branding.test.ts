import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { processEnvironment, readConfig } from '../../src/core/runtime/config.ts'
import {
  backgrounds,
  contrast,
  isAnnounced,
  lightened,
  worstContrast,
} from '../../src/core/settings/branding.ts'
import { accentsOf, defaultAccents } from '../../src/web/brand/accent-style.ts'
import { must, refused } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { errorsOf, filledForm } from '../web/browser.ts'
import { meta } from '../web/fixtures.ts'
import { SETTINGS, sharedConsole } from './fixtures.ts'

const startShared = sharedConsole()

const PAGE = '/operator/settings'
const tokens = readFileSync(join(import.meta.dirname, '../../src/web/assets/tokens.css'), 'utf8')

/** The value of a variable in the light colors of tokens.css, or in the dark ones. */
const token = (name: string, theme: 'light' | 'dark') => {
  const [light, dark] = tokens.split(/:root:where\(\[data-theme="dark"\]\)/)
  const colors = theme === 'light' ? light : dark
  return colors!.match(new RegExp(`--${name}: (#[0-9a-f]{6})`))![1]
}
const gray = (level: number) => `#${level.toString(16).padStart(2, '0').repeat(3)}`
const color = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 3, maxLength: 3 })
  .map((channels) => `#${channels.map((c) => c.toString(16).padStart(2, '0')).join('')}`)

test('colors are compared with the backgrounds of the style sheet', () => {
  for (const theme of ['light', 'dark'] as const) {
    for (const [name, value] of Object.entries(backgrounds[theme]))
      assert.equal(value, token(name, theme), `${theme} ${name}`)
    assert.equal(defaultAccents[theme], token('accent', theme))
    assert.equal(backgrounds[theme].surface, token('on-accent', theme))
    assert.ok(worstContrast(defaultAccents[theme], theme) >= 4.5)
  }
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#777777'), 1)
})

test('the derived color of the dark theme is readable for every accent color', () => {
  fc.assert(
    fc.property(color, (accent_color) => {
      const { dark } = accentsOf({ accent_color, accent_color_dark: '' })!
      assert.ok(worstContrast(dark, 'dark') >= 4.5, `${accent_color} ${dark}`)
    }),
  )
  assert.equal(lightened('#ffffff'), '#ffffff')
  assert.equal(accentsOf({ accent_color: '', accent_color_dark: '' }), undefined)
})

test('an accent color needs a contrast of 4.5:1 in its theme', async (t) => {
  const { operator, patch, get } = await startShared(t)
  const levels = Array.from({ length: 256 }, (_, level) => level)
  const lightest = levels.findLast((level) => worstContrast(gray(level), 'light') >= 4.5)!
  const darkest = levels.find((level) => worstContrast(gray(level), 'dark') >= 4.5)!
  const cases = [
    { name: 'accent_color', accepted: gray(lightest), rejected: gray(lightest + 1) },
    { name: 'accent_color_dark', accepted: gray(darkest), rejected: gray(darkest - 1) },
  ]
  for (const { name, accepted, rejected } of cases) {
    const answer = await patch(SETTINGS, { [name]: rejected, store_name: 'Harbor' }, operator)
    assert.deepEqual(refused(answer), [422, 4261], rejected)
    assert.match(
      answer.body.error.message,
      new RegExp(`^${name}: its contrast .* is 4\\.[34]\\d?:1`),
    )
    assert.equal(answer.body.data.field, name)
    must(await patch(SETTINGS, { [name]: accepted }, operator))
  }
  for (const wrong of ['red', '#12345', '#1234567', '123456#', '#12345g'])
    assert.deepEqual(refused(await patch(SETTINGS, { accent_color: wrong }, operator)), [400, 4000])
  assert.equal(must(await get(SETTINGS, operator)).settings.store_name, 'Slipway')
})

test('the accent color is a style sheet of its own, which never changes', async (t) => {
  const { operator, patch, get, published, visitor } = await startShared(t)
  const sheetOf = async (path: string) =>
    (await visitor().open(path)).body.match(/href="(\/brand\/accent-[^"]+)"/)?.[1] as
      | string
      | undefined
  const { path } = await published()
  assert.equal(await sheetOf('/'), undefined)
  must(await patch(SETTINGS, { accent_color: '#1B6F5C' }, operator))
  const sheet = (await sheetOf('/'))!
  for (const page of [path, `${path}/embed`, '/login', '/missing'])
    assert.equal(await sheetOf(page), sheet, page)
  const { status, body, headers } = await get(sheet)
  assert.equal(status, 200)
  assert.match(headers['content-type']!, /^text\/css/)
  assert.match(headers['cache-control']!, /immutable/)
  assert.match(body, /:root\{--accent:#1b6f5c;--on-accent:#fffdf8\}/)
  assert.match(body, new RegExp(`--accent:${lightened('#1b6f5c')};--on-accent:#14202b`))
  for (const name of [sheet.replace('1b6f5c', '1b6f5d'), '/brand/accent-x.css', '/brand/none'])
    assert.equal((await get(name)).status, 404, name)
  must(await patch(SETTINGS, { accent_color_dark: '#ffffff' }, operator))
  assert.notEqual(await sheetOf('/'), sheet)
  assert.equal((await get(sheet)).status, 200)
})

test('the tagline describes the store to search engines, agents and home screens', async (t) => {
  const { operator, patch, get } = await startShared(t)
  const tagline = 'Games <from> the *coast*'
  must(await patch(SETTINGS, { tagline }, operator))
  assert.equal(meta((await get('/')).body, 'description'), 'Games &lt;from&gt; the *coast*')
  assert.match((await get('/llms.txt')).body, /^> Games \\<from\\> the \\\*coast\\\*$/m)
  const manifest = JSON.parse((await get('/manifest.webmanifest')).body)
  assert.deepEqual([manifest.name, manifest.description], [`Slipway: ${tagline}`, tagline])
  const home = (await get('/')).body
  const escaped = 'Games &lt;from&gt; the *coast*'
  assert.match(home, new RegExp(`<title>Slipway: ${escaped.replaceAll('*', '\\*')}</title>`))
  assert.ok(home.includes(`<p>${escaped}</p>`))
  for (const wrong of ['x'.repeat(161), 'two\nlines'])
    assert.deepEqual(refused(await patch(SETTINGS, { tagline: wrong }, operator)), [400, 4000])
  must(await patch(SETTINGS, { tagline: 'x'.repeat(160) }, operator))
  must(await patch(SETTINGS, { tagline: '' }, operator))
  assert.match(meta((await get('/')).body, 'description')!, /^Games, tools, mods/)
})

test('the footer links the contact and the links of the operator', async (t) => {
  const { operator, patch, get } = await startShared(t)
  const links = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ label: `Link <${i}>`, url: `/page-${i}` }))
  must(await patch(SETTINGS, { contact: 'hello@store.example', footer_links: links(12) }, operator))
  const { body } = await get('/')
  assert.match(body, /href="mailto:hello@store\.example"/)
  assert.match(body, /<a href="\/page-11">Link &lt;11&gt;<\/a>/)
  must(await patch(SETTINGS, { contact: 'https://store.example/contact' }, operator))
  assert.match((await get('/')).body, /href="https:\/\/store\.example\/contact"/)
  const { changes } = must(await patch(SETTINGS, { footer_links: links(12) }, operator))
  assert.equal(changes.length, 3, 'the same links are no change')
  assert.deepEqual(
    refused(await patch(SETTINGS, { footer_links: links(13) }, operator)),
    [400, 4000],
  )
  for (const url of [
    'javascript:alert(1)',
    'http://store.example',
    '//evil.example',
    '/\\evil.example',
    'https://a b',
    'https://',
    '',
    `/${'x'.repeat(500)}`,
  ]) {
    const answer = await patch(SETTINGS, { footer_links: [{ label: 'Link', url }] }, operator)
    assert.deepEqual(refused(answer), [400, 4000], url)
    assert.match(answer.body.error.message, /footer_links\[0\]\.url/, url)
  }
  for (const url of [
    '/',
    'https://store.example/?a=1',
    'mailto:a@b.example',
    `/${'x'.repeat(499)}`,
  ])
    must(await patch(SETTINGS, { footer_links: [{ label: 'Link', url }] }, operator))
  for (const contact of ['hello', 'a@b c', 'http://store.example', 'https://'])
    assert.deepEqual(refused(await patch(SETTINGS, { contact }, operator)), [400, 4000], contact)
})

const announce = (text: string, days: object = {}) => ({
  announcement: { text, url: '', starts_on: '', ends_on: '', ...days },
})

test('an announcement is shown on every page until the reader closes it', async (t) => {
  const { operator, patch, visitor, published, console } = await startShared(t)
  const { path } = await published()
  const reader = visitor()
  const pages = ['/', path, '/search', '/login', '/missing']
  const shows = async (who: typeof reader, text: string, page: string) =>
    (await who.open(page)).body.includes(text)
  must(await patch(SETTINGS, announce('Jam <begins>', { url: '/jam' }), operator))
  for (const page of pages) {
    assert.ok(await shows(reader, '<a href="/jam">Jam &lt;begins&gt;</a>', page), page)
    // Signed-in people are led away from the sign-in page.
    if (page !== '/login') assert.ok(await shows(console, 'Jam &lt;begins&gt;', page), page)
  }
  const { body } = await reader.open(path)
  const { closed } = filledForm(body, '/settings/announcement', {})
  assert.equal(closed, undefined, 'the button has the value')
  const value = body.match(/name="closed" value="([0-9a-f]+)"/)![1]!
  const headers = { referer: `http://store.example${path}` }
  const answer = await reader.send('/settings/announcement', { closed: value }, headers)
  assert.deepEqual([answer.status, answer.headers.location], [303, path])
  for (const page of pages) assert.ok(!(await shows(reader, 'Jam &lt;', page)), page)
  assert.ok(await shows(visitor(), 'Jam &lt;', path), 'others still see it')
  must(await patch(SETTINGS, announce('Jam ends'), operator))
  assert.ok(await shows(reader, 'Jam ends', path), 'another announcement is shown')
  const wrong = await reader.send('/settings/announcement', { closed: 'x; Path=/' })
  assert.equal(wrong.headers['set-cookie'], undefined)
})

test('an announcement has a first and a last day', async (t) => {
  const { operator, patch, get } = await startShared(t)
  const day = (offset: number) =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const isShown = async () => (await get('/')).body.includes('Summer jam')
  for (const [days, shown] of [
    [{ starts_on: day(-1), ends_on: day(1) }, true],
    [{ starts_on: day(2) }, false],
    [{ ends_on: day(-2) }, false],
    [{ ends_on: day(1) }, true],
  ] as const) {
    must(await patch(SETTINGS, announce('Summer jam', days), operator))
    assert.equal(await isShown(), shown, JSON.stringify(days))
  }
  const days = { text: 'x', url: '', starts_on: '2026-05-01', ends_on: '2026-05-02' }
  for (const [moment, shown] of [
    ['2026-04-30T23:59:59Z', false],
    ['2026-05-01T00:00:00Z', true],
    ['2026-05-02T23:59:59Z', true],
    ['2026-05-03T00:00:00Z', false],
  ] as const)
    assert.equal(isAnnounced(days, new Date(moment)), shown, moment)
  for (const wrong of [
    { starts_on: '2026-02-30' },
    { ends_on: 'tomorrow' },
    { starts_on: '2026-05-02', ends_on: '2026-05-01' },
    { url: 'javascript:alert(1)' },
    { text: 'x'.repeat(301) },
  ]) {
    const answer = await patch(SETTINGS, announce('Jam', wrong), operator)
    assert.deepEqual(refused(answer), [400, 4000], JSON.stringify(wrong))
  }
  must(
    await patch(
      SETTINGS,
      announce('x'.repeat(300), { starts_on: day(0), ends_on: day(0) }),
      operator,
    ),
  )
})

test('the form edits colors, links and the announcement, and explains refusals', async (t) => {
  const { operator, console, get } = await startShared(t)
  const open = async () => (await console.open(PAGE)).body
  const fields = {
    accent_color: '#1b6f5c',
    'footer_links.0.label': 'Imprint',
    'footer_links.0.url': '/imprint',
    'announcement.text': 'Jam',
    'announcement.starts_on': '2026-05-01',
  }
  await console.submit(PAGE, filledForm(await open(), PAGE, fields))
  const { settings, changes } = must(await get(SETTINGS, operator))
  assert.equal(changes.length, 3)
  assert.deepEqual(settings.footer_links, [{ label: 'Imprint', url: '/imprint' }])
  assert.deepEqual(settings.announcement, {
    text: 'Jam',
    url: '',
    starts_on: '2026-05-01',
    ends_on: '',
  })
  // Saving again without a change records nothing.
  await console.submit(PAGE, filledForm(await open(), PAGE, {}))
  assert.equal(must(await get(SETTINGS, operator)).changes.length, 3)

  const wrong = {
    accent_color: '#ffd400',
    contact: 'nobody',
    'footer_links.1.url': 'example.com',
    'announcement.ends_on': '2026-04-30',
  }
  const { status, body } = await console.send(PAGE, filledForm(await open(), PAGE, wrong))
  assert.equal(status, 400)
  const errors = errorsOf(body).join('\n')
  assert.match(errors, /Fill in/)
  const rest = { ...wrong, 'footer_links.1.label': 'Example' }
  const second = await console.send(PAGE, filledForm(await open(), PAGE, rest))
  assert.equal(second.status, 400)
  const sentences = errorsOf(second.body).join('\n')
  assert.match(
    sentences,
    /The contrast with the light background is only 1\.\d+:1\. Choose a darker/,
  )
  assert.match(sentences, /Enter an email address, or an address that begins with https/)
  assert.match(sentences, /begins with https:\/\/, mailto: or \//)
  assert.match(sentences, /last day must not be before the first/)
  assert.match(second.body, /name="footer_links\.1\.url" value="example\.com"/)
  assert.match(second.body, /id="f-announcement-ends_on"[^>]*aria-invalid="true"/)

  // Clearing all fields restores the defaults.
  const cleared = Object.fromEntries(Object.keys(fields).map((name) => [name, '']))
  await console.submit(PAGE, filledForm(await open(), PAGE, cleared))
  const after = must(await get(SETTINGS, operator)).settings
  assert.deepEqual([after.accent_color, after.footer_links, after.announcement.text], ['', [], ''])
})

test('branding of the environment is read and checked at the start', () => {
  const read = (env: Record<string, string>) =>
    readConfig({ ...processEnvironment(), ...env }).fixed_settings
  assert.deepEqual(
    read({
      ACCENT_COLOR: '#1B6F5C',
      CONTACT: 'a@b.example',
      FOOTER_LINKS: '[{"label":"A","url":"/a"}]',
    }),
    {
      accent_color: '#1B6F5C',
      contact: 'a@b.example',
      footer_links: [{ label: 'A', url: '/a' }],
    },
  )
  for (const [name, value, problem] of [
    ['ACCENT_COLOR', '#ffd400', /ACCENT_COLOR must be another color: its contrast .* is 1\.\d+:1/],
    ['ACCENT_COLOR', 'red', /ACCENT_COLOR must be a color such as/],
    ['CONTACT', 'nobody', /CONTACT must/],
    ['FOOTER_LINKS', 'none', /FOOTER_LINKS must be JSON/],
    ['FOOTER_LINKS', '[{"label":"A","url":"//a"}]', /FOOTER_LINKS must/],
    ['FOOTER_LINKS', '[{"label":"A"}]', /FOOTER_LINKS must/],
    ['ANNOUNCEMENT', '{"text":"x"}', /ANNOUNCEMENT must/],
  ] as const)
    assert.throws(() => read({ [name]: value }), problem, `${name}=${value}`)
})
