import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startExtstore } from '../sim/extstore.ts'
import { DEMO_APP, DEMO_KEY, populate } from '../sim/extstore-world.ts'
import { type Environment, processEnvironment, readConfig } from '../src/core/runtime/config.ts'
import { startService } from '../src/service.ts'
import { fill } from './fill.ts'
import { developers, PASSWORD, players } from './people.ts'

/**
 * `npm run demo` starts the service with a demo catalog in its own folder. It fills the catalog
 * once.
 */
const FOLDER = '.data-demo'
const FILLED = 'demo-filled'
const STARTED = 'demo-begun'

const environment = processEnvironment()
const data_dir = environment.DEMO_DATA_DIR ?? FOLDER
const print = (line: string) => process.stdout.write(`${line}\n`)

const store = await startExtstore()
populate(store.world)
const settings: Environment = {
  ...environment,
  DATA_DIR: data_dir,
  // The demo never uses your own database or external store.
  DATABASE_URL: undefined,
  LOG_LEVEL: environment.LOG_LEVEL ?? 'warn',
  METRICS_PORT: environment.METRICS_PORT ?? 'off',
  EXTSTORE_API_URL: store.url,
  EXTSTORE_PUBLIC_API_URL: store.url,
  EXTSTORE_STORE_URL: store.url,
  EXTSTORE_IMAGE_HOSTS: new URL(store.url).host,
  EXTSTORE_OPENID_URL: `${store.url}/openid`,
}

if (!existsSync(join(data_dir, FILLED))) await fillFolder()
const service = await startService(readConfig(settings), { warm: true })
print(`
Demo store       ${service.url}/
Accounts         ${developers[0]} (developer), ${players[0]} (player)
More developers  ${developers.slice(1).join(', ')}
More players     ${players.slice(1).join(', ')}
Password         ${PASSWORD}
External store   ${store.url}/ (app ${DEMO_APP}, publisher key ${DEMO_KEY})
Data folder      ${data_dir} (delete it to start over)
ready ${service.url}`)

let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, async () => {
    if (stopping) return
    stopping = true
    await service.stop()
    await store.stop()
    process.exit(0)
  })

/**
 * Fills the catalog with one trusted proxy more, so that each client can have its own address. The
 * final service starts afterwards.
 */
async function fillFolder() {
  const is_ours = existsSync(join(data_dir, STARTED))
  if (!is_ours && existsSync(data_dir) && readdirSync(data_dir).length) {
    process.stderr.write(`${data_dir} contains other files. Set DEMO_DATA_DIR to another folder.\n`)
    process.exit(1)
  }
  if (is_ours) rmSync(data_dir, { recursive: true })
  mkdirSync(data_dir, { recursive: true })
  writeFileSync(join(data_dir, STARTED), '')
  const start = Date.now()
  print('Filling the demo store; this takes a minute or two.')
  // Listings with a price are published before their developers have set up payments.
  const closed = { STRIPE_SECRET_KEY: undefined }
  const temporary = await startService(
    readConfig({ ...settings, ...closed, PORT: '0', PROXY_HOPS: '1' }),
  )
  try {
    await fill(temporary, {
      print: (line) => print(`  ${line}`),
      app: { app_id: DEMO_APP, web_api_key: DEMO_KEY },
    })
  } finally {
    await temporary.stop()
  }
  writeFileSync(join(data_dir, FILLED), '')
  print(`Filled in ${Math.round((Date.now() - start) / 1000)} seconds.`)
}
