import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Environment } from '../../src/core/runtime/config.ts'
import { limitFilesOf } from '../soak/limit-files.ts'
import { client, temporaryFolder } from '../support/app.ts'
import { builders, must, refused } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { freshDatabase } from '../support/database.ts'
import { startObjectStore } from '../support/programs/object-store.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import {
  chunkForm,
  chunkHeaders,
  FILES,
  REGISTER,
  SESSIONS,
  sessionFields,
  sessionRequest,
} from '../uploads/fixtures.ts'
import { zip } from '../uploads/zips.ts'

/** A chunk needs fewer, with the thread that hashes the first one. */
const MAX_SPARE = 16

const BODY = randomBytes(2_000_000)

async function startChild(t: TestContext, settings: Environment = {}) {
  const DATABASE_URL = await freshDatabase(t)
  const DATA_DIR = temporaryFolder(t)
  const PORT = await freePort()
  const child = childService(t, { DATABASE_URL, DATA_DIR, PORT, LOG_LEVEL: 'error', ...settings })
  const http = client(await child.start())
  return { child, http, a: builders(http, DATA_DIR) }
}
const sharedChild = sharedInFile((t) => startChild(t))

/** Sends chunks with every small number of free descriptors. */
async function sendChunks({ child, http, a }: Awaited<ReturnType<typeof startChild>>) {
  const key = await a.deployer(await a.listing({ owner: await a.verifiedDeveloper() }))
  const registration = { version: '1.0', os: 'linux', arch: 'x86_64' }
  const { build_id } = must(await http.post(REGISTER, registration, key))
  const outcomes = new Set<string>()
  for (let spare = 0; spare <= MAX_SPARE; spare++) {
    const bytes = zip([{ name: `game-${spare}`, body: BODY, method: 0 }])
    const request = sessionRequest(sessionFields(bytes, build_id), key)
    const { session_id } = must(await http.call('POST', SESSIONS, request))
    const total = bytes.length
    const headers = chunkHeaders(key, { session: session_id, from: 0, to: total, total })
    // On the connection of the requests before; a new one would wait for a descriptor.
    const { lift } = limitFilesOf(child.pid(), spare)
    const answer = await http.call('POST', FILES, chunkForm(bytes, headers))
    lift()
    if (answer.status < 300) outcomes.add('stored')
    else {
      // The second one says from where to resume.
      assert.ok(['503,5031', '409,4044'].includes(String(refused(answer))), String(refused(answer)))
      outcomes.add('refused')
    }
  }
  assert.deepEqual(outcomes, new Set(['refused', 'stored']))
  assert.ok(child.isUp())
}

test('without free file descriptors, registering is refused as a request to repeat', async (t) => {
  if (!needs(t, 'prlimit')) return
  const { child, http } = await sharedChild()
  const register = (username: string, password = randomBytes(12).toString('hex')) =>
    http.post('/api/v1/private/account/register', {
      username,
      email: `${username}@example.com`,
      password,
    })
  // Opens the connection, without what only a new account needs.
  assert.equal(String(refused(await register('player', 'short'))), '400,4000')
  const outcomes = new Set<string>()
  // On the connection of the request before; a new one would wait for a descriptor.
  for (let spare = 0; spare <= MAX_SPARE; spare++) {
    const { lift } = limitFilesOf(child.pid(), spare)
    const answer = await register(`player-${spare}`)
    lift()
    if (answer.status >= 300) assert.equal(String(refused(answer)), '503,5031')
    outcomes.add(answer.status < 300 ? 'registered' : 'refused')
  }
  assert.deepEqual(outcomes, new Set(['refused', 'registered']))
})

test('a library that could not be loaded for want of file descriptors is loaded later', async (t) => {
  if (!needs(t, 'prlimit')) return
  // A process that has not loaded it yet.
  const { child, http } = await startChild(t)
  const readKeys = () => http.get('/oauth/jwks')
  const { lift } = limitFilesOf(child.pid(), 1)
  const answer = await readKeys()
  lift()
  assert.equal(String(refused(answer)), '503,5031')
  assert.equal((await readKeys()).status, 200)
})

test('without free file descriptors, a chunk is refused as one to send again', async (t) => {
  if (needs(t, 'prlimit')) await sendChunks(await sharedChild())
})

test('the same holds for uploads to an object store', async (t) => {
  if (!needs(t, 'prlimit') || !needs(t, 'swift-proxy-server')) return
  const { makeBucket } = await startObjectStore(t)
  await sendChunks(await startChild(t, { S3_URL: await makeBucket('slipway') }))
})
