import { setTimeout as pause } from 'node:timers/promises'
import type { Sql, Tx } from './sql.ts'

const TRIES = 5
const PAUSE_MS = 20
/**
 * Two transactions that waited for each other, or saw each other's writes: the database ended one,
 * and it may simply be run again.
 */
const again = new Set(['40P01', '40001'])
/**
 * A newer version added a column meanwhile, and a statement was prepared before that: each time one
 * such is prepared anew, on one connection.
 */
const STALE_TRIES = 100

/**
 * A transaction that is run again when it lost a race with another. Its body must have no effect
 * outside the database.
 */
export async function transact<T>(sql: Sql, body: (tx: Tx) => Promise<T>): Promise<T> {
  for (let [tries, stale] = [1, 0]; ; ) {
    try {
      return (await sql.begin(body)) as T
    } catch (error) {
      if (isStale(error) && ++stale < STALE_TRIES) continue
      if (tries === TRIES || !again.has((error as { code?: string }).code ?? '')) throw error
      // Not both at the same moment again.
      await pause(Math.random() * PAUSE_MS * 2 ** tries++)
    }
  }
}

/** Outside of transactions the driver asks again by itself. */
const isStale = (error: unknown) => {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}
