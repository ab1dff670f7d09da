import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sections } from '../../src/web/dashboard/project-page.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from './chromium.ts'

const RUN = 'window.hit=(window.hit||0)+1'
const scripts = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}">`,
  `<svg><script>${RUN}</script></svg>`,
  `<body onload="${RUN}">`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<a href="javascript:${RUN}">x</a>`,
  `[x](javascript:${RUN})`,
  `![x](x" onerror="${RUN})`,
  `<details open ontoggle="${RUN}">`,
  `<video><source onerror="${RUN}"></video>`,
  `<input autofocus onfocus="${RUN}">`,
  `<style>@import "javascript:${RUN}"</style>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror="${RUN}">`,
  `<template><script>${RUN}</script></template>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<base href="https://evil.example/">`,
]
const prefixes = ['', '"', "'", '">', "'>", '</textarea>', '</title></script>', '-->', ']]>', '`${']
const disguises = [
  (text: string) => text,
  (text: string) => text.toUpperCase().replaceAll('WINDOW.HIT', 'window.hit'),
  (text: string) => text.replaceAll(' ', '/'),
  (text: string) => text.replaceAll('<', '&lt;'),
  (text: string) => text.replaceAll('<', '\u003c'),
]
const payloads = prefixes.flatMap((prefix) =>
  scripts.flatMap((script) => disguises.map((disguise) => prefix + disguise(script))),
)

/** Elements that no text of a user may turn into. */
const ACTIVE_CONTENT = [
  'main script',
  'main iframe',
  'main [onerror]',
  'main [onload]',
  'main [srcdoc]',
  'a[href^="javascript:"]',
].join(', ')

/** As many payloads as fit into a text of this length, starting over at the end of the list. */
function fill(length: number, from: number): string {
  let text = ''
  for (let i = from; text.length + payloads[i % payloads.length]!.length < length; i++)
    text += `${payloads[i % payloads.length]}\n`
  return text
}

test('no dashboard page runs any of 1,000 script payloads in user content', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  assert.equal(payloads.length, 1000)
  const app = await startApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { owner, uid } = listing
  const at = `/api/v1/private/games/${uid}`
  const texts = (count: number, max_length: number, from: number) =>
    payloads.slice(from, from + count).map((text) => text.slice(0, max_length).trim())
  must(
    await app.patch(
      at,
      {
        name: payloads[1]!.slice(0, 60),
        tagline: payloads[7]!.slice(0, 200),
        description: fill(19_900, 0),
      },
      owner,
    ),
  )
  must(
    await app.put(
      `${at}/press`,
      {
        history: fill(7900, 300),
        features: texts(20, 190, 40),
        awards: texts(20, 190, 200),
        credits: texts(20, 60, 90).map((name) => ({ name, role: name })),
      },
      owner,
    ),
  )
  must(
    await app.post(
      `${at}/editions`,
      {
        slug: 'a',
        name: payloads[2]!.slice(0, 70),
        description: fill(1500, 500),
        kind: 'standard',
        price_cents: 499,
        active: false,
      },
      owner,
    ),
  )
  const { build_id } = must(
    await app.post(
      `${at}/builds`,
      {
        version: `1"><script>`,
        os: 'linux',
        arch: 'x86_64',
        title: payloads[3]!.slice(0, 200),
        description: fill(9000, 600),
        changelog_items: texts(100, 200, 100).map((title) => ({ title, description: title })),
      },
      owner,
    ),
  )
  await makePublic(app.sql, uid)
  const player = await app.a.verified()
  must(await app.post(`${at}/licences`, { username: player.username }, owner))
  must(await app.put(`${at}/review`, { enjoyed: true, quality: 5, text: fill(3900, 700) }, player))
  const { bug_uid } = must(
    await app.post(
      `${at}/bug-reports`,
      {
        message: fill(3900, 800),
        log: payloads.join('\n'),
        client_version: `<img src=x onerror=${RUN}>`.slice(0, 60),
      },
      player,
    ),
  )
  const headers = { 'x-app-id': uid, 'x-build-id': build_id }
  must(
    await app.post(
      '/api/v1/public/crashes',
      {
        user_message: fill(3000, 900),
        app_name: scripts[1],
        metadata: Object.fromEntries(
          texts(40, 200, 0).map((text, i) => [`${text.slice(0, 40)}${i}`, text]),
        ),
      },
      { headers },
    ),
  )
  must(
    await app.post(
      '/api/v1/public/events',
      { events: scripts.map((event) => ({ event: event.slice(0, 64), device_uid: 'd' })) },
      { headers },
    ),
  )
  const group = await eventually(
    'a crash group',
    async () => must(await app.get(`${at}/crash-groups`, owner)).groups[0],
  )

  const { page, problems } = await openTab(await startChromium(t), app.url, { token: owner.token })
  const base = `/dashboard/${listing.vanity_name}`
  const { editions } = must(await app.get(`${at}/editions`, owner))
  const paths = [
    '/dashboard',
    `${base}/builds/${build_id}`,
    `${base}/bugs/${bug_uid}`,
    `${base}/settings/editions/${editions[0].uid}`,
    `${base}/crashes/groups/${group.uid}`,
    `${base}/crashes/${group.sample_crash_id}`,
    ...sections.map(([slug]) => `${base}/${slug}`),
  ]
  for (const path of paths) {
    assert.equal((await page.goto(path))!.status(), 200, path)
    assert.equal(await page.evaluate('window.hit'), undefined, path)
    assert.equal(
      await page.evaluate(`document.querySelectorAll('${ACTIVE_CONTENT}').length`),
      0,
      path,
    )
  }
  // The browser reports a script that the content security policy blocks.
  assert.deepEqual(problems, [])
})
