import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChat } from '../../sim/chat.ts'
import { eventually } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { picture } from '../support/images.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, report, startBugApp } from './fixtures.ts'
import { checkTimedSignature, makeDeliveriesDue, opensslHmac, unsigned } from './hooks.ts'
import { startReceiver } from './receivers.ts'

const sharedBugApp = sharedInFile(startBugApp)

const KEYS = [
  'event',
  'game_uid',
  'game_name',
  'bug_uid',
  'message',
  'client_version',
  'os',
  'arch',
  'build_id',
  'has_log',
  'has_screenshot',
  'screenshot_url',
  'created_at',
  'signature',
]

test('the last key of the JSON payload signs the rest, and openssl agrees', async (t) => {
  const { buggyGame, ticket, settled, a, sql } = await sharedBugApp(t)
  const receiver = await startReceiver(t)
  const game = await buggyGame({ webhook_urls: [`${receiver.url}/hook?team=a`] })
  const { build_id } = await a.cleanBuild(game)
  const message = 'Quotes " and \\ and \n newlines,\u2028 snow ☃ and 𝄞 </script>'
  const fields = { message, client_version: '1.0', os: 'linux', arch: 'x86_64', build_id }
  const filed = await ticket(
    game,
    report(fields, { log: 'the secret log', screenshot: await picture(64, 64) }),
  )
  await settled(game)
  const [hook, ...more] = receiver.received
  assert.deepEqual(more, [])
  assert.equal(hook!.path, '/hook?team=a')
  assert.equal(hook!.headers['content-type'], 'application/json')
  assert.deepEqual(Object.keys(hook!.json), KEYS)
  const { signature, screenshot_url, ...rest } = hook!.json
  const [{ name }] = (await sql`select name from listings where uid = ${game.uid}`) as any
  assert.deepEqual(rest, {
    event: 'bug.created',
    game_uid: game.uid,
    game_name: name,
    bug_uid: filed.bug_uid,
    ...fields,
    has_log: true,
    has_screenshot: true,
    created_at: filed.created_at,
  })
  const { text } = unsigned(hook!.body)
  assert.equal(
    text,
    JSON.stringify({ ...hook!.json, signature: undefined }),
    'the text changes when it is parsed and written again',
  )
  assert.equal(signature, opensslHmac(game.signing_key, text, 'hex'))
  assert.doesNotMatch(hook!.body, /secret log/)
  const otherKey = { ...game, ...(await buggyGame()) }.signing_key
  assert.notEqual(
    signature,
    opensslHmac(otherKey, text, 'hex'),
    'the key of another game verifies the signature',
  )
})

test('each attempt has a header that signs its time and the body with the current key', async (t) => {
  const { buggyGame, ticket, settled, deliveries, post, sql } = await sharedBugApp(t)
  const receiver = await startReceiver(t, (response) => response.writeHead(500).end())
  const game = await buggyGame({ webhook_urls: [receiver.url] })
  const begin = Math.floor(Date.now() / 1000)
  await ticket(game, report({ message: 'Snow ☃ "quoted"\n and 𝄞' }))
  await eventually('the first attempt', async () => (await deliveries(game))[0].attempts === 1)
  const first = checkTimedSignature(receiver.received[0]!, game.signing_key)
  assert.ok(first >= begin && first <= Date.now() / 1000, `${first}`)
  const { signing_key } = must(
    await post(`${GAMES}/${game.uid}/bug-reporter/signing-key`, undefined, game.owner),
  )
  receiver.answer = (response) => response.writeHead(204).end()
  await makeDeliveriesDue(sql)
  await settled(game)
  const [, retry, ...more] = receiver.received
  assert.deepEqual(more, [])
  assert.equal(retry!.body, receiver.received[0]!.body)
  assert.ok(checkTimedSignature(retry!, signing_key) >= first)
})

test('missing fields are null, and a report without an image has no link', async (t) => {
  const { buggyGame, ticket, settled } = await sharedBugApp(t)
  const receiver = await startReceiver(t)
  const game = await buggyGame({ webhook_urls: [receiver.url] })
  await ticket(game)
  await settled(game)
  const { client_version, os, arch, build_id, has_log, has_screenshot } = receiver.received[0]!.json
  assert.deepEqual(
    [client_version, os, arch, build_id, has_log, has_screenshot],
    [null, null, null, null, false, false],
  )
  assert.deepEqual(
    Object.keys(receiver.received[0]!.json),
    KEYS.filter((key) => key !== 'screenshot_url'),
  )
})

