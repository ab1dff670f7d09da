import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleUploader } from '../../src/web/uploader-bundle.ts'
import type { client } from '../../test/support/app.ts'
import type { builders } from '../../test/support/builders.ts'
import { serviceCommand, startServer } from '../support/processes.ts'

/** Starts the service with its data in a folder, and makes the uploader for it there. */
export async function startWithUploader(folder: string, env: Record<string, string> = {}) {
  const data_dir = join(folder, 'data')
  mkdirSync(data_dir)
  const settings = {
    DATA_DIR: data_dir,
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'fatal',
    ...env,
  }
  const server = await startServer(serviceCommand, settings)
  const program = join(folder, 'slipway.mjs')
  const address = `${server.url}/api/v1`
  writeFileSync(program, await bundleUploader({ api_url: address, upload_url: address }))
  chmodSync(program, 0o755)
  return { ...server, data_dir, program }
}

type Http = ReturnType<typeof client>
const MAX_PATCH_WAIT_MS = 60 * 60_000
const POLL_MS = 250

/** A game that everyone may install, with a deploy key. */
export async function createOpenGame(http: Http, a: ReturnType<typeof builders>) {
  const game = await a.listing({ owner: await a.verifiedDeveloper() })
  const { headers } = await a.deployer(game)
  const listing = `/api/v1/private/games/${game.uid}`
  const anonymous = { enabled: true, confirm_no_license: true }
  for (const { status, body } of [
    await http.patch(listing, { visibility: 'invisible' }, game.owner),
    await http.put(`${listing}/anonymous-downloads`, anonymous, game.owner),
  ])
    if (status !== 200) throw new Error(`the listing is not open: ${JSON.stringify(body)}`)
  return { ...game, headers }
}

/** The seconds until the head of a game has a patch. */
export async function waitForPatch(http: Http, game_uid: string): Promise<number> {
  const began = performance.now()
  const path = `/api/v1/public/games/${game_uid}/manifest?os=linux&arch=x86_64`
  for (;;) {
    const { body } = await http.get(path)
    if (body.data?.manifest?.patches?.length) return (performance.now() - began) / 1000
    if (performance.now() - began > MAX_PATCH_WAIT_MS) throw new Error('there is no patch')
    await pause(POLL_MS)
  }
}
