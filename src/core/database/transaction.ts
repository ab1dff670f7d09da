import { setTimeout as pause } from 'node:timers/promises'
import type { Sql, Tx } from './sql.ts'

const MAX_TRIES = 5
const PAUSE_MS = 20
/** Deadlock and serialization failure: the database rolled one of the transactions back. */
const retryableCodes = new Set(['40P01', '40001'])

/**
 * Runs a transaction, and again when it lost a race with another. Its body must have no effect
 * outside the database.
 */
export async function transact<T>(sql: Sql, body: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await sql.begin(body)) as T
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (attempt === MAX_TRIES || !retryableCodes.has(code)) throw error
      // A random pause keeps the two transactions from meeting again.
      await pause(Math.random() * PAUSE_MS * 2 ** attempt)
    }
  }
}
