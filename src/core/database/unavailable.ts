/** Errors of the driver and of sockets: there is no connection, or it was lost. */
const lostConnection = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'QUERY_TIMEOUT',
  'TOO_MANY_QUERIES',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
])

/** Classes of SQLSTATE codes, their first two characters: the server cannot work at the moment. */
const failingClasses = new Set([
  // Connection exceptions.
  '08',
  // Insufficient resources: the disk is full, no memory, too many connections.
  '53',
  // Errors of the system around the server, such as a failed read of a file.
  '58',
])

/** A lock that was not available within lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

const DEADLOCK = '40P01'

const failingStates = new Set([
  // A standby, or a server set to read-only.
  '25006',
  // A deadlock or serialization failure that lasted through every retry.
  DEADLOCK,
  '40001',
  // Not in the state that the statement needs, such as a server in recovery.
  '55000',
  LOCK_NOT_AVAILABLE,
  // A statement that took longer than statement_timeout, or was cancelled.
  '57014',
  // The server is shutting down, crashed, or is starting.
  '57P01',
  '57P02',
  '57P03',
  // A session that was idle for too long, or a transaction that took too long.
  '25P03',
  '25P04',
  '57P05',
  // Whether a statement was completed is not known.
  '40003',
])

type ServerError = { code?: string; syscall?: string }

/** Whether a query failed because of the state of the database, not because of what it asks. */
export function isDatabaseUnavailable({ code = '', syscall }: ServerError): boolean {
  if (lostConnection.has(code) || failingStates.has(code)) return true
  // No connection can be made: the socket of a local server is missing, or too many connections wait
  // because it is frozen. The same codes may be of a file.
  if (syscall === 'connect') return true
  // The name of its host is not known at the moment, such as that of a stopped container.
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return syscall === 'getaddrinfo'
  return code.length === 5 && failingClasses.has(code.slice(0, 2)) && /^[0-9A-Z]{5}$/.test(code)
}

/** Whether a statement gave up on a lock that somebody else holds. */
export const isLockTimeout = (error: unknown): boolean =>
  (error as ServerError).code === LOCK_NOT_AVAILABLE

/** Whether a transaction was rolled back because it and another waited for each other. */
export const isDeadlock = (error: unknown): boolean => (error as ServerError).code === DEADLOCK
