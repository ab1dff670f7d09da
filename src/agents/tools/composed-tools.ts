import { Type } from 'typebox'
import { symbolLimits } from '../../builds/limits.ts'
import type { CallResult } from '../../core/http/call.ts'
import { Nullable } from '../../core/http/route.ts'
import { type LaunchBand, UNRATED } from '../../listings/fields/launch-bands.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { bands } from '../../telemetry/health/bands.ts'
import type { Arguments, CallApi, Tool } from './tool.ts'

const G = '/api/v1/private/games/:uid'
const NEWEST = 50
const Text = Type.String()
const count = Type.Integer()

type Composed = Pick<Tool, 'run' | 'output'>
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
type Any = any

/** Goes on with what a call answered; a refusal is the tool's own. */
async function then(
  called: Promise<CallResult>,
  next: (data: Any) => unknown,
): Promise<CallResult> {
  const answer = await called
  if (!answer.ok) return answer
  const made = await next(answer.data)
  return made && typeof made === 'object' && 'ok' in made
    ? (made as CallResult)
    : { ...answer, data: made }
}

const newestBuilds = (call: CallApi, { uid }: Arguments) =>
  call(`GET ${G}/builds`, { uid, page_size: NEWEST })
const named = ({ build_id, app, version, os, arch, channel }: Any) => ({
  build_id,
  app,
  version,
  os,
  arch,
  channel,
})
const BuildName = { build_id: Text, app: Text, version: Text, os: Text, arch: Text, channel: Text }

export const scanStatus: Composed = {
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        ...BuildName,
        file_uid: Text,
        filename: Text,
        scan: Text,
        findings: Type.Optional(Text),
        uploaded_at: Text,
      }),
    ),
  }),
  run: (call, args) =>
    then(newestBuilds(call, args), ({ builds }) => ({
      files: builds.flatMap((build: Any) =>
        build.files.map(({ file_uid, filename, scan, findings, uploaded_at }: Any) => ({
          ...named(build),
          ...{ file_uid, filename, scan, uploaded_at },
          ...(findings ? { findings } : {}),
        })),
      ),
    })),
}

const HealthData = {
  band: Text,
  devices: count,
  boot_ok: count,
  crash_on_boot: count,
  median_session_seconds: Nullable(count),
}

export const healthOfBuilds: Composed = {
  output: Type.Object({
    builds: Type.Array(
      Type.Object({ build_id: Text, version: Type.Optional(Text), ...HealthData }),
    ),
  }),
  run(call, { uid, build_id }) {
    const shown = ({ band, devices, boot_ok, crash_on_boot, median_session_seconds }: Any) => ({
      ...{ band, devices, boot_ok, crash_on_boot, median_session_seconds },
    })
    if (build_id)
      return then(call(`GET ${G}/builds/:build_id/health`, { uid, build_id }), (health) => ({
        builds: [{ build_id, ...shown(health) }],
      }))
    return then(newestBuilds(call, { uid }), ({ builds }) => ({
      builds: builds.map((build: Any) => ({
        build_id: build.build_id,
        version: build.version,
        ...shown(build.health),
      })),
    }))
  },
}

const link = ({ uid, vanity_name, name }: Any) => ({ uid, vanity_name, name })

export const dependents: Composed = {
  output: Type.Object({
    used_by: Type.Array(Type.Object({ uid: Text, vanity_name: Text, name: Text, kind: Text })),
  }),
  run: (call, args) =>
    then(call(`GET ${G}`, args), ({ relations }) => ({
      used_by: relations.used_by.map(({ kind, ...game }: Any) => ({ ...link(game), kind })),
    })),
}

/** Without a uid all of them go; with one, that one. */
export const deleteSymbols: Composed['run'] = (call, args) =>
  call(
    args.symbol_uid === undefined
      ? `DELETE ${G}/builds/:build_id/symbols`
      : `DELETE ${G}/builds/:build_id/symbols/:symbol_uid`,
    args,
  )

