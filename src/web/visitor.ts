import type { FastifyRequest } from 'fastify'
import { type Identity, identify } from '../accounts/sessions/identity.ts'
import { isSameOrigin } from '../accounts/sessions/same-origin.ts'
import type { Scheme } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'

const SESSION = /(?:^|;\s*)svc_session=(svc_sess_\w+)\s*(?:;|$)/

/** The session token of a browser, as its cookie says; whether it is any good is for the identity to say. */
export const sessionToken = ({ headers }: FastifyRequest) => headers.cookie?.match(SESSION)?.[1]

const isReading = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Whoever sends a form must be on this site, signed in or not: nobody is logged in or out, or registered, from elsewhere. */
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

/** Anyone who opens a page; a session that is over is nobody. */
export const visitor: Scheme<Identity | null> = {
  name: 'visitor',
  security: [],
  errors: ['CROSS_SITE_REQUEST'],
  vary: 'Cookie, Accept-Encoding',
  identify: visitorOf,
}

/** Someone signed in; others are sent to the log-in page and come back after (error-page.ts). */
export const member: Scheme<Identity> = {
  ...visitor,
  name: 'member',
  errors: ['CROSS_SITE_REQUEST', 'UNAUTHENTICATED'],
  identify: async (core, request) => (await visitorOf(core, request)) ?? refuse('UNAUTHENTICATED'),
}
