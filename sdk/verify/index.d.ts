export type Claims = {
  iss: string
  aud: string
  /** The game. */
  gid: string
  /** The player's 64-bit account ID. */
  sub: string
  /** Whose copy it is, when it is borrowed: a ban of yours should reach them, too. */
  osid?: string
  own: true
  /** Banned for cheating, by the store's own system. */
  vac: boolean
  /** The player's user ID on the service, if they linked their account. */
  buid?: string
  jti: string
  iat: number
  exp: number
}

export type Reason =
  | 'malformed'
  | 'algorithm'
  | 'signature'
  | 'game'
  | 'issuer'
  | 'expired'
  | 'not yet'
  | 'revoked'
  | 'refused'
export type Result = { valid: true; claims: Claims } | { valid: false; reason: Reason }
export type Ownership = {
  owns_app: boolean
  permanent: boolean
  owner_extstore_id: string | null
  checked_at: string
}
export type RemoteResult =
  | {
      valid: true
      claims: Claims
      svc_user?: { uid: string; username: string }
      ownership?: Ownership
    }
  | { valid: false; reason: Reason }

export type Options = {
  /** The 128 characters from the sign-in settings. Keep them on your server. */
  auth_key: string
  game_uid: string
  app_id: number | string
  /** Refuses tokens of another issuer; without it the issuer is not looked at. */
  issuer?: string
  /** `verify` among the addresses in the sign-in settings; needed for the remote check. */
  verify_url?: string
  /** How far the two clocks may be apart, 0 to 60; 30 unless said. */
  leeway_seconds?: number
  /** How long the remote check may take; 5000 unless said. */
  timeout_ms?: number
}

/** The service could not be asked: nothing is known about the token. */
export class Unavailable extends Error {}

export function createVerifier(options: Options): {
  /** Signature and claims, in microseconds, without asking anyone. It cannot see revocations. */
  check(token: string, now?: number): Result
  /** The local check, and if that holds the service's word, revocations included. Throws Unavailable when it cannot be had. */
  verify(token: string, more?: { recheck_ownership?: boolean }): Promise<RemoteResult>
}
