import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captionsFile, trailerRequests, trailersOf, VTT } from '../../listings/trailers/fixtures.ts'
import { eventually } from '../../support/app.ts'
import { addCopy, must, newAddress, type Person } from '../../support/builders.ts'
import { errorsOf, formsOf } from '../browser.ts'
import { startStore } from '../fixtures.ts'
import { PSEUDO_ENGLISH, PSEUDO_LANGUAGES, plainTexts, textsOf } from './visible-text.ts'

const ENV = { ...PSEUDO_LANGUAGES, PROXY_HOPS: '1' }

/** What people entered; everything else on a page is a message. */
const CONTENT = [
  /person-\d+(?:@example\.com)?/g,
  'Tide Runner',
  'Tide Mod',
  'Tide Draft',
  'Tide Adult',
  'Tide Paid',
  'Tide Tool',
  'Copy it there',
  'Tide Deluxe',
  'Low water, high stakes',
  'Row out at low tide, bring back what the sea left, and be home before the bell.',
  'It floats well',
  'Thank you kindly',
  'The door is stuck',
  /\b(?:sea|boats|tides?|godot)\b/gi,
  'made by hand',
  'nothing-like-this',
  'Boats float',
  'Weekly Float',
  'Autumn',
  'Ada',
  'Skipper',
  'press@example.com',
  'www.youtube-nocookie.com',
  'example.com',
  'Homepage',
  'Other Game',
  /[\w.-]+\.zip/g,
]

/** What is sent in each field of a form; without a value, the fields are left out. */
const VALUES = ['', 'wrong', '\u0007', 'x'.repeat(30_000), '-1']

type Store = Awaited<ReturnType<typeof startStore>>

/** A listing that fills every part of its page, with a mod and an adult listing. */
async function fillStore(app: Store) {
  const { published, a, sql, put, post, patch } = app
  const listing = await published(
    { name: 'Tide Runner' },
    { license_kind: 'cc-by', demo_url: 'https://example.com/video' },
    {
      tone: ['cozy', 'dark'],
      inputs: ['gamepad', 'touch'],
      net: 'local_online',
      languages: [{ code: 'de', interface: true, subtitles: true }],
      accessibility: ['subtitles', 'one-handed'],
      content_warnings: ['violence'],
      authorship: 'human_agent',
      authorship_credit: 'made by hand',
      ai_uses: ['art', 'runtime'],
    },
  )
  const { owner, uid } = listing
  const api = `/api/v1/private/games/${uid}`
  await trailerRequests(app).clean(listing, [captionsFile(VTT)], { language: 'de' })
  const video = { url: 'https://youtu.be/abcDEF_-123' }
  must(await post(`${trailersOf(listing)}/outside`, video, owner))
  await a.cleanBuild(listing, { version: '1.3.0', os: 'web', arch: 'wasm32' })
  await a.cleanBuild(listing, { version: '1.4.0', os: 'linux', channel: 'beta' })
  must(
    await put(
      `${api}/press`,
      {
        release_date: 'Autumn',
        features: ['Boats float'],
        awards: ['Weekly Float'],
        press_email: 'press@example.com',
        website_url: 'https://example.com',
        trailer_url: 'https://example.com/video',
        quotes: [{ quote: 'It floats well', source: 'Weekly Float' }],
        credits: [{ name: 'Ada', role: 'Skipper' }],
        links: [{ label: 'Homepage', url: 'https://example.com/' }],
      },
      owner,
    ),
  )
  const other = await published({ owner, name: 'Other Game' })
  const mod = await published(
    { owner, name: 'Tide Mod', asset_type: 'mod' },
    { parent: { game: uid } },
  )
  const settings = { install_path: 'mods', loader: 'bepinex', instructions: 'Copy it there' }
  must(await put(`/api/v1/private/games/${mod.uid}/mod-settings`, settings, owner))
  const ranges = [{ engine: 'godot', min_version: '3.0', max_version: '3.6' }]
  must(await put(`/api/v1/private/games/${mod.uid}/engine-compat`, { ranges }, owner))
  const adult = await published({ owner, name: 'Tide Adult' }, { adult: true })
  const paid = await published({ owner, name: 'Tide Paid' })
  const edition = { slug: 'big', name: 'Tide Deluxe', kind: 'deluxe', price_cents: 999 }
  must(await post(`/api/v1/private/games/${paid.uid}/editions`, edition, owner))
  const draft = await a.listing({ owner, name: 'Tide Draft' })
  const player = await a.verified()
  await addCopy(sql, uid, player.uid, 'free')
  must(await put(`${api}/review`, { enjoyed: true, quality: 4, text: 'It floats well' }, player))
  must(await put(`${api}/play-sharing`, { shared: true }, player))
  const { token } = must(await post(`${api}/player-token`, undefined, player))
  must(await app.call('PUT', `/api/v1/public/games/${uid}/saves/1`, { raw: 'x', token }))
  must(await put(`${api}/similar`, { games: [other.uid] }, owner))
  const tool = await published(
    { owner, name: 'Tide Tool', asset_type: 'tool' },
    { parent: { game: other.uid } },
  )
  const dependencies = [{ game: tool.uid, kind: 'made_with' }]
  must(await put(`${api}/dependencies`, { dependencies }, owner))
  const { items } = must(await app.get(`/api/v1/public/games/${uid}/reviews`))
  const reply = { text: 'Thank you kindly' }
  must(await put(`${api}/reviews/${items[0].uid}/reply`, reply, owner))
  must(await patch(api, { status: 'development' }, owner))
  must(await post(`${api}/bug-reports`, { message: 'The door is stuck' }, player))
  return { listing, mod, adult, paid, draft, player }
}

