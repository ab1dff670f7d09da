import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { readyTools } from '../../src/agents/mcp/server.ts'
import { developerServer, playerServer } from '../../src/agents/mcp/tool-servers.ts'
import { checkValue } from '../../src/core/http/validate.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { codeIn, makePublic, must } from '../support/builders.ts'
import { listen } from '../support/listen.ts'
import { chooseCases } from '../support/loop-count.ts'
import { upload } from '../uploads/forms.ts'
import { signIn } from './browser-flow.ts'
import { connect } from './mcp-client.ts'

const everything = ['mcp:read', 'mcp:write', 'mcp:bugs.read', 'mcp:bugs.write']
const DEBUG_ID = '0123456789ABCDEF0123456789ABCDEF0'
const SYMBOLS = `MODULE Linux x86_64 ${DEBUG_ID} game\nFILE 0 main.c\nPUBLIC 1000 0 main\n`

/** How the client authenticates. */
type SignIn = 'with a key' | 'through the browser'

/** How the agent of the developer authenticates, and how that of the player. */
type SignIns = { agent: SignIn; fan: SignIn }
const signIns: SignIns[] = [
  { agent: 'with a key', fan: 'through the browser' },
  { agent: 'through the browser', fan: 'with a key' },
]

/** Starts a service with data for every tool. */
async function startToolApp(t: TestContext, sign_in: SignIns) {
  const app = await startApp(t)
  const { a, sql, post, call, url } = app
  const owner = await a.verifiedDeveloper()
  const player = await a.verified()
  const game = await a.listing({ owner, name: 'The Game' })
  const pack = await a.listing({ owner, name: 'A Pack', asset_type: 'game_asset' })
  const mod = await a.listing({ owner, name: 'A Mod', asset_type: 'mod' })
  await a.images(mod)
  for (const { uid } of [game, pack]) await makePublic(sql, uid)
  const build = await a.cleanBuild(game, { version: '1.0' })
  const next = await a.cleanBuild(game, { version: '2.0', channel: 'beta' })
  for (const name of ['one', 'two'])
    must(
      await call(
        'POST',
        '/api/v1/tool/upload/symbols',
        upload(
          Buffer.from(SYMBOLS.replace('game', name)),
          { build_id: build.build_id },
          next.ci,
          `${name}.sym`,
        ),
      ),
    )
  const headers = { 'x-app-id': game.uid, 'x-build-id': build.build_id }
  const crash = must(
    await post('/api/v1/public/crashes', { has_log: true, user_message: 'boom' }, { headers }),
  )
  must(await call('PUT', new URL(crash.uploads.log.url).pathname, { raw: 'the log' }))
  must(
    await post(
      '/api/v1/public/events',
      { events: [{ event: 'boot_ok', device_uid: crash.id }] },
      { headers },
    ),
  )
  await sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${player.uid}, ${game.uid}, 4000, now())`
  clearIdentityCache()
  const webhook_port = await listen(
    t,
    createServer((_, reply) => void reply.end()),
  )
  const agent_key = await a.key('agent', owner, everything)
  const player_key = await a.key('player', player, ['player:read', 'player:write'])
  const agent =
    sign_in.agent === 'with a key'
      ? await connect(t, url, '/mcp', agent_key.key)
      : await signIn(t, url, { path: '/mcp', username: owner.username })
  const fan =
    sign_in.fan === 'with a key'
      ? await connect(t, url, '/player', player_key.key)
      : await signIn(t, url, { path: '/player', username: player.username })
  return {
    ...app,
    owner,
    player,
    game,
    pack,
    mod,
    build,
    next,
    crash,
    agent,
    fan,
    webhook: `http://127.0.0.1:${webhook_port}/hook`,
  }
}

test('every tool is listed and answers by its schema, with a key or through the browser', async (t) => {
  for (const sign_in of chooseCases(t, signIns, 1)) await callEverything(t, sign_in)
})

