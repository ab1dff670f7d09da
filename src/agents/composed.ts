import { Type } from 'typebox'
import type { Called } from '../core/call.ts'
import { Nullable } from '../core/route.ts'
import type { Arguments, CallApi, Tool } from './tools.ts'

const G = '/api/v1/private/games/:uid'
const NEWEST = 50
const Text = Type.String()
const count = Type.Integer()

type Composed = Required<Pick<Tool, 'run' | 'output'>>
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
type Any = any

/** Goes on with what a call answered; a refusal is the tool's own. */
async function then(called: Promise<Called>, next: (data: Any) => unknown): Promise<Called> {
  const answer = await called
  if (!answer.ok) return answer
  const made = await next(answer.data)
  return made && typeof made === 'object' && 'ok' in made ? (made as Called) : { ...answer, data: made }
}

const newestBuilds = (call: CallApi, { uid }: Arguments) => call(`GET ${G}/builds`, { uid, page_size: NEWEST })
const named = ({ build_id, app, version, os, arch, channel }: Any) => ({ build_id, app, version, os, arch, channel })
const BuildName = { build_id: Text, app: Text, version: Text, os: Text, arch: Text, channel: Text }

export const scanStatus: Composed = {
  output: Type.Object({
    files: Type.Array(
      Type.Object({ ...BuildName, file_uid: Text, filename: Text, scan: Text, findings: Type.Optional(Text), uploaded_at: Text }),
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

const HealthData = { band: Text, devices: count, boot_ok: count, crash_on_boot: count, median_session_seconds: Nullable(count) }

export const healthOfBuilds: Composed = {
  output: Type.Object({ builds: Type.Array(Type.Object({ build_id: Text, version: Type.Optional(Text), ...HealthData })) }),
  run(call, { uid, build_id }) {
    const shown = ({ band, devices, boot_ok, crash_on_boot, median_session_seconds }: Any) => ({
      ...{ band, devices, boot_ok, crash_on_boot, median_session_seconds },
    })
    if (build_id)
      return then(call(`GET ${G}/builds/:build_id/health`, { uid, build_id }), (health) => ({ builds: [{ build_id, ...shown(health) }] }))
    return then(newestBuilds(call, { uid }), ({ builds }) => ({
      builds: builds.map((build: Any) => ({ build_id: build.build_id, version: build.version, ...shown(build.health) })),
    }))
  },
}

const link = ({ uid, vanity_name, name }: Any) => ({ uid, vanity_name, name })

export const dependents: Composed = {
  output: Type.Object({ used_by: Type.Array(Type.Object({ uid: Text, vanity_name: Text, name: Text, kind: Text })) }),
  run: (call, args) =>
    then(call(`GET ${G}`, args), ({ relations }) => ({
      used_by: relations.used_by.map(({ kind, ...game }: Any) => ({ ...link(game), kind })),
    })),
}

const P = '/api/v1/public/games/:game_id'
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
        .map((file: Any) => call(`GET ${P}/files/:file_uid/provenance`, { game_id: uid, file_uid: file.uid }))
      const files = (await Promise.all<Called>(asked)).flatMap((one) => (one.ok ? [one.data] : [])).map(provenance)
      const { count, enjoyed } = reviews.data.summary
      const facts = { files, count, band: game.health as string }
      return {
        game: { uid: game.uid, name: game.name, developer: game.developer.username, published_at: game.published_at },
        launch_health: facts.band,
        files,
        reviews: { count, enjoyed },
        cautions: cautions(facts),
      }
    }),
}

const provenance = ({ file_uid, filename, version, os, arch, checksum, uploaded_at, method, scan, scan_history }: Any) => ({
  ...{ file_uid, filename, version, os, arch, checksum, uploaded_at, method, scan },
  scan_history: scan_history.map(({ state, engine, at }: Any) => ({ state, engine, at })),
})

function cautions({ files, count, band }: { files: Any[]; count: number; band: string }): string[] {
  return [
    'A clean scan means that known threats were not found. It is no promise.',
    ...(files.length ? [] : ['There is no file to look at.']),
    ...(files.some(({ scan }) => scan !== 'clean') ? ['Not every file has passed its scan.'] : []),
    ...(count ? [] : ['Nobody has reviewed it yet.']),
    ...(band === 'problematic' || band === 'mixed' ? [`Its launch health is ${band}: it crashes for some.`] : []),
    ...(band === 'unrated' ? ['Too few devices have launched it to say how well it starts.'] : []),
  ]
}
