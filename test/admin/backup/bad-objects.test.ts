import assert from 'node:assert/strict'
import { createServer, request as send } from 'node:http'
import { type TestContext, test } from 'node:test'
import { admin } from '../../support/admin-run.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { listen } from '../../support/listen.ts'
import { startSwift } from '../../support/programs/object-store.ts'
import { needs } from '../../support/system-packages.ts'
import { freshSettings, secret } from './fixtures.ts'

/** A bucket whose objects cannot be read where `isBad` says so: they are refused, or cut. */
async function startBadBucket(t: TestContext, bucket: string) {
  const bad = { isBad: (_path: string) => false, is_cut: false }
  const { hostname, port, username, password, pathname } = new URL(bucket)
  const server = createServer((from, to) => {
    // Connections are the proxy's own.
    const { connection: _, ...headers } = from.headers
    const { method, url } = from
    const is_bad = method === 'GET' && !url!.includes('list-type') && bad.isBad(url!)
    if (is_bad && !bad.is_cut) return void to.writeHead(500).end()
    const path = url
    const onward = send({ hostname, port, method, path, headers, agent: false }, (answer) => {
      const { connection: __, ...answered } = answer.headers
      to.writeHead(answer.statusCode!, answered)
      if (!is_bad) return void answer.pipe(to)
      answer.once('data', (bytes) => to.write(bytes.subarray(0, 1), () => to.destroy()))
    })
    // This store sends a body after HEAD, which is an error once it has answered.
    onward.on('error', () => to.headersSent || to.destroy())
    from.pipe(onward)
  })
  const address = `127.0.0.1:${await listen(t, server)}`
  return { bad, url: `http://${username}:${password}@${address}${pathname}` }
}

test('an object that a bucket never returns does not stop what reads the others', async (t) => {
  if (!needs(t, 'swift-proxy-server')) return
  const makeBucket = await startSwift(t)
  const store = await startBadBucket(t, await makeBucket('games'))
  const backups = await startBadBucket(t, await makeBucket('backups'))
  const { a, settings, core } = await startApp(t, { S3_URL: store.url, SCRUB_DAYS: '0' })
  const listing = await a.listing()
  await a.images(listing)
  const { file_uid } = await a.cleanBuild(listing)
  await core.jobs.stop()
  const key = (await storedKeys(core)).find((name) => name.includes(file_uid))!
  const folder = temporaryFolder(t)
  const env = { ...settings, ...secret }

  for (const is_cut of [false, true]) {
    Object.assign(store.bad, { isBad: (path: string) => path.includes(key), is_cut })
    const backup = await admin(env, 'backup', temporaryFolder(t), '--json')
    assert.equal(backup.code, 3, backup.stdout)
    assert.deepEqual(JSON.parse(backup.stdout).damaged, [key])
  }
  const scrub = await admin(env, 'storage', 'scrub', '--now', '--json')
  assert.equal(scrub.code, 3, scrub.stderr)
  assert.deepEqual(
    JSON.parse(scrub.stdout).damaged.map((row: any) => row.key),
    [key],
  )
  // A store that returns nothing at all is not full of damaged objects.
  Object.assign(store.bad, { isBad: () => true, is_cut: false })
  const refused = await admin(env, 'backup', folder)
  assert.equal(refused.code, 1, refused.stdout)
  assert.match(refused.stderr, /object store/)
  store.bad.isBad = () => false

  const BACKUP_TARGET = backups.url
  const whole = await admin({ ...env, BACKUP_TARGET }, 'backup')
  assert.equal(whole.code, 0, whole.stderr)
  let bad_path = ''
  backups.bad.isBad = (path) => {
    // The first object that is read is the one that cannot be.
    if (path.includes('/objects/')) bad_path ||= path
    return path === bad_path
  }
  const verified = await admin({ ...env, BACKUP_TARGET }, 'backup', 'verify')
  assert.equal(verified.code, 3, verified.stderr)
  assert.match(verified.stdout, /\n1 problem\n/)
  const fresh = { ...(await freshSettings(t)), BACKUP_TARGET }
  const restored = await admin(fresh, 'restore', '--json')
  assert.equal(restored.code, 3, restored.stderr)
  assert.equal(JSON.parse(restored.stdout).damaged.length, 1)
  const again = await admin({ ...env, BACKUP_TARGET }, 'storage', 'scrub', '--now')
  assert.equal(again.code, 0, again.stdout)
})
