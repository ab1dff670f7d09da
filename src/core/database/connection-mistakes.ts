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