export const symbolsInfo: Composed = {
  output: Type.Object({
    build_id: Text,
    upload_url: Text,
    headers: Type.Array(Text),
    form: Type.Record(Text, Text),
    limits: Type.Record(Text, count),
    command: Text,
    uploaded: count,
  }),
  run: (call, args, { upload_url }) =>
    then(call(`GET ${G}/builds/:build_id/symbols`, args), ({ symbols }) => ({
      build_id: args.build_id,
      upload_url: `${upload_url}/api/v1/tool/upload/symbols`,
      headers: ['X-Access-Token', 'X-Secret-Key'],
      form: {
        build_id: String(args.build_id),
        file: 'A Breakpad .sym file that begins with a MODULE line, or a .zip of them',
      },
      limits: symbolLimits,
      command: `slipway symbols ./symbols --build-id ${args.build_id}`,
      uploaded: symbols.length,
    })),
}

/** One edition, new or known by its uid. */
export const upsertEdition: Composed['run'] = (call, { sku_uid, ...args }) =>
  sku_uid === undefined
    ? call(`POST ${G}/editions`, args)
    : call(`PATCH ${G}/editions/:edition_uid`, { ...args, edition_uid: sku_uid })

/** Told by what is to be seen, as a person would say it. */
export const hideTag: Composed['run'] = (call, { show = false, ...args }) =>
  call(`PUT ${G}/community-tags/:tag`, { ...args, hidden: !show })

export const setup: Composed = {
  output: Type.Object({
    ready: Type.Boolean(),
    steps: Type.Array(Type.Object({ id: Text, done: Type.Boolean(), what: Text })),
  }),
  run: (call) =>
    then(call('GET /api/v1/private/token', {}), ({ user }) =>
      then(call('GET /api/v1/private/games', {}), ({ items }) => {
        const steps = [
          {
            id: 'email_verified',
            done: user.email_verified,
            what: 'Prove the mail address: request_email_code, then verify_email',
          },
          {
            id: 'developer',
            done: user.developer,
            what: 'Turn developer mode on, in the settings of the website',
          },
          { id: 'listing', done: items.length > 0, what: 'Make a listing: create_game' },
          {
            id: 'public',
            done: items.some((one: Any) => one.visibility === 'public'),
            what: 'Publish one: validate_listing, then update_game',
          },
        ]
        return { ready: steps.every(({ done }) => done), steps }
      }),
    ),
}

/** Written, or with `delete` taken back; what is missing of a review is for the route to say. */
export const writeReview: Composed = {
  output: (answer) => ({
    ...answer,
    required: [],
    properties: { ...answer.properties, deleted: { type: 'boolean' } },
  }),
  run: (call, { delete: away, ...args }) =>
    away
      ? then(call(`DELETE ${G}/review`, { uid: args.uid }), () => ({ deleted: true }))
      : call(`PUT ${G}/review`, args),
}

const P = '/api/v1/public/games/:game_id'
const FILES = 'GET /api/v1/public/user/:user_id/games/:game_id/files'
const LINK = 'GET /api/v1/private/downloads/:file_uid'

/** The newest clean file that fits what was asked for, of the game before its other programs, with a link to it. */
export const installBuild: Composed = {
  output: Type.Object({
    file: Type.Object({
      file_uid: Text,
      ...BuildName,
      filename: Text,
      size: count,
      checksum: Text,
    }),
    url: Text,
    expires_at: Text,
    page_url: Text,
  }),
  run: (call, { uid, ...asked }, addresses) =>
    then(call(`GET ${P}`, { game_id: uid }), ({ developer, vanity_name }) =>
      // The page shows everybody the same; this knows who is on the beta.
      then(call(FILES, { user_id: developer.uid, game_id: uid }), ({ files }) => {
        const wanted = asked.channel || asked.build_id ? asked : { ...asked, channel: 'stable' }
        const fits = (file: Any) =>
          file.scan === 'clean' &&
          Object.entries(wanted).every(([name, value]) => file[name] === value)
        const fitting = files.filter(fits)
        const file = fitting.find(({ app }: Any) => app === '') ?? fitting[0]
        if (!file) return noSuchFile(files)
        const { uid: file_uid, filename, size, checksum } = file
        return then(call(LINK, { file_uid }), ({ url, expires_at }) => ({
          file: { file_uid, ...named(file), filename, size, checksum },
          ...{ url, expires_at },
          page_url: pageUrl(addresses, { owner_username: developer.username, vanity_name }),
        }))
      }),
    ),
}

