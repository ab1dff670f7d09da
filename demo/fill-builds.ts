import { zip } from '../test/uploads/zips.ts'
import type { DemoContext } from './fill.ts'
import type { DemoListing } from './fill-pages.ts'
import { formOf, sha256 } from './http.ts'
import { random } from './random.ts'

const arches: Record<string, string> = {
  windows: 'x86_64',
  linux: 'x86_64',
  macos: 'universal',
  web: 'wasm32',
  android: 'arm64',
}
const launchers: Record<string, string> = {
  windows: 'play.exe',
  linux: 'play.x86_64',
  macos: 'play.app/Contents/MacOS/play',
  web: 'index.html',
  android: 'play.apk',
}

/** Registers each build and uploads a real zip, which is scanned. */
export async function uploadBuilds({ http }: DemoContext, listing: DemoListing) {
  const { entry, uid, owner, builds } = listing
  if (!entry.builds.length) return
  const { access_token, secret_key } = await http.post(
    `/api/v1/private/games/${uid}/deploy-keys`,
    undefined,
    owner,
  )
  const headers = { 'x-access-token': access_token, 'x-secret-key': secret_key }
  for (const build of entry.builds)
    for (const os of build.on) {
      const { version, channel = 'stable', engine_version, title = version, health } = build
      const changes = build.changes ?? []
      const body = {
        version,
        os,
        arch: arches[os],
        channel,
        title,
        changelog_items: changes.map((change) => ({ title: change, description: '' })),
        ...(engine_version ? { engine_version } : {}),
      }
      const { build_id } = await http.post('/api/v1/tool/upload/build', body, { headers })
      const bytes = gameZip(entry.slug, version, os, title)
      const form = formOf({ build_id, os, arch: arches[os]!, channel, checksum: sha256(bytes) }, [
        { name: 'file', filename: `${entry.slug}-${os}.zip`, bytes },
      ])
      const { file_uid } = await http.post('/api/v1/tool/upload/files', undefined, {
        headers,
        form,
      })
      builds.push({ build_id, version, os, channel, health, file_uid })
    }
}

/** Small zips that all differ: a launcher, some data and a text. */
function gameZip(slug: string, version: string, os: string, title: string): Uint8Array {
  const dice = random(`${slug} ${version} ${os}`)
  const data = Uint8Array.from({ length: dice.integer(40_000, 220_000) }, () =>
    dice.integer(0, 255),
  )
  return zip([
    {
      name: launchers[os]!,
      body:
        os === 'web'
          ? `<!doctype html><title>${slug}</title><p>${title}</p>`
          : `${slug} ${version}`,
    },
    { name: 'data/', body: '' },
    { name: 'data/world.pck', body: data },
    { name: 'README.txt', body: `${slug} ${version}: ${title}\n` },
  ])
}
