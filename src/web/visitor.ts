import type { FastifyRequest } from 'fastify'
import { moderationRole } from '../accounts/people/moderator-queries.ts'
import { isOperator } from '../accounts/people/operator-queries.ts'
import { sessionToken } from '../accounts/sessions/cookies.ts'
import { type Identity, identify } from '../accounts/sessions/identity.ts'
import { isSameOrigin } from '../accounts/sessions/same-origin.ts'
import type { Scheme } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { chain, type MaybePromise } from '../core/runtime/maybe-promise.ts'
import { secondFactorBeforePage } from './account/security/second-factor-gate.ts'
import { chooseLanguage } from './language.ts'
import { termsBeforePage } from './policies/terms-gate.ts'
import { chooseTheme } from './theme.ts'

const isReading = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Forms must come from this site, so that no other site can log anyone in or out. */
function checkOrigin({ addresses }: Core, request: FastifyRequest) {
  if (isReading(request)) return
  const { 'sec-fetch-site': fetch_site, origin, host } = request.headers
  const own = [addresses.web_url, addresses.base_url]
  if (!isSameOrigin({ fetch_site: fetch_site as string | undefined, origin, host }, own))
    refuse('CROSS_SITE_REQUEST')
}

function visitorOf(core: Core, request: FastifyRequest): MaybePromise<Identity | null> {
  checkOrigin(core, request)
  return chain(readerOf(core, request), (who) => who && acceptedBy(core, request, who))
}

/** People accept the terms in effect before they go on; error-page.ts leads them there. */
const acceptedBy = (core: Core, request: FastifyRequest, who: Identity): MaybePromise<Identity> =>
  chain(termsBeforePage(core, request, who), (pending) =>
    pending
      ? refuse('STORE_TERMS_REQUIRED', { version: pending.version })
      : securedBy(core, request, who),
  )

/** So do people who must set up a second factor. */
const securedBy = (core: Core, request: FastifyRequest, who: Identity): MaybePromise<Identity> =>
  chain(secondFactorBeforePage(core, request, who), (is_needed) =>
    is_needed ? refuse('SECOND_FACTOR_REQUIRED') : who,
  )

/**
 * The signed-in person whose browser asks for a page, without a check of where they came from. A
 * person who is suspended from everything counts as signed out; signing in says why.
 */
export function readerOf(core: Core, request: FastifyRequest): MaybePromise<Identity | null> {
  const token = sessionToken(request)
  return chain(token ? identify(core, token) : undefined, (identity) => {
    const is_active = identity?.kind === 'session' && identity.suspension?.scope !== 'everything'
    const who = is_active ? identity : null
    request.language = chooseLanguage(core, request, who)
    request.theme = chooseTheme(request, who)
    return who
  })
}

/** Anyone who opens a page. An expired session counts as signed out. */
export const visitor: Scheme<Identity | null> = {
  name: 'visitor',
  security: [],
  errors: ['CROSS_SITE_REQUEST', 'STORE_TERMS_REQUIRED', 'SECOND_FACTOR_REQUIRED'],
  vary: 'Cookie, Accept-Encoding, Accept-Language',
  identify: visitorOf,
}

const acceptsHtml = ({ headers }: FastifyRequest) => /text\/html/.test(headers.accept ?? '')
const isPlainForm = ({ headers }: FastifyRequest) =>
  headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false

/** A signed-in person; error-page.ts sends others to the sign-in page, which leads back. */
export const member: Scheme<Identity> = {
  ...visitor,
  name: 'member',
  errors: [...visitor.errors, 'UNAUTHENTICATED'],
  identify: (core, request) =>
    chain(visitorOf(core, request), (who) => who ?? refuse('UNAUTHENTICATED')),
}

/**
 * Who sends the form of a signed-in person. A browser whose session has ended is let in as nobody,
 * because the form has to be read to keep what was typed; postForm then asks to sign in, or to
 * accept the terms.
 */
export const formSender: Scheme<Identity | null> = {
  ...member,
  identify: async (core, request) => {
    if (!acceptsHtml(request) || !isPlainForm(request)) return member.identify(core, request)
    checkOrigin(core, request)
    const who = await readerOf(core, request)
    return who && securedBy(core, request, who)
  },
}

/** The pages of operators do not exist for other people. Checked on every request. */
async function requireOperator({ sql }: Core, who: Identity): Promise<Identity> {
  return (await isOperator(sql, who.user_uid)) ? who : refuse('NOT_FOUND')
}

/** An operator who opens a page of the console. */
export const consoleOperator: Scheme<Identity> = {
  ...member,
  name: 'console operator',
  errors: [...member.errors, 'NOT_FOUND'],
  identify: async (core, request) => requireOperator(core, await member.identify(core, request)),
}

/** Who sends a form of the console: an operator, or a browser whose session has ended. */
export const consoleFormSender: Scheme<Identity | null> = {
  ...consoleOperator,
  async identify(core, request) {
    const who = await formSender.identify(core, request)
    return who && requireOperator(core, who)
  },
}

/** The queue of reports does not exist for people outside the moderation team. */
async function requireModerator({ sql }: Core, who: Identity): Promise<Identity> {
  return (await moderationRole(sql, who.user_uid)) ? who : refuse('NOT_FOUND')
}

/** A moderator or operator who opens a page of the queue. */
export const consoleModerator: Scheme<Identity> = {
  ...consoleOperator,
  name: 'console moderator',
  identify: async (core, request) => requireModerator(core, await member.identify(core, request)),
}

/** Who sends a form of the queue: a moderator, or a browser whose session has ended. */
export const moderatorFormSender: Scheme<Identity | null> = {
  ...consoleModerator,
  async identify(core, request) {
    const who = await formSender.identify(core, request)
    return who && requireModerator(core, who)
  },
}