function noSuchFile(files: Any[]): CallResult {
  const offered = files.map(({ os, arch, channel }) => `${os} ${arch} (${channel})`).join(', ')
  const message = files.length
    ? `No file fits; there are: ${offered}`
    : 'There is nothing to download'
  return { ok: false, status: 404, code: 4040, message, details: {} }
}

const MOST_FILES = 10

/** What is known, and what to be careful about; never that something is safe. */
export const trust: Composed = {
  output: Type.Object({
    game: Type.Object({ uid: Text, name: Text, developer: Text, published_at: Nullable(Text) }),
    launch_health: Text,
    files: Type.Array(
      Type.Object({
        ...{
          file_uid: Text,
          filename: Text,
          version: Text,
          os: Text,
          arch: Text,
          checksum: Text,
          uploaded_at: Text,
          method: Text,
          scan: Text,
        },
        scan_history: Type.Array(Type.Object({ state: Text, engine: Text, at: Text })),
      }),
    ),
    reviews: Type.Object({ count, enjoyed: count }),
    cautions: Type.Array(Text),
  }),
  run: (call, { uid }) =>
    then(call(`GET ${P}`, { game_id: uid }), async (game) => {
      const reviews = await call(`GET ${P}/reviews`, { game_id: uid, page_size: 1 })
      if (!reviews.ok) return reviews
      const asked = game.files
        .slice(0, MOST_FILES)
        .map((file: Any) =>
          call(`GET ${P}/files/:file_uid/provenance`, { game_id: uid, file_uid: file.uid }),
        )
      const files = (await Promise.all<CallResult>(asked))
        .flatMap((one) => (one.ok ? [one.data] : []))
        .map(provenance)
      const { count, enjoyed } = reviews.data.summary
      const facts = { files, count, band: game.health as LaunchBand }
      return {
        game: {
          uid: game.uid,
          name: game.name,
          developer: game.developer.username,
          published_at: game.published_at,
        },
        launch_health: facts.band,
        files,
        reviews: { count, enjoyed },
        cautions: cautions(facts),
      }
    }),
}

const provenance = ({
  file_uid,
  filename,
  version,
  os,
  arch,
  checksum,
  uploaded_at,
  method,
  scan,
  scan_history,
}: Any) => ({
  ...{ file_uid, filename, version, os, arch, checksum, uploaded_at, method, scan },
  scan_history: scan_history.map(({ state, engine, at }: Any) => ({ state, engine, at })),
})

function cautions({
  files,
  count,
  band,
}: {
  files: Any[]
  count: number
  band: LaunchBand
}): string[] {
  const { tone } = bands[band]
  return [
    'A clean scan means that known threats were not found. It is no promise.',
    ...(files.length ? [] : ['There is no file to look at.']),
    ...(files.some(({ scan }) => scan !== 'clean') ? ['Not every file has passed its scan.'] : []),
    ...(count ? [] : ['Nobody has reviewed it yet.']),
    ...(tone === 'bad' || tone === 'warn'
      ? [`Its launch health is ${band}: it crashes for some.`]
      : []),
    ...(band === UNRATED ? ['Too few devices have launched it to say how well it starts.'] : []),
  ]
}
