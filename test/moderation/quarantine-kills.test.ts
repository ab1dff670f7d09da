import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MIB } from '../../src/core/runtime/units.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { loopCount } from '../support/loop-count.ts'
import { zip } from '../uploads/zips.ts'
import { moderationTeam } from './fixtures.ts'

const KILLS = loopCount({ short: 2, full: 50 })
/** Within this time after the answer, every process has stopped serving the file. */
const EFFECT_MS = 1000
/** Much more than the buffers of two sockets hold. */
const FILE_BYTES = 32 * MIB
const SLOW_READ_MS = 60

/** A public listing with a large file, which two processes serve, and a moderator. */
async function startTwoProcesses(t: TestContext) {
  const app = await startApp(t)
  const { DATABASE_URL, DATA_DIR } = app.settings
  const team = await moderationTeam(app)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const body = randomBytes(FILE_BYTES)
  const bytes = zip([{ name: 'game', body, method: 0 }])
  const { file_uid } = await app.a.cleanBuild(listing, { bytes })
  await makePublic(app.sql, listing.uid)
  await app.sql`update listings set anonymous_downloads = true where uid = ${listing.uid}`
  const processes = await Promise.all(
    [1, 2].map(async () => {
      const env = { DATABASE_URL, DATA_DIR, PORT: await freePort(), SLIPWAY_ROLES: 'api,web' }
      const service = childService(t, env)
      return { service, url: await service.start() }
    }),
  )
  const { pathname, search } = new URL(
    must(await app.get(`/api/v1/public/downloads/${file_uid}`)).url,
  )
  return { ...app, ...team, file_uid, processes, path: pathname + search }
}

/** Refused downloads in a tight loop would take most of the CPU time of the test. */
const READ_PAUSE_MS = 25

/** Downloads again and again, and notes when bytes arrive. */
function startReader(t: TestContext, url: string) {
  const arrivals: number[] = []
  const statuses = new Set<number>()
  let running = true
  const done = (async () => {
    while (running) {
      await read(url, (response) => {
        statuses.add(response.statusCode!)
        if (response.statusCode === 200) arrivals.push(performance.now())
        return Promise.resolve()
      })
      await pause(READ_PAUSE_MS)
    }
  })()
  const stop = () => {
    running = false
    return done
  }
  cleanup(t, stop)
  return { arrivals, statuses, stop }
}

/**
 * Downloads so slowly that most of the file is not sent when it is quarantined. What is on its way
 * then is read after `drain`: the whole file only if the process went on sending.
 */
function startSlowReader(url: string) {
  let is_slow = true
  let chunks = 0
  const done = read(url, async () => {
    chunks++
    if (is_slow) await pause(SLOW_READ_MS)
  })
  return {
    chunks: () => chunks,
    /** Returns how many bytes arrived. */
    drain() {
      is_slow = false
      return done
    },
  }
}

/** Reads a response to its end, or until its connection ends; returns how many bytes arrived. */
function read(url: string, onChunk: (response: IncomingMessage) => Promise<void>) {
  return new Promise<number>((resolve) => {
    const request = httpGet(url, { agent: false }, async (response) => {
      let bytes = 0
      try {
        for await (const chunk of response) {
          bytes += chunk.length
          await onChunk(response)
        }
      } catch {
        // The process was killed, or it ended the download.
      }
      resolve(bytes)
    })
    request.on('error', () => resolve(0))
  })
}

test(`no byte of a file is served a second after its quarantine, with ${KILLS} kills`, {
  timeout: 3_600_000,
}, async (t) => {
  const { processes, path, decide, file_uid } = await startTwoProcesses(t)
  let served = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const killed = processes[kill % 2]!
    const addresses = processes.map(({ url }) => url + path)
    const slow = [...addresses, ...addresses].map(startSlowReader)
    await eventually('slow downloads', () => slow.every((reader) => reader.chunks() > 3))
    const readers = addresses.map((address) => startReader(t, address))
    await eventually('bytes from both processes', () =>
      readers.every(({ arrivals }) => arrivals.length > 3),
    )
    // The kill comes shortly before, during or after the decision.
    const restarted = (async () => {
      await pause(randomInt(40))
      await killed.service.kill()
      await killed.service.start()
    })()
    await pause(randomInt(40))
    await decide('file', file_uid, 'quarantine')
    const answered = performance.now()
    await pause(EFFECT_MS)
    const sizes = await Promise.all(slow.map((reader) => reader.drain()))
    assert.deepEqual(
      sizes.filter((size) => size >= FILE_BYTES),
      [],
      'downloads that were completed after the quarantine',
    )
    await Promise.all([restarted, pause(EFFECT_MS)])
    // The process that was killed is back and refuses too.
    assert.equal((await fetch(killed.url + path)).status, 404)
    await Promise.all(readers.map((reader) => reader.stop()))
    const late = readers.flatMap(({ arrivals }) =>
      arrivals.filter((at) => at > answered + EFFECT_MS).map((at) => Math.round(at - answered)),
    )
    assert.deepEqual(late, [], `chunks this many milliseconds after the answer, kill ${kill + 1}`)
    assert.ok(readers.some(({ statuses }) => statuses.has(404)))
    served += readers.reduce((sum, { arrivals }) => sum + arrivals.length, 0)
    await decide('file', file_uid, 'restore')
  }
  t.diagnostic(`${KILLS} kills, ${served} chunks served before`)
})
