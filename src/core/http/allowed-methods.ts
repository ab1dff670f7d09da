import type { Route } from './route.ts'

export type AllowedMethods = { allow: string; cors: boolean }

/**
 * What an address answers, for requests no route took. Looked up only then: a route for each method that an address lacks would double the routes, and
 * with them the time and memory of a start.
 */
export function allowedMethodsOf(routes: Route[]): (path: string) => AllowedMethods | undefined {
  let table: { pattern: RegExp; route: Route }[] | undefined
  return (path) => {
    // Pages of people stand at the root: they would answer for every address that is nobody's.
    table ??= routes
      .filter(
        ({ page, url, method_not_allowed: closed }) => !closed && !(page && url.startsWith('/:')),
      )
      .map((route) => ({ pattern: patternOf(route.url), route }))
    const found = table.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
    if (!found.length) return undefined
    const methods = new Set(
      found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    )
    return { allow: [...methods, 'OPTIONS'].join(', '), cors: found.some(({ cors }) => cors) }
  }
}

/** As the router reads an address: `:name` is what stands between slashes, a star is the rest. */
const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .split(/(:\w+|\*)/)
      .map((part) =>
        part.startsWith(':')
          ? '[^/]+'
          : part === '*'
            ? '.*'
            : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('')}$`,
  )
