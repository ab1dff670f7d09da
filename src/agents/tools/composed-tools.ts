import { Type } from 'typebox'
import { listOwnBuilds } from '../../builds/builds/routes.ts'
import { provenanceRoute } from '../../builds/files/routes.ts'
import { deleteAllSymbols, deleteOneSymbol, listSymbolsRoute } from '../../builds/symbols/routes.ts'
import { symbolLimits } from '../../builds/upload-limits.ts'
import type { CallResult } from '../../core/http/call.ts'
import { Nullable, type RouteData } from '../../core/http/route.ts'
import { deleteReviewRoute, readReviewsRoute, writeReview } from '../../library/review-routes.ts'
import { hideCommunityTag } from '../../library/tag-routes.ts'
import { addEdition, changeEdition } from '../../listings/editions/routes.ts'
import { type LaunchBand, UNRATED } from '../../listings/fields/launch-bands.ts'
import { listListings, readMyListing } from '../../listings/listing/routes.ts'
import { readPublicListing } from '../../listings/page/routes.ts'
import { bands } from '../../telemetry/health/bands.ts'
import { uploadSymbols } from '../../uploads/symbols/routes.ts'
import { readToken } from '../account-routes.ts'
import type { Arguments, CallApi, Tool } from './tool.ts'

const NEWEST_BUILDS = 50
const MAX_FILES = 10
const Text = Type.String()
const count = Type.Integer()

/** What a tool adds to its routes; `calls` of a tool lists every route that `run` may call. */
export type Composed = Pick<Tool, 'calls' | 'run' | 'output'> &
  Pick<Partial<Tool>, 'input' | 'accepts'>
export type Build = RouteData<typeof listOwnBuilds>['builds'][number]
type Provenance = RouteData<typeof provenanceRoute>

const succeed = (data: unknown): CallResult => ({ ok: true, status: 200, data, cookies: [] })

/** Makes the data of the tool from that of a route. A refusal is passed on. */
export async function mapData<Data>(
  result: Promise<CallResult<Data>>,
  convert: (data: Data) => unknown,
): Promise<CallResult> {
  const answer = await result
  return answer.ok ? { ...answer, data: convert(answer.data) } : answer
}

export const newestBuilds = (call: CallApi, { uid }: Arguments) =>
  call(listOwnBuilds, { uid, page_size: NEWEST_BUILDS })

type BuildName = Pick<Build, 'build_id' | 'app' | 'version' | 'os' | 'arch' | 'channel'>
export const buildName = ({ build_id, app, version, os, arch, channel }: BuildName) => ({
  build_id,
  app,
  version,
  os,
  arch,
  channel,
})
export const BuildNameData = {
  build_id: Text,
  app: Text,
  version: Text,
  os: Text,
  arch: Text,
  channel: Text,
}

const scannedFiles = (build: Build) =>
  build.files.map(({ file_uid, filename, scan, findings, uploaded_at }) => ({
    ...buildName(build),
    file_uid,
    filename,
    scan,
    uploaded_at,
    ...(findings ? { findings } : {}),
  }))

export const scanStatus: Composed = {
  calls: [listOwnBuilds],
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        ...BuildNameData,
        file_uid: Text,
        filename: Text,
        scan: Text,
        findings: Type.Optional(Text),
        uploaded_at: Text,
      }),
    ),
  }),
  run: (call, args) =>
    mapData(newestBuilds(call, args), ({ builds }) => ({ files: builds.flatMap(scannedFiles) })),
}

export const dependents: Composed = {
  calls: [readMyListing],
  output: Type.Object({
    used_by: Type.Array(Type.Object({ uid: Text, vanity_name: Text, name: Text, kind: Text })),
  }),
  run: (call, args) =>
    mapData(call(readMyListing, args), ({ relations }) => ({
      used_by: relations.used_by.map(({ uid, vanity_name, name, kind }) => ({
        uid,
        vanity_name,
        name,
        kind,
      })),
    })),
}

/** Deletes one symbol file if its uid is given, otherwise all of the build. */
export const deleteSymbols: Composed = {
  calls: [deleteAllSymbols, deleteOneSymbol],
  run: (call, args) =>
    args.symbol_uid === undefined ? call(deleteAllSymbols, args) : call(deleteOneSymbol, args),
}

export const symbolsInfo: Composed = {
  calls: [listSymbolsRoute],
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
    mapData(call(listSymbolsRoute, args), ({ symbols }) => ({
      build_id: args.build_id,
      upload_url: `${upload_url}${uploadSymbols.url}`,
      headers: ['X-Access-Token', 'X-Secret-Key'],
      form: {
        build_id: String(args.build_id),
        checksum: 'The SHA-256 of the file, as 64 hex characters',
        file: 'A Breakpad .sym file that begins with a MODULE line, or a .zip of them',
      },
      limits: symbolLimits,
      command: `slipway symbols ./symbols --build-id ${args.build_id}`,
      uploaded: symbols.length,
    })),
}

