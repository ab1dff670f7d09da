import { randomUUID } from 'node:crypto'
import { HOUR } from '../../../../src/core/runtime/units.ts'
import { ObjectTooLarge } from '../../../../src/core/storage/storage.ts'
import { signLink } from '../../../../src/downloads/links.ts'
import { hourlyLimits } from '../../../../src/uploads/rate-limits.ts'
import { addCopy, must } from '../../../support/builders.ts'
import {
  chunkForm,
  chunkHeaders,
  sessionFields,
  sessionRequest,
} from '../../../uploads/fixtures.ts'
import { form, upload } from '../../../uploads/forms.ts'
import { sha256 } from '../../../uploads/zips.ts'
import { GAMES, game, type Producer, type Request, type World } from './private-world.ts'

type Uploader = { build_id: string; game_uid: string; call: Request }

/** A registered build, and the credentials of its deploy key or of its owner on the website. */
const uploaders = {
  async tool(world: World): Promise<Uploader> {
    const made = await world.fresh()
    const build_id = await world.registered(made)
    return { build_id, game_uid: made.listing.uid, call: await world.deployed(made) }
  },
  async website(world: World): Promise<Uploader> {
    const { token, values, listing, ...made } = await world.fresh()
    const build_id = await world.registered({ ...made, listing, token })
    return { build_id, game_uid: listing.uid, call: { token, values } }
  },
}

const merge = (first: Request, second: Request): Request => ({
  ...first,
  ...second,
  headers: { ...first.headers, ...second.headers },
})

const sent = ({ build_id, call }: Uploader, fields: Record<string, string> = {}): Request =>
  merge(call, upload(game, { build_id, ...fields }))

const session = ({ build_id, call }: Uploader, fields: Record<string, string> = {}): Request =>
  merge(call, sessionRequest({ ...sessionFields(game, build_id), ...fields }, { headers: {} }))

/** A chunk of a new session, or of one that does not exist. */
async function chunk(
  world: World,
  kind: keyof typeof uploaders,
  { from = 0, to = 10, bytes = game.subarray(from, to), known = true } = {},
): Promise<Request> {
  const uploader = await uploaders[kind](world)
  const path =
    kind === 'tool'
      ? '/api/v1/tool/upload/sessions'
      : `${GAMES}/${uploader.game_uid}/files/sessions`
  const opened = known ? must(await world.call('POST', path, session(uploader))) : undefined
  const session_id = (opened?.session_id ?? randomUUID()) as string
  const place = { session: session_id, from, to, total: game.length }
  return merge(uploader.call, chunkForm(bytes, chunkHeaders({ headers: {} }, place)))
}

/** Uses up an hourly limit of a game. */
function exhaust({ core }: World, kind: keyof typeof hourlyLimits, game_uid: string) {
  const limit = { points: hourlyLimits[kind], seconds: HOUR }
  for (let i = 0; i < limit.points; i++) void core.limiter.take(`game ${kind}`, game_uid, limit)
}

const fileAnswers = (kind: keyof typeof uploaders, name: string): Record<string, Producer> => ({
  [`${name} 201`]: async (world) => sent(await uploaders[kind](world)),
  [`${name} 202`]: (world) => chunk(world, kind),
  [`${name} 404`]: (world) => chunk(world, kind, { known: false }),
  [`${name} 409`]: (world) => chunk(world, kind, { from: 5, to: 10 }),
  [`${name} 413`]: (world) => chunk(world, kind, { bytes: game.subarray(0, 50) }),
  [`${name} 422`]: async (world) =>
    sent(await uploaders[kind](world), { checksum: sha256(Buffer.from('other')) }),
  [`${name} 429`]: async (world) => {
    const uploader = await uploaders[kind](world)
    exhaust(world, 'uploads', uploader.game_uid)
    return sent(uploader)
  },
  [`${name}_sessions 201`]: async (world) => session(await uploaders[kind](world)),
  [`${name}_sessions 404`]: async (world) =>
    session(await uploaders[kind](world), { build_id: randomUUID() }),
  [`${name}_sessions 413`]: async (world) =>
    session(await uploaders[kind](world), { total_size: '6000000000' }),
  [`${name}_sessions 429`]: async (world) => {
    const uploader = await uploaders[kind](world)
    exhaust(world, 'uploads', uploader.game_uid)
    return session(uploader)
  },
})

