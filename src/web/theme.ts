import type { FastifyReply, FastifyRequest } from 'fastify'
import { isTheme, type Theme } from '../accounts/people/themes.ts'
import type { Identity } from '../accounts/sessions/identity.ts'
import { cookieReader, setCookie } from '../core/http/cookies.ts'
import { DAY } from '../core/runtime/units.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The theme of the reader, once it is known. */
    theme: Theme | undefined
  }
}

const COOKIE = 'svc_theme'
const readTheme = cookieReader(COOKIE, /\w{4,5}/)

/** Lets a visitor without an account choose a theme; one with an account has a setting too. */
export const setThemeCookie = (reply: FastifyReply, theme: Theme) =>
  setCookie(reply, { name: COOKIE, value: theme, seconds: 365 * DAY })

/** Chosen by the account, then by the cookie. Otherwise the page follows the system. */
export function chooseTheme(request: FastifyRequest, who: Identity | null): Theme {
  const setting = who?.theme ?? readTheme(request)
  return isTheme(setting) ? setting : 'auto'
}

/** The theme of a request whose reader is known. */
export const themeOf = ({ theme }: FastifyRequest): Theme => theme ?? 'auto'
