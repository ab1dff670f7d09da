import type { FastifyRequest } from 'fastify'
import { isTheme, type Theme } from '../accounts/people/themes.ts'
import type { Identity } from '../accounts/sessions/identity.ts'
import { DAY } from '../core/runtime/units.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The theme of the reader, once it is known. */
    theme: Theme | undefined
  }
}

const COOKIE = /(?:^|;\s*)svc_theme=(\w{4,5})(?:;|$)/

/** Lets a visitor without an account choose a theme; one with an account has a setting too. */
export const themeCookie = (theme: Theme) =>
  `svc_theme=${theme}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${365 * DAY}`

/** Chosen by the account, then by the cookie. Otherwise the page follows the system. */
export function chooseTheme({ headers }: FastifyRequest, who: Identity | null): Theme {
  const setting = who?.theme ?? headers.cookie?.match(COOKIE)?.[1]
  return isTheme(setting) ? setting : 'auto'
}

/** The theme of a request whose reader is known. */
export const themeOf = ({ theme }: FastifyRequest): Theme => theme ?? 'auto'
