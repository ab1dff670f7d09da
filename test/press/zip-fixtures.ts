import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { fromBuffer } from 'yauzl'
import type { startApp } from '../support/app.ts'
import { openFiles } from '../support/open-files.ts'

export type App = Awaited<ReturnType<typeof startApp>>
type Entry = {
  fileName: string
  crc32: number
  uncompressedSize: number
  compressionMethod: number
}
export const linux = { skip: process.platform === 'linux' ? false : 'counts open files in /proc' }
export const zipOf = (uid: string) => `/api/v1/public/games/${uid}/press.zip`

/** The files of a zip by name, as read by an independent library. */
export function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, Buffer>>()
  const files = new Map<string, Buffer>()
  fromBuffer(
    bytes,
    { lazyEntries: true, strictFileNames: true },
    (failed: Error | null, zip: any) => {
      if (failed) return reject(failed)
      zip.on('error', reject).on('end', () => resolve(files))
      zip.on('entry', (entry: Entry) =>
        zip.openReadStream(entry, async (error: Error | null, stream: Readable) => {
          if (error) return reject(error)
          const content = Buffer.concat(await stream.toArray())
          if (entry.compressionMethod !== 0 || crc32(content) !== entry.crc32)
            return reject(new Error(`${entry.fileName} does not match its directory record`))
          files.set(entry.fileName, content)
          zip.readEntry()
        }),
      )
      zip.readEntry()
    },
  )
  return promise
}

export async function download(app: App, uid: string, token?: string) {
  const response = await fetch(
    new URL(zipOf(uid), app.url),
    token ? { headers: { authorization: `Bearer ${token}` } } : {},
  )
  assert.equal(response.status, 200)
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** A download that is read only as far as the test reads it. */
export async function startDownload(app: App, uid: string): Promise<IncomingMessage> {
  const request = httpGet(new URL(zipOf(uid), app.url), { agent: false })
  request.on('error', () => {})
  const [response] = await once(request, 'response')
  return response.on('error', () => {})
}

/** How a download ends for its client. */
export async function downloadResult(response: IncomingMessage): Promise<'complete' | 'aborted'> {
  response.resume()
  await once(response, 'close').catch(() => {})
  return response.complete ? 'complete' : 'aborted'
}

/** Images in storage that this process has open. */
export const openImages = ({ data_dir }: Pick<App, 'data_dir'>) =>
  openFiles(join(data_dir, 'objects', 'images'))

export const gallery = (count: number, size: number) =>
  Array.from({ length: count }, (_, position) => ({
    slot: 'gallery' as const,
    position,
    bytes: randomBytes(size),
  }))
