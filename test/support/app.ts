import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Environment, readConfig } from '../../src/core/runtime/config.ts'
import { startService } from '../../src/service.ts'
import { builders } from './builders.ts'
import { cleanup } from './cleanup.ts'
import { freshDatabase } from './database.ts'

export type Answer = { status: number; headers: Record<string, string>; body: any }
export type Call = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  raw?: string | Uint8Array<ArrayBuffer>
}
export type Client = ReturnType<typeof client>

/** Headers that differ between any two responses. */
const volatile = new Set(['date', 'x-request-id', 'connection', 'keep-alive'])

/**
 * Starts the real server in this process with its own database and folder, which are removed after
 * the test.
 */
export async function startApp(t: TestContext, env: Environment = {}) {
  const database_url = await freshDatabase(t)
  const data_dir = temporaryFolder(t)
  const settings = {
    DATABASE_URL: database_url,
    DATA_DIR: data_dir,
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'silent',
    DATABASE_CONNECTIONS: '4',
    ...env,
  }
  const service = await startService(readConfig(settings), { strict: true })
  cleanup(t, () => service.stop())
  const http = client(service.url)
  return {
    ...http,
    url: service.url,
    core: service.core,
    sql: service.core.sql,
    settings,
    data_dir,
    a: builders(http, data_dir),
  }
}

export function client(url: string) {
  const call = async (
    method: string,
    path: string,
    { token, body, headers = {}, raw }: Call = {},
  ): Promise<Answer> => {
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    })
    const text = await response.text()
    const is_json = response.headers.get('content-type')?.startsWith('application/json')
    const stable = [...response.headers].filter(([name]) => !volatile.has(name))
    return {
      status: response.status,
      headers: Object.fromEntries(stable),
      body: is_json && text ? JSON.parse(text) : text,
    }
  }
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

/** Polls until `poll` returns a value; fails after `seconds`, but not before MIN_SECONDS. */
export async function eventually<T>(
  description: string,
  poll: () => Promise<T | undefined | false> | T | undefined | false,
  seconds = MIN_SECONDS,
): Promise<T> {
  const limit = Math.max(seconds, MIN_SECONDS)
  for (const deadline = Date.now() + limit * 1000; Date.now() < deadline; await pause(10)) {
    const result = await poll()
    if (result !== undefined && result !== false) return result
  }
  throw new Error(`waited ${limit} seconds for ${description}`)
}
