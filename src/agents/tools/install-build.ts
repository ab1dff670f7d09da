import { Type } from 'typebox'
import { DEFAULT_CHANNEL } from '../../builds/builds/fields.ts'
import { bestFile } from '../../builds/files/best-file.ts'
import { publicFiles } from '../../builds/files/routes.ts'
import type { CallResult } from '../../core/http/call.ts'
import { type RouteData, Timestamp, Uid } from '../../core/http/route.ts'
import { errors } from '../../core/runtime/errors.ts'
import { privateDownload } from '../../downloads/routes.ts'
import { readPublicListing } from '../../listings/page/routes.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { type Composed, mapData } from './composed-tools.ts'
import { compatibleArch, os } from './schemas.ts'

type PublicFile = RouteData<typeof publicFiles>['files'][number]
type Filters = { build_id?: string; os?: string; arch?: string; channel?: string }

const Text = Type.String()
const optional = Type.Optional
/** The clean file that a channel points at or that belongs to a build, with a link to it. */
export const installBuild: Composed = {
  calls: [readPublicListing, publicFiles, privateDownload],
  input: {
    uid: Text,
    build_id: optional(
      Type.String({ description: 'A build; its files are taken whatever channel it is on' }),
    ),
    os,
    arch: compatibleArch,
    channel: optional(
      Type.String({ description: 'stable (default), beta if you joined it, or an own channel' }),
    ),
  },
  output: Type.Object({
    file: Type.Object({
      file_uid: Uid,
      build_id: Uid,
      app: Text,
      version: Text,
      os: Text,
      arch: Text,
      platform: Type.String({
        description: 'The system and architecture in words, or "any system"',
      }),
      channel: Text,
      filename: Text,
      size: Type.Integer(),
      checksum: Text,
    }),
    url: Text,
    expires_at: Timestamp,
    page_url: Text,
  }),
  async run(call, { uid, ...filters }, addresses) {
    const page = await call(readPublicListing, { game_id: uid })
    if (!page.ok) return page
    const { developer, vanity_name } = page.data
    // The page shows everyone the same files; this route also reads who joined the beta.
    const answer = await call(publicFiles, { user_id: developer.uid, game_id: uid })
    if (!answer.ok) return answer
    const { files } = answer.data
    const wanted = requestedChannel(filters as Filters)
    const file = bestFile(files, { ...filters, channel: wanted })
    if (!file) return noMatchingFile(files)
    const { uid: file_uid, build_id, app, version, os, arch, filename, size, checksum } = file
    const channel = wanted ?? file.channel
    const build = { build_id, app, version, os, arch, platform: platformName(file), channel }
    return mapData(call(privateDownload, { file_uid }), ({ url, expires_at }) => ({
      file: { file_uid, ...build, filename, size, checksum },
      url,
      expires_at,
      page_url: pageUrl(addresses, { owner_username: developer.username, vanity_name }),
    }))
  },
}

/** Without a build, the file is the one that the channel points at. */
const requestedChannel = ({ channel, build_id }: Filters) =>
  channel ?? (build_id ? undefined : DEFAULT_CHANNEL)

const platformName = ({ os, arch }: PublicFile) =>
  [os || 'any system', arch].filter(Boolean).join(' ')

function noMatchingFile(files: PublicFile[]): CallResult {
  const available = files
    .filter(({ channels, scan }) => scan === 'clean' && channels.length > 0)
    .map((file) => `${platformName(file)} (${file.channels.join(', ')})`)
  const message = available.length
    ? `No file matches. Available: ${[...new Set(available)].join(', ')}`
    : 'This listing has no files to download'
  const [code, status] = errors.NOT_FOUND
  return { ok: false, status, code, message, details: {} }
}
