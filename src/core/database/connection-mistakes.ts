import { openPool } from './sql.ts'

/** Error codes of a database that cannot be reached or used as it is set, and what to do. */
export const connectionMistakes: Record<string, string> = {
  ENOTFOUND: 'The host of DATABASE_URL cannot be found',
  ECONNREFUSED: 'Nothing answers at DATABASE_URL: is the database running?',
  CONNECT_TIMEOUT: 'Nothing answers at DATABASE_URL: is the database running?',
  CONNECTION_CLOSED: 'The server at DATABASE_URL is not PostgreSQL, or it closed the connection',
  '28P01': 'The database rejected the password in DATABASE_URL',
  '28000': 'The database rejected the user in DATABASE_URL',
  '3D000': 'The database named in DATABASE_URL does not exist: create it first',
}

/** Why the database at a URL cannot be used, as a sentence; undefined if it can. */
export async function findConnectionMistake(url: string): Promise<string | undefined> {
  const sql = openPool(url, 1, 'slipway command')
  try {
    await sql`select 1`
    return undefined
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const mistake = connectionMistakes[code]
    if (!mistake) throw error
    return `${mistake} (${message})`
  } finally {
    await sql.end({ timeout: 5 })
  }
}
