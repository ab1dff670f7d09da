import type { Route } from './route.ts'

export type AllowedMethods = { allow: string; cors: boolean }

/**
 * The methods an address supports, for requests that no route matched. The table is made when it is
 * first needed: registering a route for each unsupported method would double the number of routes,
 * and with it the time and memory of a start.
 */
export function allowedMethodsOf(routes: Route[]): (path: string) => AllowedMethods | undefined {
  let table: { pattern: RegExp; route: Route }[] | undefined
  return (path) => {
    // Profile pages are at the root (/:username) and would match every unknown address.
    table ??= routes
      .filter(({ page, url, method_not_allowed }) => {
        return !method_not_allowed && !(page && url.startsWith('/:'))
      })
      .map((route) => ({ pattern: patternOf(route.url), route }))
    const matches = table.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
    if (!matches.length) return undefined
    const methods = new Set(
      matches.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    )
    return { allow: [...methods, 'OPTIONS'].join(', '), cors: matches.some(({ cors }) => cors) }
  }
}

/** As the router matches: `:name` is anything between slashes, a star is the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part.startsWith(':')) return '[^/]+'
    if (part === '*') return '.*'
    return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}