const renamed = (answers: Record<string, Producer>, from: string, to: string) =>
  Object.fromEntries(Object.entries(answers).map(([name, make]) => [name.replace(from, to), make]))

const unverified =
  (request: (uploader: Uploader) => Request): Producer =>
  async (world) => {
    const uploader = await uploaders.tool(world)
    await world.sql`
      update users set email_verified_at = null
      where uid = (select owner_uid from listings where uid = ${uploader.game_uid})`
    return request(uploader)
  }

const SYMBOLS = 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 game\nPUBLIC 1000 0 main\n'

const symbols = (
  { build_id, call }: Uploader,
  { text = SYMBOLS, checksum = sha256(Buffer.from(text)), filename = 'game.sym' } = {},
): Request =>
  merge(
    call,
    form([
      { name: 'build_id', value: build_id },
      { name: 'checksum', value: checksum },
      { name: 'file', filename, bytes: Buffer.from(text) },
    ]),
  )

/** A build with a symbol file. */
async function withSymbols(world: World) {
  const made = await world.fresh()
  const build_id = await world.registered(made)
  const uploader = { build_id, game_uid: made.listing.uid, call: await world.deployed(made) }
  const data = must(await world.call('POST', '/api/v1/tool/upload/symbols', symbols(uploader)))
  const symbol_uid = (data.symbols[0].uid ?? data.symbols[0].symbol_uid) as string
  return { ...made, values: { ...made.values, build_id, symbol_uid } }
}

const symbolAnswers: Record<string, Producer> = {
  'post_tool_upload_symbols 201': async (world) => symbols(await uploaders.tool(world)),
  'post_tool_upload_symbols 403': unverified((uploader) => symbols(uploader)),
  'post_tool_upload_symbols 404': async (world) =>
    symbols({ ...(await uploaders.tool(world)), build_id: randomUUID() }),
  'post_tool_upload_symbols 413': async (world) => {
    const uploader = await uploaders.tool(world)
    Object.assign(world.core.storage, { put: () => Promise.reject(new ObjectTooLarge(1)) })
    return symbols(uploader)
  },
  'post_tool_upload_symbols 422': async (world) =>
    symbols(await uploaders.tool(world), { text: 'no symbols' }),
  'post_tool_upload_symbols 429': async (world) => {
    const uploader = await uploaders.tool(world)
    exhaust(world, 'symbols', uploader.game_uid)
    return symbols(uploader)
  },
  'post_tool_upload_symbols 502': async (world) => {
    const uploader = await uploaders.tool(world)
    Object.assign(world.core.storage, { put: () => Promise.reject(new Error('broken')) })
    return symbols(uploader)
  },
  'delete_private_games_uid_builds_build_id_symbols 200': withSymbols,
  'delete_private_games_uid_builds_build_id_symbols_symbol_uid 200': withSymbols,
}

/** A new listing with two builds on stable. */
async function released(world: World) {
  const made = await world.built()
  await world.a.cleanBuild(made.listing, { version: '9.0' })
  return { ...made, values: { ...made.values, channel: 'stable' } }
}

const withdrawal = { reason: 'It deletes saved games' }

/** A new listing whose only build is withdrawn. */
async function withdrawn(world: World) {
  const made = await world.built()
  const path = `${GAMES}/${made.listing.uid}/builds/${made.build_id}/withdrawal`
  must(await world.put(path, withdrawal, made))
  return made
}

/** A build of a new listing, and its deploy key. */
async function toolBuild(world: World): Promise<Request> {
  const made = await world.built()
  return { ...(await world.deployed(made)), values: { build_id: made.build_id } }
}

/** A file of a withdrawn build, and who could download it. */
async function withdrawnFile(world: World) {
  const made = await withdrawn(world)
  const [file] = await world.sql`select uid from files where build_uid = ${made.build_id}`
  return { token: made.token, values: { file_uid: file!.uid as string } }
}

const link = async ({ get, owner, values }: World) => {
  const { url } = must(await get(`/api/v1/private/downloads/${values.file_uid}`, owner))
  const { pathname, search } = new URL(url)
  return { pathname, search }
}

