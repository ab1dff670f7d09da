import type { FastifyRequest } from 'fastify'
import type { Identity } from '../accounts/sessions/identity.ts'
import type { Core } from '../core/runtime/core.ts'
import { DAY } from '../core/runtime/units.ts'
import { acceptedLanguage, DEFAULT_LANGUAGE, type Language } from '../core/text/languages.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of the reader, once it is known. */
    language: Language | undefined
  }
}

const COOKIE = /(?:^|;\s*)svc_language=([A-Za-z-]{2,20})(?:;|$)/

/** Lets a visitor without an account choose a language; one with an account has a setting too. */
export const languageCookie = (language: Language) =>
  `svc_language=${language}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${365 * DAY}`

/** Chosen by the account, then by the cookie, then by the browser's settings. */
export function chooseLanguage(
  { config }: Core,
  { headers }: FastifyRequest,
  who: Identity | null,
): Language {
  const offered = config.languages
  const setting = who?.language ?? headers.cookie?.match(COOKIE)?.[1]
  return setting && offered.includes(setting)
    ? setting
    : acceptedLanguage(headers['accept-language'], offered)
}

/** The language of a request whose reader is known. */
export const languageOf = ({ language }: FastifyRequest): Language => language ?? DEFAULT_LANGUAGE
