import type { PendingQuery, Row } from 'postgres'
import { type Attributes, endSpan, startChild } from '../runtime/tracing.ts'
import type { Sql } from './sql.ts'

const MAX_STATEMENT = 500

/** What the driver has in each query besides its types. */
type DriverQuery = PendingQuery<Row[]> & {
  strings: readonly string[]
  executed: boolean
  handle: () => Promise<void>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

const isQuery = (value: unknown): value is DriverQuery =>
  value instanceof Promise && 'handle' in value && 'strings' in value

/**
 * A pool or transaction whose queries are spans of the request or job that makes them. Statements
 * are shown without their values. Used only if traces are on.
 */
export function traceQueries<S extends object>(sql: S): S {
  return new Proxy(sql, {
    apply: (target, self, args) => watch(Reflect.apply(target as never, self, args)),
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      if (key === 'begin' || key === 'savepoint')
        return (...args: unknown[]) => value.apply(target, args.map(tracedBody))
      if (key === 'unsafe') return (...args: unknown[]) => watch(value.apply(target, args))
      return value
    },
  })
}

/** The function that a transaction runs gets a traced one. */
const tracedBody = (argument: unknown) =>
  typeof argument === 'function' ? (tx: Sql) => argument(traceQueries(tx)) : argument

function watch<Result>(result: Result): Result {
  if (!isQuery(result)) return result
  const query = result
  const { handle } = query
  // A fragment of another query is never executed itself.
  query.handle = () => {
    if (!query.executed) begin(query)
    return handle.call(query)
  }
  return result
}

function begin(query: DriverQuery) {
  const text = query.strings.join('?').replaceAll(/\s+/g, ' ').trim()
  const operation = /^\w+/.exec(text)?.[0].toLowerCase() ?? 'query'
  const attributes = (): Attributes => ({
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text.slice(0, MAX_STATEMENT),
  })
  const span = startChild(operation, 'client', attributes)
  if (!span) return
  const { resolve, reject } = query
  query.resolve = (value) => {
    endSpan(span)
    resolve(value)
  }
  query.reject = (error) => {
    endSpan(span, {}, true)
    reject(error)
  }
}