const registration = { version: '1.0', os: 'linux', arch: 'x86_64' }

const buildRouteAnswers: Record<string, Producer> = {
  'post_private_games_uid_builds 200': async (world) => ({
    ...(await world.fresh()),
    body: registration,
  }),
  'post_tool_upload_build 200': async (world) => ({
    ...(await world.deployed(await world.fresh())),
    body: registration,
  }),
  'delete_private_games_uid_builds_build_id 200': (world) => world.built(),
  'delete_private_games_uid_builds_build_id 422': (world) => world.built({ is_public: true }),
  'put_private_games_uid_channels_channel 200': async (world) => {
    const made = await world.built()
    return {
      ...made,
      values: { ...made.values, channel: 'beta' },
      body: { build_id: made.build_id },
    }
  },
  'put_private_games_uid_channels_channel 422': async (world) => ({
    ...(await world.fresh()),
    body: { build_id: randomUUID(), expires_in_hours: -1 },
  }),
  'put_private_games_uid_channels_channel 410': async (world) => {
    const made = await withdrawn(world)
    return {
      ...made,
      values: { ...made.values, channel: 'beta' },
      body: { build_id: made.build_id },
    }
  },
  'put_private_games_uid_builds_build_id_withdrawal 200': async (world) => ({
    ...(await world.built({ is_public: true })),
    body: withdrawal,
  }),
  'delete_private_games_uid_builds_build_id_withdrawal 200': withdrawn,
  'put_tool_builds_build_id_withdrawal 200': async (world) => ({
    ...(await toolBuild(world)),
    body: withdrawal,
  }),
  'put_tool_builds_build_id_withdrawal 404': async (world) => ({
    ...(await toolBuild(world)),
    values: { build_id: randomUUID() },
    body: withdrawal,
  }),
  'delete_tool_builds_build_id_withdrawal 200': toolBuild,
  'post_private_games_uid_channels_channel_rollback 200': released,
  'post_private_games_uid_channels_channel_rollback 409': (world) => world.fresh(),
  'post_private_games_uid_channels_channel_rollback 422': async (world) => {
    const made = await world.fresh()
    return { ...made, values: { ...made.values, channel: 'Not a channel!' } }
  },
  'post_private_games_uid_deploy_keys 201': (world) => world.fresh(),
  'delete_private_games_uid_deploy_keys 200': async (world) => {
    const made = await world.fresh()
    await world.deployed(made)
    return made
  },
  'get_files_file_uid_filename 200': async (world) => {
    const { pathname, search } = await link(world)
    return { path: `${pathname}${search}` }
  },
  'get_files_file_uid_filename 403': async (world) => {
    const [file] = await world.sql`
      select uid, uid as object_uid, game_uid, filename, checksum
      from files
      where uid = ${world.values.file_uid!}`
    const { pathname, search } = new URL(
      (await signLink(world.core, file as never, new Date(0))).url,
    )
    return { path: `${pathname}${search}` }
  },
  'get_files_file_uid_filename 410': async (world) => {
    const made = await world.built()
    const [file] = await world.sql`select uid from files where build_uid = ${made.build_id}`
    const { url } = must(await world.get(`/api/v1/private/downloads/${file!.uid}`, made))
    const path = `${GAMES}/${made.listing.uid}/builds/${made.build_id}/withdrawal`
    must(await world.put(path, withdrawal, made))
    const { pathname, search } = new URL(url)
    return { path: `${pathname}${search}` }
  },
  'get_files_file_uid_filename 416': async (world) => {
    const { pathname, search } = await link(world)
    return { path: `${pathname}${search}`, headers: { range: 'bytes=9999999-' } }
  },
}

/** A listing that only a bought edition gives access to, and a player who has none. */
async function priced(world: World, kind = 'standard') {
  const { listing, values } = await world.fresh()
  const body = { slug: 'one', name: 'One', kind, price_cents: 500 }
  must(await world.post(`${GAMES}/${listing.uid}/editions`, body, listing.owner))
  await world.sql`
    update listings set visibility = 'public', published_at = now() where uid = ${listing.uid}`
  return { token: (await world.a.verified()).token, values }
}

const tagged = { tags: ['cozy'] }
const review = { enjoyed: true, quality: 5 }

