import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { addImages } from '../press/fixtures.ts'
import { type Answer, type Call, eventually, startApp } from '../support/app.ts'
import { must, type Person } from '../support/builders.ts'
import { type Format, picture } from '../support/images.ts'
import { zip } from '../uploads/zips.ts'

export const LIBRARY = '/api/v1/public/asset-library'
export const STORE = '/api/v1/public/asset-store'
export type AssetApp = Awaited<ReturnType<typeof startAssetApp>>

/** A zip in the layout editors expect: one outer folder, and an entry for each folder. */
export const addon = (name: string, more: { name: string; body?: string }[] = []) =>
  zip([
    { name: `${name}-1.0/` },
    { name: `${name}-1.0/addons/` },
    { name: `${name}-1.0/addons/${name}/` },
    { name: `${name}-1.0/addons/${name}/plugin.cfg`, body: `[plugin]\nname="${name}"\n` },
    ...more,
  ])
export const template = (name: string) =>
  zip([
    { name: `${name}/` },
    { name: `${name}/project.godot`, body: 'config_version=4\n' },
    { name: `${name}/main.tscn` },
  ])

type PackageFields = {
  owner?: Person
  name?: string
  asset_type?: string
  bytes?: Buffer
  version?: string
  engine_version?: string | null
  /** Columns of the listing, which is public and free to download for everyone by default. */
  fields?: Record<string, unknown>
  ranges?: { engine: string; min_version?: string; max_version?: string }[]
}

export async function startAssetApp(t: TestContext, env = {}) {
  const app = await startApp(t, env)
  let made = 0
  let owner: Person | undefined

  /** Publishes a package like a developer. */
  async function publish(package_fields: PackageFields = {}) {
    owner ??= await app.a.verifiedDeveloper()
    const {
      name = `Kit ${++made}`,
      asset_type = 'plugin',
      bytes = addon(`kit_${made}`),
      version = '1.0',
      engine_version = '3.2',
      fields = {},
      ranges,
    } = package_fields
    const listing = await app.a.listing({ owner: package_fields.owner ?? owner, name, asset_type })
    if (ranges)
      must(
        await app.put(
          `/api/v1/private/games/${listing.uid}/engine-compat`,
          { ranges },
          { token: listing.owner.token },
        ),
      )
    const build = await release(listing, { bytes, version, engine_version })
    const columns = {
      visibility: 'public',
      anonymous_downloads: true,
      published_at: new Date(),
      ...fields,
    } as never
    await app.sql`update listings set ${app.sql(columns)} where uid = ${listing.uid}`
    const [row] = await app.sql`select asset_id from listings where uid = ${listing.uid}`
    return {
      ...listing,
      ...build,
      name,
      bytes,
      asset_id: String(row!.asset_id),
      path: `${LIBRARY}/asset/${row!.asset_id}`,
    }
  }

  const release = (
    listing: Parameters<typeof app.a.cleanBuild>[0],
    { engine_version, ...more }: Record<string, unknown>,
  ) => app.a.cleanBuild(listing, { ...(engine_version ? { engine_version } : {}), ...more })

  /** Adds an image to a listing without the checks of its slot. */
  async function show(
    game_uid: string,
    slot: 'thumbnail' | 'cover' | 'gallery',
    format: Format,
    position = 0,
  ) {
    const [width, height] = [1280, 720]
    const bytes = Buffer.from(await picture(width, height, { format }))
    const image = { slot, position, bytes, type: `image/${format}`, width, height }
    const [sha256] = await addImages(app, game_uid, [image])
    return sha256!
  }

  /** Sets columns of a listing directly. */
  const update = (uid: string, fields: object) =>
    app.sql`update listings set ${app.sql(fields as never)} where uid = ${uid}`

  const editor = (version: string, system = 'X11', more: Call = {}): Call => ({
    ...more,
    headers: { 'user-agent': `GodotEngine/${version} (${system})`, ...more.headers },
  })
  return { ...app, publish, release, show, update, editor }
}

/** The bytes behind a redirect. */
export const follow = async (answer: Answer) =>
  Buffer.from(await (await fetch(answer.headers.location!)).arrayBuffer())

/**
 * Polls until the search index, which is updated asynchronously, lists exactly these names at a
 * path.
 */
export async function eventuallyLists(
  { get }: AssetApp,
  path: string,
  { names, expected, call }: { names: NamesOf; expected: string[]; call: Call },
): Promise<Answer> {
  const matches = async () => {
    const answer = await get(path, call)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return JSON.stringify(names(answer)) === JSON.stringify(expected) && answer
  }
  return eventually(`${path} to list ${expected}`, matches).catch(
    async () => assert.deepEqual(names(await get(path, call)), expected, path) as never,
  )
}
type NamesOf = (answer: Answer) => string[]
