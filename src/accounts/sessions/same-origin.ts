/**
 * Browsers send the session cookie with requests that other sites cause, so only requests from the
 * site itself may change anything. Older browsers send `Origin` but not `Sec-Fetch-Site`.
 */
export function isSameOrigin(
  headers: { fetch_site?: string; origin?: string; host?: string },
  own_origins: readonly string[],
): boolean {
  const { fetch_site, origin, host } = headers
  if (fetch_site !== undefined) return fetch_site === 'same-origin'
  if (origin === undefined) return false
  // Over plain http to another machine, browsers send only the origin: it must match the host.
  return own_origins.includes(origin) || (URL.canParse(origin) && new URL(origin).host === host)
}