/** Changes the edition that sku_uid names, or adds one. */
export const upsertEdition: Composed = {
  calls: [addEdition, changeEdition],
  run: (call, { sku_uid, ...args }) =>
    sku_uid === undefined
      ? call(addEdition, args)
      : call(changeEdition, { ...args, edition_uid: sku_uid }),
}

export const hideTag: Composed = {
  calls: [hideCommunityTag],
  run: (call, { show = false, ...args }) => call(hideCommunityTag, { ...args, hidden: !show }),
}

export const setup: Composed = {
  calls: [readToken, listListings],
  output: Type.Object({
    ready: Type.Boolean(),
    steps: Type.Array(Type.Object({ id: Text, done: Type.Boolean(), what: Text })),
  }),
  async run(call) {
    const token = await call(readToken, {})
    if (!token.ok) return token
    const { user } = token.data
    return mapData(call(listListings, {}), ({ items }) => {
      const steps = [
        {
          id: 'email_verified',
          done: user.email_verified,
          what: 'Verify the email address: request_email_code, then verify_email',
        },
        {
          id: 'developer',
          done: user.developer,
          what: 'Turn on developer mode in the settings of the website',
        },
        { id: 'listing', done: items.length > 0, what: 'Create a listing: create_game' },
        {
          id: 'public',
          done: items.some(({ visibility }) => visibility === 'public'),
          what: 'Publish a listing: validate_listing, then update_game',
        },
      ]
      return { ready: steps.every(({ done }) => done), steps }
    })
  },
}

/** Writes a review, or deletes it. */
export const saveReview: Composed = {
  calls: [writeReview, deleteReviewRoute],
  output: (answer) => ({
    ...answer,
    required: [],
    properties: { ...answer.properties, deleted: { type: 'boolean' } },
  }),
  run: (call, { delete: is_deleted, ...args }) =>
    is_deleted
      ? mapData(call(deleteReviewRoute, { uid: args.uid }), () => ({ deleted: true }))
      : call(writeReview, args),
}

/** The known facts about a download and what to be careful about. It never says "safe". */
export const trust: Composed = {
  calls: [readPublicListing, readReviewsRoute, provenanceRoute],
  output: Type.Object({
    game: Type.Object({ uid: Text, name: Text, developer: Text, published_at: Nullable(Text) }),
    launch_health: Text,
    files: Type.Array(
      Type.Object({
        file_uid: Text,
        filename: Text,
        version: Text,
        os: Text,
        arch: Text,
        checksum: Text,
        uploaded_at: Text,
        method: Text,
        scan: Text,
        scan_history: Type.Array(Type.Object({ state: Text, engine: Text, at: Text })),
      }),
    ),
    reviews: Type.Object({ count, enjoyed: count }),
    cautions: Type.Array(Text),
  }),
  async run(call, { uid }) {
    const page = await call(readPublicListing, { game_id: uid })
    if (!page.ok) return page
    const reviews = await call(readReviewsRoute, { game_id: uid, page_size: 1 })
    if (!reviews.ok) return reviews
    const game = page.data
    const answers = await Promise.all(
      game.files
        .slice(0, MAX_FILES)
        .map((file) => call(provenanceRoute, { game_id: uid, file_uid: file.uid })),
    )
    const files = answers.flatMap((answer) => (answer.ok ? [provenanceOf(answer.data)] : []))
    const { count: review_count, enjoyed } = reviews.data.summary
    return succeed({
      game: {
        uid: game.uid,
        name: game.name,
        developer: game.developer.username,
        published_at: game.published_at,
      },
      launch_health: game.health,
      files,
      reviews: { count: review_count, enjoyed },
      cautions: cautionsOf({ files, review_count, band: game.health }),
    })
  },
}

const provenanceOf = (file: Provenance) => ({
  file_uid: file.file_uid,
  filename: file.filename,
  version: file.version,
  os: file.os,
  arch: file.arch,
  checksum: file.checksum,
  uploaded_at: file.uploaded_at,
  method: file.method,
  scan: file.scan,
  scan_history: file.scan_history.map(({ state, engine, at }) => ({ state, engine, at })),
})

type TrustFacts = { files: { scan: string }[]; review_count: number; band: LaunchBand }

function cautionsOf({ files, review_count, band }: TrustFacts): string[] {
  const { tone } = bands[band]
  const cautions = ['A clean scan means that no known threats were found. It is not a guarantee.']
  if (!files.length) cautions.push('There is no file to check.')
  if (files.some(({ scan }) => scan !== 'clean'))
    cautions.push('Not every file has passed its scan.')
  if (!review_count) cautions.push('There are no reviews yet.')
  if (tone === 'bad' || tone === 'warn')
    cautions.push(`Launch health is ${band}: it crashes on some devices.`)
  if (band === UNRATED) cautions.push('Too few devices have started it to rate its launch health.')
  return cautions
}
