import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { clamdScanner } from '../../../src/scan/clamd.ts'
import { EICAR } from '../../uploads/zips.ts'
import { temporaryFolder } from '../app.ts'
import { daemon } from '../daemon.ts'

/** Starts a real clamd with a single test signature. */
export async function startClamd(t: TestContext) {
  const folder = temporaryFolder(t)
  const database = join(folder, 'db')
  const socket = join(folder, 'clamd.sock')
  mkdirSync(database)
  writeFileSync(
    join(database, 'test.ndb'),
    `Test.Eicar:0:*:${Buffer.from(EICAR).toString('hex')}\n`,
  )
  chmodSync(folder, 0o755)
  const settings = [
    `LocalSocket ${socket}`,
    `DatabaseDirectory ${database}`,
    'Foreground yes',
    'LogSyslog no',
    'AlertExceedsMax yes',
    `TemporaryDirectory ${folder}`,
    'StreamMaxLength 25M',
  ]
  writeFileSync(join(folder, 'clamd.conf'), `${settings.join('\n')}\n`)
  const url = `unix://${socket}`
  const isReady = () =>
    clamdScanner(url)
      .probe()
      .then(
        () => true,
        () => false,
      )
  const clamd = daemon(t, {
    command: 'clamd',
    args: ['--config-file', join(folder, 'clamd.conf')],
    isReady,
  })
  await clamd.start()
  return { ...clamd, url }
}
