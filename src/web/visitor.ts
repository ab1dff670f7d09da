import type { FastifyRequest } from 'fastify'
import { type Identity, identify } from '../accounts/sessions/identity.ts'
import { isSameOrigin } from '../accounts/sessions/same-origin.ts'
import type { Scheme } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'

const SESSION = /(?:^|;\s*)svc_session=(svc_sess_\w+)\s*(?:;|$)/

/** The session token in the cookie of a browser, not yet checked. */
export const sessionToken = ({ headers }: FastifyRequest) => headers.cookie?.match(SESSION)?.[1]

const isReading = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Forms must come from this site, so that no other site can log anyone in or out. */
function checkOrigin({ addresses }: Core, request: FastifyRequest) {
  const { 'sec-fetch-site': fetch_site, origin, host } = request.headers
  const own = [addresses.web_url, addresses.base_url]
  if (
    !isReading(request) &&
    !isSameOrigin({ fetch_site: fetch_site as string | undefined, origin, host }, own)
  )
    refuse('CROSS_SITE_REQUEST')
}

async function visitorOf(core: Core, request: FastifyRequest): Promise<Identity | null> {
  checkOrigin(core, request)
  const token = sessionToken(request)
  const identity = token ? await identify(core.sql, token) : undefined
  return identity?.kind === 'session' ? identity : null
}

/** Anyone who opens a page. An expired session counts as signed out. */
export const visitor: Scheme<Identity | null> = {
  name: 'visitor',
  security: [],
  errors: ['CROSS_SITE_REQUEST'],
  vary: 'Cookie, Accept-Encoding',
  identify: visitorOf,
}

/** A signed-in person; error-page.ts sends others to the sign-in page, which leads back. */
export const member: Scheme<Identity> = {
  ...visitor,
  name: 'member',
  errors: ['CROSS_SITE_REQUEST', 'UNAUTHENTICATED'],
  identify: async (core, request) => (await visitorOf(core, request)) ?? refuse('UNAUTHENTICATED'),
}
