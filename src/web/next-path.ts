/** Any origin will do: it only makes relative addresses parseable. */
const BASE = 'http://localhost'
const LOGIN_PAGES = ['/login', '/signup']

/** `next` if it is a path of this site, so that a link cannot redirect to another site. */
export function localPath(next: string | undefined): string | undefined {
  if (!next?.startsWith('/') || !URL.canParse(next, BASE)) return undefined
  const { origin, pathname, search } = new URL(next, BASE)
  // Resolving dots can leave two slashes at the start, which would name another host.
  const is_local = origin === BASE && !pathname.startsWith('//')
  return is_local && !LOGIN_PAGES.includes(pathname) ? pathname + search : undefined
}

/** The address of a page that leads on to `next`. */
export const withNext = (path: string, next: string | undefined): string =>
  next ? `${path}?next=${encodeURIComponent(next)}` : path

/** The path of the page that sent a form; browsers name it to the same site. */
export function previousPage(referer: string | undefined): string | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const { pathname, search } = new URL(referer)
  return localPath(pathname + search)
}
