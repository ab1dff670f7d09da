import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KIB, MIB } from '../../../src/core/runtime/units.ts'
import { must, refused } from '../../support/builders.ts'
import { padPng, picture, pngWithHeader } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { report, startBugApp, storedScreenshots } from '../fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

test('accepts a log of up to 512 KiB as file or field, even if it is not text', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const as = {
    file: (log: Uint8Array | string) => send(game.uid, token, report({}, { log })),
    field: (log: string) => send(game.uid, token, report({ log })),
  }
  const most = 'é'.repeat((512 * KIB) / 2)
  for (const answer of [await as.file(most), await as.field(most)])
    assert.equal((await readTicket(game, must(answer).bug_uid)).log, most)
  for (const answer of [await as.file(`${most}x`), await as.field(`${most}x`)]) {
    assert.deepEqual(refused(answer), [413, 4130])
    assert.match(answer.body.error.message, /^log: /)
  }
  const junk = Buffer.from([0x61, 0x00, 0xff, 0xfe, 0x62])
  const head =
    '--x\r\nContent-Disposition: form-data; name="message"\r\n\r\nIt broke\r\n' +
    '--x\r\nContent-Disposition: form-data; name="log"\r\n\r\n'
  const field = {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    raw: Buffer.concat([Buffer.from(head), junk, Buffer.from('\r\n--x--\r\n')]),
  }
  for (const odd of [await as.file(junk), await send(game.uid, token, field)])
    assert.equal((await readTicket(game, must(odd).bug_uid)).log, 'a\ufffd\ufffd\ufffdb')
})

test('stores a screenshot of up to 32 MiB unchanged', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket, data_dir } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const small = await picture(320, 200)
  const largest = padPng(small, 32 * MIB)
  const ticket = await readTicket(
    game,
    must(await send(game.uid, token, report({}, { screenshot: largest }))).bug_uid,
  )
  assert.equal(ticket.screenshot.size, 32 * MIB)
  const shot = await fetch(ticket.screenshot.url, {
    headers: { authorization: `Bearer ${game.owner.token}` },
  })
  assert.ok(Buffer.from(await shot.arrayBuffer()).equals(largest))
  const over = await send(game.uid, token, report({}, { screenshot: padPng(small, 32 * MIB + 1) }))
  assert.deepEqual(refused(over), [413, 4130])
  assert.match(over.body.error.message, /^screenshot: /)
  assert.deepEqual(
    storedScreenshots(data_dir),
    [`${game.uid}/${ticket.bug_uid}`],
    'a refused report left a screenshot in the store',
  )
})

test('a screenshot must be PNG, JPEG or WebP by its content', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const sendScreenshot = (screenshot: Uint8Array) =>
    send(game.uid, token, report({}, { screenshot }))
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const { screenshot } = await readTicket(
      game,
      must(await sendScreenshot(await picture(33, 21, { format }))).bug_uid,
    )
    assert.equal(screenshot.type, `image/${format}`)
  }
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  for (const bad of [
    await picture(33, 21, { format: 'gif' }),
    svg,
    Buffer.from('MZ'),
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.alloc(0),
  ]) {
    const answer = await sendScreenshot(bad)
    assert.deepEqual(refused(answer), [422, 4151])
    assert.match(answer.body.error.message, /^screenshot: /)
  }
})

test('rejects an image of more than 100 million pixels without decoding it', async (t) => {
  const { buggyGame, player, tokenOf, send } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const claim = (width: number, height: number) =>
    send(
      game.uid,
      token,
      report({}, { screenshot: pngWithHeader(width, height, Buffer.alloc(64)) }),
    )
  assert.equal((await claim(10_000, 10_000)).status, 201)
  for (const [width, height] of [
    [10_000, 10_001],
    [65_535, 65_535],
    [0x7fffffff, 0x7fffffff],
    [0, 100],
  ] as const)
    assert.deepEqual(refused(await claim(width, height)), [422, 4151])
})