test('store and account pages have no text outside the messages', async (t) => {
  const app = await startStore(t, ENV)
  const { listing, mod, adult, paid, draft, player } = await fillStore(app)
  const { owner, path } = listing
  const newcomer = await app.a.user()
  const friend = await app.a.verified()
  const game = `/games/${listing.uid}`
  await eventually(
    'the developer has a page',
    async () => (await app.visitor().open(`/${owner.username}`)).status === 200,
  )
  const forms = ['review', 'tags', 'bug'].map((form) => `${game}/${form}`)
  const changes = ['email', 'email/confirm', 'password', 'export', 'delete']
  const account = [
    '/library',
    '/settings',
    '/settings/profile',
    '/library/orders',
    '/settings/payments',
    '/settings/payments/payouts',
    '/settings/played-games',
    '/account/keys',
    '/account/approvals',
    ...changes.map((page) => `/settings/${page}`),
  ]
  const pages: { who?: Person; paths: string[] }[] = [
    {
      paths: [
        '/',
        '/search',
        '/search?q=tide&sort=newest',
        '/search?q=nothing-like-this',
        '/search?tone=cozy&exclude_warnings=gore&engine=godot&os=linux&players=2',
        path,
        `${path}/reviews`,
        `${path}/press`,
        `${path}/mods`,
        `${path}/tools`,
        `${path}/embed`,
        `${game}/files/${listing.file_uid}`,
        mod.path,
        adult.path,
        paid.path,
        `${paid.path}/embed`,
        `/${owner.username}`,
        '/login',
        '/signup',
        '/password/forgot',
        '/password/new?token=x',
        '/no/such/page',
      ],
    },
    { who: newcomer, paths: [path, '/settings/verify', '/settings/verify?sent=yes', ...account] },
    { who: player, paths: [path, adult.path, ...forms, ...account] },
    { who: friend, paths: [path, ...account, `/${friend.username}`] },
    {
      who: owner,
      paths: [path, `/${owner.username}/${draft.vanity_name}`, '/account/keys', '/settings'],
    },
  ]
  const problems: string[] = []
  const messages = new Set<string>()
  // The same form is on many pages of a person, such as the one that changes the language.
  const tried = new Set<string>()
  const report = (where: string, texts: readonly string[]) => {
    for (const text of plainTexts(texts, CONTENT)) problems.push(`${where}: ${text}`)
  }
  for (const { who, paths } of pages)
    for (const url of paths) {
      const visitor = who ? app.signedIn(who) : app.visitor()
      const opened = await visitor.open(url, { ...PSEUDO_ENGLISH, ...newAddress() })
      assert.match(opened.body, /<html lang="en-XA"/, url)
      report(url, textsOf(opened.body))
      for (const { action, names } of formsOf(opened.body)) {
        const form = JSON.stringify([who?.uid, action, names])
        if (!isHarmless(action) || tried.has(form)) continue
        tried.add(form)
        for (const value of names.length ? VALUES : ['']) {
          const fields = Object.fromEntries(names.map((name) => [name, value]))
          const headers = { ...PSEUDO_ENGLISH, ...newAddress() }
          const answer = await visitor.send(action, value ? fields : {}, headers)
          for (const message of messagesOf(answer)) messages.add(message)
          report(`${action} (${value.slice(0, 9)})`, messagesOf(answer))
        }
      }
    }
  assert.deepEqual([...new Set(problems)], [])
  assert.ok(messages.size > 20, `${messages.size} messages were answered to forms`)
})

/** Forms that sign out, change the language, or lead to another service. */
const isHarmless = (action: string) =>
  action.startsWith('/') && !/^\/(?:logout|language|dashboard|search|settings\/unlink)/.test(action)

/** What people read of an answer: errors, the message after a redirect, and error pages. */
function messagesOf({ body, headers }: { body: unknown; headers: Record<string, string> }) {
  const notice = headers['set-cookie']?.match(/svc_notice=([^;]+)/)?.[1]
  const page = typeof body === 'string' ? body : ''
  const lede = page.match(/class="lede">(.*?)<\/p>/s)?.[1]
  const typed = /x{20,}…?/g
  return [...errorsOf(page), ...(notice ? [decodeURIComponent(notice)] : []), lede ?? ''].map(
    (text) => text.replaceAll(typed, '').replaceAll(/"(?:wrong|-1)"/g, ''),
  )
}