async function reviewed(world: World) {
  const made = await world.played()
  const { uid } = must(await world.put(`${GAMES}/${made.listing.uid}/review`, review, made))
  return { ...made, review_uid: uid as string }
}

const replied = (body: object): Producer =>
  async function reply(world) {
    const { seller, values, review_uid } = await reviewed(world)
    return { token: seller.token, values: { ...values, review_uid }, body }
  }

const playing =
  (body?: unknown): Producer =>
  async (world) => ({ ...(await world.played()), ...(body !== undefined && { body }) })

const libraryAnswers: Record<string, Producer> = {
  'post_private_games_uid_library 200': playing(),
  'post_private_games_uid_library 201': async (world) => {
    const { values } = await world.fresh({ is_public: true })
    return { token: (await world.a.verified()).token, values }
  },
  'post_private_games_uid_library 402': (world) => priced(world),
  'post_private_games_uid_licences 200': async (world) => {
    const made = await world.fresh()
    await addCopy(world.sql, made.listing.uid, world.owner.uid, 'grant')
    return { ...made, body: { username: world.owner.username } }
  },
  'post_private_games_uid_licences 201': async (world) => ({
    ...(await world.fresh()),
    body: { username: world.owner.username },
  }),
  'post_private_games_uid_licences 429': async (world) => {
    const { owner, ...made } = await world.fresh()
    await world.sql`
      insert into gift_counts (user_uid, day, gifts)
      values (${owner.uid}, (now() at time zone 'utc')::date, 200)
      on conflict (user_uid) do update set gifts = 200`
    return { ...made, body: { username: world.owner.username } }
  },
  'post_private_games_uid_play_time 200': playing({ seconds: 60 }),
  'post_private_games_uid_player_token 200': playing(),
  'put_private_games_uid_tag_suggestions 200': playing(tagged),
  'put_private_games_uid_tag_suggestions 422': playing({ tags: ['Not a tag!'] }),
  'patch_private_games_uid_tag_suggestions 200': playing({ tag: 'cozy' }),
  'patch_private_games_uid_tag_suggestions 422': playing({ tag: 'Not a tag!' }),
  'put_private_games_uid_community_tags_tag 200': async (world) => {
    const { seller, listing, values, ...made } = await world.played()
    must(await world.put(`${GAMES}/${listing.uid}/tag-suggestions`, tagged, made))
    return { token: seller.token, values: { ...values, tag: 'cozy' }, body: { hidden: true } }
  },
  'put_private_games_uid_review 200': playing(review),
  'put_private_games_uid_review 422': playing({ ...review, quality: 6 }),
  'delete_private_games_uid_review 200': reviewed,
  'put_private_games_uid_reviews_review_uid_reply 200': replied({ text: 'Thanks' }),
  'put_private_games_uid_reviews_review_uid_reply 422': replied({ text: 5 }),
  'put_private_games_uid_channel 200': playing({ channel: 'beta' }),
  'put_private_games_uid_channel 402': async (world) => ({
    ...(await priced(world, 'beta_access')),
    body: { channel: 'beta' },
  }),
  'get_private_downloads_file_uid 402': async (world) => {
    await world.sql`update listings set price_cents = 500 where uid = ${world.listing.uid}`
    return { token: (await world.a.verified()).token }
  },
  'get_private_downloads_file_uid 409': async (world) => {
    await world.sql`update files set scan = 'scanning' where uid = ${world.values.file_uid!}`
    return { token: world.owner.token }
  },
  'get_private_downloads_file_uid 410': withdrawnFile,
  'get_private_downloads_file_uid 503': ({ core, owner }) => {
    Object.assign(core.storage, { link: () => Promise.reject(new Error('no signature')) })
    return { token: owner.token }
  },
}

export const buildAnswers: Record<string, Producer> = {
  ...renamed(
    fileAnswers('tool', 'post_tool_upload_files'),
    'upload_files_sessions',
    'upload_sessions',
  ),
  ...fileAnswers('website', 'post_private_games_uid_files'),
  'post_tool_upload_files 403': unverified((uploader) => sent(uploader)),
  'post_tool_upload_sessions 403': unverified((uploader) => session(uploader)),
  ...symbolAnswers,
  ...buildRouteAnswers,
  ...libraryAnswers,
}