test('a screenshot link is signed for one image and one day, and openssl agrees', async (t) => {
  const { buggyGame, ticket, settled, get, url } = await sharedBugApp(t)
  const receiver = await startReceiver(t)
  const [game, other] = [
    await buggyGame({ webhook_urls: [receiver.url] }),
    await buggyGame({ webhook_urls: [receiver.url] }),
  ]
  const image = await picture(80, 60, { format: 'webp' })
  const filed = await ticket(game, report({}, { screenshot: image }))
  await settled(game)
  const link = new URL(receiver.received[0]!.json.screenshot_url)
  const path = `/media/bugs/${game.uid}/${filed.bug_uid}/screenshot.webp`
  assert.deepEqual(
    [link.origin, link.pathname, [...link.searchParams.keys()]],
    [url, path, ['Expires', 'Signature']],
  )
  const expires = Number(link.searchParams.get('Expires'))
  assert.equal(expires, Math.floor(Date.parse(filed.created_at) / 1000) + 86_400)
  const sign = (key: string, until: number, at = path) =>
    opensslHmac(key, `GET\n\n\n${until}\n${at}`, 'base64')
  assert.equal(link.searchParams.get('Signature'), sign(game.signing_key, expires))
  const answer = await fetch(link)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp'])
  assert.match(answer.headers.get('content-security-policy')!, /sandbox/)
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(image))

  const openLink = async (at: string, until: number | string, signature: string) =>
    refused(await get(`${at}?Expires=${until}&Signature=${encodeURIComponent(signature)}`))
  const past = Math.floor(Date.now() / 1000) - 1
  assert.deepEqual(await openLink(path, past, sign(game.signing_key, past)), [403, 4030])
  for (const [at, until, signature] of [
    [path, expires + 1, sign(game.signing_key, expires)],
    [path, expires, sign(other.signing_key, expires)],
    [path, expires, ''],
    [path, `0${expires}`, sign(game.signing_key, expires)],
    [
      path.replace('webp', 'png'),
      expires,
      sign(game.signing_key, expires, path.replace('webp', 'png')),
    ],
    [
      path.replace(game.uid, other.uid),
      expires,
      sign(other.signing_key, expires, path.replace(game.uid, other.uid)),
    ],
    [
      path.replace(filed.bug_uid, other.uid),
      expires,
      sign(game.signing_key, expires, path.replace(filed.bug_uid, other.uid)),
    ],
  ] as const)
    assert.deepEqual(await openLink(at, until, signature), [404, 4040], `${at} ${until}`)
  assert.deepEqual(refused(await get(path)), [404, 4040])
})

test('a new signing key ends all links of the game and signs new deliveries', async (t) => {
  const { buggyGame, ticket, settled, post, get } = await sharedBugApp(t)
  const receiver = await startReceiver(t)
  const [game, other] = [
    await buggyGame({ webhook_urls: [receiver.url] }),
    await buggyGame({ webhook_urls: [receiver.url] }),
  ]
  const shot = report({}, { screenshot: await picture(64, 64) })
  for (const reported of [game, other]) {
    await ticket(reported, shot)
    await settled(reported)
  }
  const path = (index: number) =>
    receiver.received[index]!.json.screenshot_url.slice(
      receiver.received[index]!.json.screenshot_url.indexOf('/media'),
    )
  for (const index of [0, 1]) assert.equal((await get(path(index))).status, 200)
  const { signing_key } = must(
    await post(`${GAMES}/${game.uid}/bug-reporter/signing-key`, undefined, game.owner),
  )
  assert.deepEqual(refused(await get(path(0))), [404, 4040])
  assert.equal((await get(path(1))).status, 200, 'the link of the other game does not open')
  await ticket(game, shot)
  await settled(game)
  const { text, signature } = unsigned(receiver.received[2]!.body)
  assert.equal(signature, opensslHmac(signing_key, text, 'hex'))
  assert.notEqual(signature, opensslHmac(game.signing_key, text, 'hex'))
  assert.equal((await get(path(2))).status, 200)
})

async function withChat(t: Parameters<typeof startBugApp>[0]) {
  const chat = await startChat()
  cleanup(t, () => chat.close())
  return { chat, ...(await startBugApp(t, { CHAT_WEBHOOK_PREFIXES: chat.prefix })) }
}

