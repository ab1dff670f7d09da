import { createHash, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { imageKey } from '../../src/listings/media/url.ts'
import { type Call, startApp } from '../support/app.ts'
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

type Made = {
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
  async function publish({ engine_version = '3.2', ranges, fields = {}, ...asked }: Made = {}) {
    owner ??= await app.a.verifiedDeveloper()
    const name = asked.name ?? `Kit ${++made}`
    const listing = await app.a.listing({
      owner: asked.owner ?? owner,
      name,
      asset_type: asked.asset_type ?? 'plugin',
    })
    if (ranges)
      must(
        await app.put(
          `/api/v1/private/games/${listing.uid}/engine-compat`,
          { ranges },
          { token: listing.owner.token },
        ),
      )
    const bytes = asked.bytes ?? addon(`kit_${made}`)
    const build = await release(listing, { bytes, version: asked.version ?? '1.0', engine_version })
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
    const bytes = await picture(1280, 720, { format })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await app.core.storage.put(imageKey(sha256), bytes)
    const row = {
      uid: randomUUID(),
      game_uid,
      slot,
      position,
      sha256,
      type: `image/${format}`,
      width: 1280,
      height: 720,
      size: bytes.length,
    }
    await app.sql`insert into listing_images ${app.sql(row)}`
    return sha256
  }

  const editor = (version: string, system = 'X11', more: Call = {}): Call => ({
    ...more,
    headers: { 'user-agent': `GodotEngine/${version} (${system})`, ...more.headers },
  })
  return { ...app, publish, release, show, editor }
}