async function callEverything(t: TestContext, sign_in: SignIns) {
  const {
    game,
    pack,
    mod,
    build,
    next,
    crash,
    agent,
    fan,
    webhook,
    owner,
    player,
    sql,
    post,
    call,
    data_dir,
  } = await startToolApp(t, sign_in)
  const uid = game.vanity_name
  const { build_id, file_uid } = build
  const called = new Set<string>()
  const side = {
    mcp: { ...agent, server: developerServer },
    player: { ...fan, server: playerServer },
  }
  const ready = { mcp: readyTools(developerServer), player: readyTools(playerServer) }

  async function run(where: 'mcp' | 'player', name: string, args: Record<string, unknown> = {}) {
    const tool =
      ready[where].find((candidate) => candidate.name === name) ??
      assert.fail(`there is no tool ${name}`)
    const { data, refused } = await side[where].call(name, args)
    assert.equal(refused, undefined, `${name}: ${JSON.stringify(refused)}`)
    assert.equal(checkValue(tool.output_schema, data, name), undefined)
    called.add(`${where} ${name}`)
    return data
  }
  const dev = (name: string, args: Record<string, unknown> = {}) => run('mcp', name, args)
  const play = (name: string, args: Record<string, unknown> = {}) => run('player', name, args)

  // Account and approvals
  assert.equal((await dev('get_profile')).user.username, owner.username)
  assert.equal((await dev('get_account')).user.username, owner.username)
  assert.deepEqual(
    (await dev('get_setup')).steps.map(({ done }: any) => done),
    [true, true, true, true],
  )
  assert.deepEqual(
    (await dev('list_mcp_keys')).keys.map((key: any) => [key.prefix.slice(0, 8), 'key' in key]),
    [['svc_mcp_', false]],
  )
  assert.equal((await dev('get_security_status')).agent_keys, 1)
  assert.equal((await play('get_security_status')).player_keys, 1)
  for (const [where, person] of [
    ['mcp', owner],
    ['player', player],
  ] as const) {
    await sql`update users set email_verified_at = null where uid = ${person.uid}`
    const codes = () =>
      outbox(data_dir).flatMap(({ to, text }) =>
        to === person.email ? (text.match(/\b(\d{6})\b/)?.[1] ?? []) : [],
      )
    const before = codes().length
    assert.equal((await run(where, 'request_email_code')).sent, true)
    const code = await eventually('the code', () => codes()[before])
    assert.equal((await run(where, 'verify_email', { code })).email_verified, true)
  }
  const { refused: waiting } = await agent.call('promote_build', {
    uid,
    channel: 'stable',
    build_id: next.build_id,
    idempotency_key: 'k',
  })
  const approval_id = waiting!.data.approval.uid
  assert.equal((await dev('get_approval', { approval_id })).status, 'pending')
  assert.equal(
    (await agent.call('confirm_approval', { approval_id, code: '000000' })).refused?.code,
    4216,
  )

  // Pages
  assert.equal((await dev('list_games')).total, 3)
  assert.equal((await dev('get_game', { uid })).uid, game.uid)
  assert.equal(
    (
      await dev('create_game', {
        name: 'Made by an agent',
        asset_type: 'tool',
        parent: { game: uid },
      })
    ).visibility,
    'draft',
  )
  assert.equal((await dev('update_game', { uid, tagline: 'New words' })).tagline, 'New words')
  assert.ok((await dev('validate_listing', { uid })).errors)
  const taxonomy = {
    genres: ['puzzle'],
    tags: ['one', 'two', 'three'],
    tone: ['cozy'],
    players_min: 1,
    players_max: 2,
    net: 'offline',
  }
  assert.deepEqual((await dev('update_game_taxonomy', { uid, ...taxonomy })).genres, ['puzzle'])
  await dev('set_similar_games', { uid: pack.uid, games: [uid] })
  await dev('set_mod_settings', {
    uid: mod.uid,
    install_path: 'mods',
    loader: '',
    instructions: 'Unpack',
  })
  const { gallery } = await dev('list_media', { uid: mod.uid })
  await dev('order_media', { uid: mod.uid, order: gallery.map(({ uid }: any) => uid).reverse() })
  await dev('delete_media', { uid: mod.uid, image: gallery[0].uid })
  await dev('get_press_kit', { uid })
  await dev('set_press_kit', {
    uid,
    features: ['Boats'],
    links: [{ label: 'Site', url: 'https://game.example/' }],
  })
  await dev('list_community_tags', { uid })
  await dev('get_store_links', { uid })
  await dev('set_store_links', { uid, store_links: [] })
  assert.equal(
    (await dev('declare_dependency', { uid, target_uid: pack.vanity_name, kind: 'uses' })).relations
      .uses.length,
    1,
  )
  assert.equal((await dev('list_dependents', { uid: pack.uid })).used_by[0].uid, game.uid)
  assert.equal(
    (await dev('declare_dependency', { uid, target_uid: pack.uid, kind: 'uses', remove: true }))
      .relations.uses.length,
    0,
  )
  await dev('set_dependencies', { uid, dependencies: [{ game: pack.uid, kind: 'uses' }] })
  await dev('declare_engine_compat', {
    uid,
    compat: [{ engine: 'some-engine', min_version: '1.0' }],
  })
  assert.equal(
    (await dev('declare_license', { uid: pack.uid, license_kind: 'cc0' })).license_kind,
    'cc0',
  )
  await dev('list_admins', { uid })

  // Builds
  const info = await dev('get_deploy_info', { uid })
  assert.deepEqual(
    [info.app_id, info.latest_build_id, info.keys.length],
    [game.uid, next.build_id, 1],
  )
  assert.equal((await dev('list_game_builds', { uid })).total, 2)
  assert.equal((await dev('get_game_build', { uid, build_id })).version, '1.0')
  assert.equal(
    (
      await dev('promote_build', {
        uid,
        channel: 'dev',
        build_id: next.build_id,
        expires_in_hours: 2,
      })
    ).channel,
    'dev',
  )
  assert.ok((await dev('list_channels', { uid })).channels.length >= 2)
  must(await post(`/api/v1/private/approvals/${approval_id}/approve`, undefined, owner))
  await dev('promote_build', {
    uid,
    channel: 'stable',
    build_id: next.build_id,
    idempotency_key: 'k',
  })
  assert.equal((await dev('rollback_channel', { uid, channel: 'stable' })).build_id, build_id)
  assert.equal((await dev('get_build_provenance', { uid, file_uid })).file_uid, file_uid)
  assert.equal((await dev('scan_status', { uid })).files.length, 2)
  assert.equal((await dev('get_build_health', { uid })).builds.length, 2)
  assert.equal((await dev('get_build_health', { uid, build_id })).builds[0].band, 'unrated')
  await dev('list_health_warnings', { uid })
  const { symbols } = await dev('list_build_symbols', { uid, build_id })
  const how = await dev('upload_symbols_info', { uid, build_id })
  assert.deepEqual([how.uploaded, how.form.build_id], [2, build_id])
  assert.deepEqual(
    await dev('delete_build_symbols', { uid, build_id, symbol_uid: symbols[0].symbol_uid }),
    { deleted: 1 },
  )
  assert.deepEqual(await dev('delete_build_symbols', { uid, build_id }), { deleted: 1 })
  await dev('bundle_check', { uid, build_id })
  await dev('mod_compat', { uid: mod.uid })

  // Crashes and numbers
  await dev('get_game_analytics', { uid })
  await dev('get_download_analytics', { uid })
  await dev('get_sales', { report: 'sales', uid })
  await dev('get_sales', { report: 'orders', uid })
  assert.equal((await dev('list_game_crashes', { uid })).items[0].id, crash.id)
  await dev('get_crash', { uid, crash_id: crash.id })
  assert.ok((await dev('request_crash_download', { uid, crash_id: crash.id, kind: 'log' })).url)
  const group = await eventually(
    'the crash group',
    async () =>
      (await dev('list_crash_groups', { uid })).groups?.[0] ??
      (await dev('list_crash_groups', { uid })).items?.[0],
  )
  await dev('update_crash_group', { uid, group_uid: group.uid, status: 'resolved' })

  // Players
  assert.equal((await play('get_account')).user.username, player.username)
  await eventually(
    'the catalog',
    async () =>
      (await play('search_catalog', { q: 'game', tags: 'one', page_size: 5 })).total === 1,
  )
  await play('get_shelf', { kind: 'tonight' })
  await play('list_popular_tags', { limit: 5 })
  assert.equal((await play('get_game_details', { uid })).uid, game.uid)
  assert.equal((await play('list_game_addons', { uid, kind: 'mods', limit: 1 })).page_size, 1)
  await play('get_press_kit', { uid })
  const trust = await play('why_should_i_trust_this', { uid })
  assert.equal(trust.files[0].file_uid, file_uid)
  assert.ok(trust.cautions.length && !/\bsafe\b/i.test(JSON.stringify(trust)))
  await play('get_file_provenance', { uid, file_uid })
  await play('claim_free_game', { uid })
  assert.equal((await play('get_library')).items.length, 1)
  assert.ok((await play('get_download_link', { file_id: file_uid })).url)
  const install = await play('install_build', { uid, channel: 'stable' })
  assert.deepEqual([install.file.build_id, install.file.file_uid], [build_id, file_uid])
  assert.match(
    (await fan.call('install_build', { uid, os: 'ios' })).refused!.message,
    /^No file matches. Available: /,
  )
  assert.equal((await fan.call('install_build', { uid, channel: 'beta' })).refused?.code, 4040)
  assert.equal((await play('set_channel', { uid, channel: 'beta' })).channel, 'beta')
  assert.equal((await play('install_build', { uid, channel: 'beta' })).file.build_id, next.build_id)
  assert.equal(
    (await play('install_build', { uid, build_id: next.build_id })).file.build_id,
    next.build_id,
  )
  assert.equal(
    (await play('install_build', { uid })).file.build_id,
    build_id,
    'the default channel is not stable',
  )
  await eventually('downloads through the tools count as such', async () => {
    const rows =
      await sql`select distinct source from download_attempts where user_uid = ${player.uid}`
    return rows.length === 1 && rows[0]!.source === 'mcp_player'
  })
  await play('write_review', { uid, enjoyed: true, quality: 5, text: 'Fine boats' })
  await play('list_reviews', { uid })
  await play('suggest_tags', { uid, tags: ['nautical'] })
  assert.deepEqual((await play('suggest_tag', { uid, tag: 'Wet Feet' })).tags, [
    'nautical',
    'wet-feet',
  ])
  assert.deepEqual((await play('suggest_tag', { uid, tag: 'wet-feet', remove: true })).tags, [
    'nautical',
  ])
  assert.equal((await dev('hide_community_tag', { uid, tag: 'nautical' })).hidden, true)
  assert.equal(
    (await dev('hide_community_tag', { uid, tag: 'nautical', show: true })).hidden,
    false,
  )
  const report = {
    uid,
    message: 'The mast falls off',
    os: 'linux',
    log: 'creak',
    build_id,
    include_dump: true,
    include_log: true,
  }
  const bug = await play('report_bug', report)
  must(await call('PUT', new URL(bug.uploads.log.url).pathname, { raw: 'a longer log' }))

  // Feedback
  const reviews = await dev('list_reviews', { uid, unreplied: true })
  await dev('reply_to_review', { uid, review_uid: reviews.items[0].uid, text: 'Thank you' })
  assert.deepEqual(
    [
      (await dev('list_reviews', { uid, unreplied: true })).total,
      (await dev('list_reviews', { uid })).total,
    ],
    [0, 1],
  )
  assert.equal((await dev('list_bug_tickets', { uid, status: 'open' })).total, 1)
  const ticket = await dev('get_bug_ticket', { uid, bug_uid: bug.bug_uid })
  assert.deepEqual(
    [ticket.message, ticket.log, ticket.crash_id],
    ['The mast falls off', 'creak', bug.crash_id],
  )
  assert.ok((await dev('request_crash_download', { uid, crash_id: bug.crash_id, kind: 'log' })).url)
  await dev('set_bug_reporter', { uid, enabled: true, daily_cap: 5, webhook_urls: [webhook] })
  assert.equal((await dev('get_bug_reporter', { uid })).enabled, true)
  await play('report_bug', { uid, message: 'Again' })
  const delivery = await eventually(
    'a delivery',
    async () => (await dev('list_bug_deliveries', { uid })).items?.[0] ?? false,
  )
  await eventually(
    'the end of the delivery',
    async () => (await sql`select from bug_deliveries where status = 'delivered'`).length === 1,
  )
  await dev('replay_bug_delivery', { uid, delivery_uid: delivery.uid })
  assert.equal(
    (await dev('update_bug_ticket', { uid, bug_uid: bug.bug_uid, status: 'fixed' })).status,
    'fixed',
  )
  assert.deepEqual(await play('write_review', { uid, delete: true }), { deleted: true })
  assert.equal((await fan.call('write_review', { uid, text: 'Neither' })).refused?.code, 4227)

  // Money
  assert.equal((await dev('set_game_price', { uid, price_cents: 499 })).price_cents, 499)
  const { uid: sku_uid } = await dev('upsert_sku', {
    uid,
    slug: 'deluxe',
    name: 'Deluxe',
    kind: 'deluxe',
    price_cents: 999,
  })
  assert.equal((await dev('upsert_sku', { uid, sku_uid, name: 'More deluxe' })).slug, 'deluxe')
  assert.equal((await dev('list_skus', { uid })).editions[0].name, 'More deluxe')
  await dev('delete_sku', { uid, sku_uid })
  await dev('grant_copy', { uid, username: player.username })

  // Last, because they withdraw and delete the build.
  const approved = async (name: string, args: Record<string, unknown>, subject: string) => {
    const { refused: pending } = await agent.call(name, args)
    const mail = await eventually('the mail', () =>
      outbox(data_dir).find((mail) => mail.subject.startsWith(`Approve: ${subject}`)),
    )
    const confirmation = { approval_id: pending!.data.approval.uid, code: codeIn(mail.text) }
    assert.equal((await dev('confirm_approval', confirmation)).status, 'approved')
    return dev(name, args)
  }
  const last_build = { uid, build_id: next.build_id }
  const reason = 'Saves are lost'
  const { withdrawn } = await approved('withdraw_build', { ...last_build, reason }, 'Withdraw')
  assert.equal(withdrawn.reason, reason)
  assert.equal((await approved('restore_build', last_build, 'Restore')).withdrawn, null)
  assert.deepEqual(await approved('delete_build', last_build, 'Delete'), { deleted: true })

  const all = Object.entries(side).flatMap(([where, { server }]) =>
    server.tools.map(({ name }) => `${where} ${name}`),
  )
  assert.deepEqual(
    all.filter((name) => !called.has(name)),
    [],
    'a tool is not called by this test',
  )
  const listed = await Promise.all(
    Object.entries(side).map(async ([where, { list }]) =>
      (await list()).map(({ name }) => `${where} ${name}`),
    ),
  )
  assert.deepEqual(listed.flat(), all)
}
