import { registerHooks } from 'node:module'

/**
 * The driver of the database, mended as it is loaded. Version 3.4.9, the newest there is, takes it
 * badly when a connection is lost at the wrong moment: it writes to a socket that is gone, which
 * ends the process; it keeps what it had not written or was not answered, so that the connection
 * after it never says anything, or answers the wrong question; it asks new connections for the
 * types of the database and looks after no answer, which ends the process as well; and a
 * transaction that lost its connection goes on with the next one's.
 */
const VERSION = '3.4.9'
type Mend = [wrong: string, right: string]
const forget = 'chunk = nextWriteTimer = null'
const closed = "error(Errors.connection('CONNECTION_CLOSED', options, socket))"
const mends: Record<string, Mend[]> = {
  'connection.js': [
    [
      'clearImmediate(nextWriteTimer)\n    if (socket)',
      `clearImmediate(nextWriteTimer); ${forget}\n    if (socket)`,
    ],
    [
      'clearImmediate(nextWriteTimer)\n    socket.',
      `clearImmediate(nextWriteTimer); ${forget}\n    socket.`,
    ],
    [
      'const x = socket.write(',
      `if (!socket) { ${forget}; ${closed}; return true }\n    const x = socket.write(`,
    ],
    ['!hadError && (query || sent.length) && error(', 'if (query || sent.length) error('],
    ['closedTime = performance.now()\n', 'query = null\n    closedTime = performance.now()\n'],
    ['return fetchArrayTypes()', 'return fetchArrayTypes().catch(() => {})'],
  ],
  'index.js': [
    [', prepare = null\n', ', prepare = null\n      , lost = null\n'],
    [
      'connection.onclose = reject)',
      'connection.onclose = e => { lost = e; while (queries.length) queries.shift().reject(e); reject(e) })',
    ],
    ['(uncaughtError = e))\n', '(uncaughtError = e))\n        if (lost) return q.reject(lost)\n'],
  ],
}

function mended(source: string, [wrong, right]: Mend): string {
  if (source.split(wrong).length !== 2)
    throw new Error(
      `The database driver is not version ${VERSION}: look whether core/driver.ts is still needed, and right`,
    )
  return source.replace(wrong, () => right)
}

const hooks = registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const [, file = ''] = url.match(/\/postgres\/src\/([a-z]+\.js)$/) ?? []
    return mends[file]
      ? { ...loaded, source: mends[file].reduce(mended, String(loaded.source)) }
      : loaded
  },
})
const { default: postgres } = await import('postgres')
hooks.deregister()

export { postgres }
