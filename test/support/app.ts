import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { DEVELOPER_TERMS_VERSION } from '../../src/accounts/people/developer-terms.ts'
import { enableDeveloper, insertUser } from '../../src/accounts/people/queries.ts'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { insertSession } from '../../src/accounts/sessions/queries.ts'
import type { ServerOptions } from '../../src/core/http/server.ts'
import type { Job } from '../../src/core/jobs/index.ts'
import { type Environment, readConfig } from '../../src/core/runtime/config.ts'
import type { Core } from '../../src/core/runtime/core.ts'
import type { Log } from '../../src/core/runtime/log.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { newToken, sha256, uuidv7 } from '../../src/core/security/crypto.ts'
import { KEY_FILE } from '../../src/core/security/secrets.ts'
import { jobs } from '../../src/jobs.ts'
import { makeRenditionsJob } from '../../src/listings/renditions/jobs.ts'
import { startService } from '../../src/service.ts'
import { type AccountSteps, builders } from './builders.ts'
import { cleanup } from './cleanup.ts'
import { freshDatabase } from './database.ts'
import { httpClient } from './http-client.ts'

export type Answer = { status: number; headers: Record<string, string>; body: any }
export type Call = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  raw?: string | Uint8Array<ArrayBuffer>
}
export type Client = ReturnType<typeof client>

/** Encoding the images of every fixture took a quarter of the CPU time of the tests. */
const jobsWithoutRenditions = jobs.filter(({ name }) => name !== makeRenditionsJob.name)

type AppOptions = ServerOptions & {
  log?: Log
  /** Whether the renditions of images are made. */
  renditions?: boolean
}

/**
 * Starts the real server in this process with its own database and folder, which are removed after
 * the test.
 */
export async function startApp(
  t: TestContext,
  env: Environment = {},
  { renditions = false, ...options }: AppOptions = {},
) {
  const database_url = await freshDatabase(t)
  const data_dir = temporaryFolder(t)
  const settings = {
    DATABASE_URL: database_url,
    DATA_DIR: data_dir,
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'silent',
    DATABASE_CONNECTIONS: '4',
    // A busy machine must not fail a test.
    DATABASE_TIMEOUT: '60',
    // Tests of these defaults set them themselves.
    REQUIRE_MFA: 'off',
    PATCH_BASES: '0',
    ...env,
  }
  shareKey(settings)
  const service = await startService(readConfig(settings), {
    strict: true,
    running_jobs: renditions ? jobs : jobsWithoutRenditions,
    ...options,
  })
  cleanup(t, () => service.stop())
  const http = client(service.url)
  return {
    ...http,
    url: service.url,
    core: service.core,
    sql: service.core.sql,
    settings,
    data_dir,
    a: builders(http, data_dir, accountFixtures(service.core)),
  }
}

/** The data folder of the first service of each database. */
const keyFolders = new Map<string, string>()

/** Services with the same database have the same key of secrets, as their operator would see to. */
function shareKey({ DATABASE_URL, DATA_DIR, SECRETS_KEY }: Environment) {
  if (SECRETS_KEY || !DATABASE_URL || !DATA_DIR) return
  const folder = keyFolders.get(DATABASE_URL) ?? DATA_DIR
  keyFolders.set(DATABASE_URL, folder)
  const [key, own_key] = [join(folder, KEY_FILE), join(DATA_DIR, KEY_FILE)]
  if (existsSync(key) && !existsSync(own_key)) copyFileSync(key, own_key)
}

export function client(url: string) {
  const call = httpClient(url)
  return {
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body?: unknown, options?: Call) =>
      call('POST', path, { body, ...options }),
    put: (path: string, body?: unknown, options?: Call) => call('PUT', path, { body, ...options }),
    patch: (path: string, body?: unknown, options?: Call) =>
      call('PATCH', path, { body, ...options }),
    del: (path: string, options?: Call) => call('DELETE', path, options),
  }
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-'))
  cleanup(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a job once in this process. */
export const runJob = (
  { core, sql }: Pick<Core, 'sql'> & { core: Core },
  job: Job<any>,
  data = {},
) =>
  job.handle({
    core,
    data,
    id: uuidv7(),
    attempt: 1,
    lost_runs: 0,
    signal: new AbortController().signal,
    finish: (effect) => sql.begin(effect) as never,
  })

export type OutboxMail = { to: string; subject: string; text: string; created_at: string }

/** Returns the mails written so far, oldest first. */
export function outbox(data_dir: string): OutboxMail[] {
  const folder = join(data_dir, 'outbox')
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  } catch {
    return []
  }
}

/**
 * The shortest time limit of anything a test waits for, so that no test fails on a busy machine.
 */
const MIN_SECONDS = 60

/**
 * Polls until `poll` returns a value; fails after `seconds`, but not before MIN_SECONDS. It polls
 * less often the longer it waits, because polling takes time from what it waits for. It reads the
 * monotonic clock: the time of day of a virtual machine may jump by minutes.
 */
export async function eventually<T>(
  description: string,
  poll: () => Promise<T | undefined | false> | T | undefined | false,
  seconds = MIN_SECONDS,
): Promise<T> {
  const limit = Math.max(seconds, MIN_SECONDS)
  const deadline = performance.now() + limit * 1000
  for (let pause_ms = 5; performance.now() < deadline; pause_ms = Math.min(pause_ms * 1.4, 80)) {
    const result = await poll()
    if (result !== undefined && result !== false) return result
    await pause(pause_ms)
  }
  throw new Error(`waited ${limit} seconds for ${description}`)
}

/** The hash of builders' PASSWORD, with the parameters of the service. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Jm58C3oSZcEtJekqLM4hQw$' +
  'J4Zz66L0ylhYTSd0rrLxQpRGLSq7SPfrXEEpL7jeH40'

/**
 * Writes accounts to the database of a service in this process. Tests that are not about accounts
 * need several each; by the routes, most of the time goes to hashing the same password.
 */
const accountFixtures = ({ sql }: Core): AccountSteps => ({
  async register({ username, email }) {
    const user_uid = uuidv7()
    const token = newToken('svc_sess_')
    await insertUser(sql, { uid: user_uid, username, email, password_hash: PASSWORD_HASH })
    const session = {
      uid: uuidv7(),
      user_uid,
      token_hash: sha256(token),
      expires_at: new Date(Date.now() + 7 * DAY_MS),
    }
    await insertSession(sql, session, PASSWORD_HASH)
    return { uid: user_uid, username, email, token }
  },

  async verifyEmail({ uid }) {
    await sql`update users set email_verified_at = now() where uid = ${uid}`
    clearIdentityCache()
  },

  async enableDeveloperMode({ uid }) {
    await enableDeveloper(sql, uid, DEVELOPER_TERMS_VERSION)
    clearIdentityCache()
  },
})