test('chat webhooks get an embed, and other receivers of the game get JSON', async (t) => {
  const { chat, buggyGame, ticket, settled, patch } = await withChat(t)
  const receiver = await startReceiver(t)
  const game = await buggyGame({ webhook_urls: [chat.webhook(), receiver.url] })
  must(await patch(`${GAMES}/${game.uid}`, { name: 'Lamp & Light' }, game.owner))
  const fields = {
    message: 'The lamp flickers',
    client_version: '1.2.0',
    os: 'linux',
    arch: 'x86_64',
  }
  const full = await ticket(
    game,
    report(fields, { log: 'the secret log', screenshot: await picture(64, 64) }),
  )
  const bare = await ticket(game, report({ message: 'Nothing works' }))
  await settled(game)
  type Expected = {
    bug_uid: string
    description: string
    version: string
    platform: string
    attached: string
  }
  const embed = ({ bug_uid, description, version, platform, attached }: Expected) => ({
    title: 'Bug report: Lamp & Light',
    description,
    fields: [
      { name: 'Game', value: 'Lamp & Light', inline: true },
      { name: 'Ticket', value: bug_uid, inline: false },
      { name: 'Version', value: version, inline: true },
      { name: 'Platform', value: platform, inline: true },
      { name: 'Log', value: attached, inline: true },
      { name: 'Screenshot', value: attached, inline: true },
    ],
  })
  const expected = [
    embed({
      bug_uid: full.bug_uid,
      description: 'The lamp flickers',
      version: '1.2.0',
      platform: 'linux x86\\_64',
      attached: 'yes',
    }),
    embed({
      bug_uid: bare.bug_uid,
      description: 'Nothing works',
      version: 'unknown',
      platform: 'unknown',
      attached: 'no',
    }),
  ]
  assert.deepEqual(
    chat.received.map(({ raw }) => JSON.parse(raw)),
    expected.map((message) => ({ embeds: [message], allowed_mentions: { parse: [] } })),
  )
  assert.equal(receiver.received.length, 2)
  for (const { raw, headers } of chat.received) {
    assert.doesNotMatch(raw, /secret log|signature|screenshot_url|media/)
    assert.equal(headers['x-delivery-signature'], undefined)
  }
})

test('player text in an embed cannot mention anyone, hide a link or be too long', async (t) => {
  const { chat, buggyGame, ticket, settled, patch } = await withChat(t)
  const game = await buggyGame({ webhook_urls: [chat.webhook()], daily_cap: 100 })
  must(await patch(`${GAMES}/${game.uid}`, { name: 'Win @everyone **now**' }, game.owner))
  const hostile =
    '@everyone @here <@123> <@!123> <@&9> <#42> </cmd:1> <:x:1> [free](https://evil.example) ' +
    '**b** `c` ||d|| \\@everyone > q\n# h'
  await ticket(game, report({ message: hostile, client_version: '@everyone' }))
  await ticket(game, report({ message: '*'.repeat(4000) }))
  await ticket(game, report({ message: '𝄞'.repeat(4000) }))
  await settled(game)
  assert.equal(chat.received.length, 3)
  for (const { pings, raw, embeds, allowed_mentions, content } of chat.received) {
    assert.deepEqual([pings, allowed_mentions, content], [[], { parse: [] }, undefined])
    assert.doesNotMatch(raw, /@everyone|@here|<@|<#|<\/|<:/)
    for (const text of [
      embeds[0]!.title!,
      embeds[0]!.description!,
      ...embeds[0]!.fields!.map(({ value }) => value),
    ]) {
      assert.doesNotMatch(text, /(?<!\\)(?:\\\\)*[*_`|[\]()]/)
      assert.ok(text.isWellFormed())
    }
  }
  assert.ok(
    chat.received
      .slice(1)
      .every(
        ({ embeds }) =>
          embeds[0]!.description!.length <= 4096 && embeds[0]!.description!.endsWith('…'),
      ),
  )
})

test('only URLs of the chat service get embeds', async (t) => {
  const { chat, buggyGame, ticket, deliveries } = await withChat(t)
  const receiver = await startReceiver(t)
  const [, path] = /(\/api\/webhooks\/.+)$/.exec(chat.webhook())!
  const game = await buggyGame({ webhook_urls: [receiver.url + path, `${chat.prefix}../other`] })
  await ticket(game)
  await eventually('both attempts', async () =>
    (await deliveries(game)).every(({ attempts }) => attempts === 1),
  )
  assert.deepEqual(
    (await deliveries(game)).map(({ kind, response_status }) => [kind, response_status]).sort(),
    [
      ['json', 200],
      ['json', 404],
    ],
  )
})

test('a chat webhook that names a version of the API gets an embed', async (t) => {
  const { chat, buggyGame, ticket, settled } = await withChat(t)
  const url = chat.webhook().replace('/api/webhooks/', '/api/v10/webhooks/')
  const game = await buggyGame({ webhook_urls: [url] })
  await ticket(game)
  const [delivery] = await settled(game)
  assert.deepEqual([delivery.kind, delivery.status], ['chat', 'delivered'])
  assert.equal(chat.received.length, 1)
})

test('store reports are delivered even if the reporter was never on', async (t) => {
  const { game, configure, fan, sendFromStore, settled } = await sharedBugApp(t)
  const receiver = await startReceiver(t)
  const off = await game()
  const { signing_key } = await configure(off, { webhook_urls: [receiver.url] })
  must(await sendFromStore(off.uid, await fan(off.uid)))
  await settled(off)
  const { text, signature } = unsigned(receiver.received[0]!.body)
  assert.equal(signature, opensslHmac(signing_key, text, 'hex'))
})
