import type { Addresses } from '../../core/runtime/config.ts'

/** The servers whose OAuth tokens the authorization server issues, by the kind of their tokens. */
export const tokenPaths = { agent: '/mcp', player: '/player' } as const

/** The resource that OAuth tokens of a kind are bound to (RFC 8707). */
export const tokenResource = ({ base_url }: Addresses, kind: keyof typeof tokenPaths) =>
  `${base_url}${tokenPaths[kind]}`
