import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../accounts/sessions/identity.ts'
import { cookieReader, setCookie } from '../core/http/cookies.ts'
import type { Core } from '../core/runtime/core.ts'
import { DAY } from '../core/runtime/units.ts'
import {
  acceptedLanguage,
  DEFAULT_LANGUAGE,
  firstPreference,
  type Language,
} from '../core/text/languages.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of the reader, once it is known. */
    language: Language | undefined
  }
}

const COOKIE = 'svc_language'
const readLanguage = cookieReader(COOKIE, /[A-Za-z-]{2,20}/)

/** Lets a visitor without an account choose a language; one with an account has a setting too. */
export const setLanguageCookie = (reply: FastifyReply, language: Language) =>
  setCookie(reply, { name: COOKIE, value: language, seconds: 365 * DAY })

/** Chosen by the account, then by the cookie, then by the browser's settings. */
export function chooseLanguage(
  { config }: Core,
  request: FastifyRequest,
  who: Identity | null,
): Language {
  const offered = config.languages
  return (
    chosenLanguage(offered, request, who) ??
    acceptedLanguage(request.headers['accept-language'], offered)
  )
}

function chosenLanguage(
  offered: readonly Language[],
  request: FastifyRequest,
  who: Identity | null,
): Language | undefined {
  const setting = who?.language ?? readLanguage(request)
  return setting && offered.includes(setting) ? setting : undefined
}

/**
 * The language that the reader wants the texts of developers in. Unlike that of the page, it can be
 * any language. Only the first one counts: what developers write first is in a language that is not
 * known, and may be the second.
 */
export const contentLanguage = (
  { config }: Core,
  request: FastifyRequest,
  who: Identity | null,
): string =>
  chosenLanguage(config.languages, request, who) ??
  firstPreference(request.headers['accept-language']) ??
  DEFAULT_LANGUAGE

/** The language of a request whose reader is known. */
export const languageOf = ({ language }: FastifyRequest): Language => language ?? DEFAULT_LANGUAGE
