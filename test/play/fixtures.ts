import { request } from 'node:http'
import type { TestContext } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { startApp } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'
import { type ZipEntry, zip } from '../uploads/zips.ts'

export const STORED = 0
export const DEFLATED = 8

export const script = 'export const level = 1\n'.repeat(200)
export const wasm = Buffer.from('0061736d01000000'.repeat(64), 'hex')
/** Larger than what is read at once, and hard to compress. */
export const large = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * n * 31 + n) >> 3))

export const gameFiles: ZipEntry[] = [
  { name: 'index.html', body: '<!doctype html><title>Game</title>', method: DEFLATED },
  { name: 'game.js', body: script, method: DEFLATED },
  { name: 'game.wasm', body: wasm, method: STORED },
  { name: 'levels/index.html', body: '<p>Levels</p>', method: STORED },
  { name: 'levels/größe 1.json', body: '{"level":1}', method: STORED },
  { name: 'large.pck', body: large, method: STORED },
  { name: 'large.data', body: large, method: DEFLATED },
  { name: 'build.wasm.br', body: brotliCompressSync(wasm), method: STORED },
  { name: 'build.data.gz', body: gzipSync(large), method: STORED },
  { name: 'empty.txt', body: '', method: STORED },
  { name: 'empty-deflated.txt', body: '', method: DEFLATED },
]

export type PlayAnswer = { status: number; headers: Record<string, string>; body: Buffer }

type Options = {
  /** The files of the build, or how to make them with the SDK of the running store. */
  files?: ZipEntry[] | ((sdk: ZipEntry) => ZipEntry[])
  env?: Record<string, string>
}

type App = Awaited<ReturnType<typeof startApp>>

/** A service with a public free game that has a web build. */
export const startPlayApp = async (t: TestContext, { env, files }: Options = {}) =>
  addPlayGame(await startApp(t, env), files)

const sharedApp = sharedInFile(startApp)

/** A new public free game with a web build, in the service that all tests of a file share. */
export const sharePlayApp = async (t: TestContext, files?: Options['files']) =>
  addPlayGame(await sharedApp(t), files)

/** Adds a public free game with a web build that can be played. */
export async function addPlayGame(app: App, choice: Options['files'] = gameFiles) {
  const files = Array.isArray(choice) ? choice : choice(await downloadSdk(app))
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const build = await app.a.cleanBuild(game, { bytes: zip(files), os: 'web', arch: 'wasm32' })
  await app.sql`
    update listings set visibility = 'public', anonymous_downloads = true where uid = ${game.uid}`
  const host = `${game.uid}.play.localhost`
  /** The address as it is, without the corrections of a browser. */
  const play = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(app.url, path, { host, ...headers }, method)
  const file = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    play(`/${build.file_uid}/${path}`, headers, method)
  return { ...app, game, ...build, host, play, file }
}

/** The script that games include, as developers download it. */
async function downloadSdk({ get }: Pick<App, 'get'>) {
  const { body } = await get('/sdk/play.js')
  return { name: 'play.js', body: body as string, method: DEFLATED }
}

export function rawRequest(
  url: string,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<PlayAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode!,
          headers: answer.headers as Record<string, string>,
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}
