export type Claims = {
  iss: string
  aud: string
  /** The game. */
  gid: string
  /** The player's 64-bit account ID. */
  sub: string
  /** The owner of a borrowed copy. A ban of the player should also apply to the owner. */
  osid?: string
  own: true
  /** Whether the anti-cheat system of the store banned the player. */
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
  /** Refuses tokens of another issuer. Without it, the issuer is not checked. */
  issuer?: string
  /** The `verify` URL of the sign-in settings, required for the remote check. */
  verify_url?: string
  /** The allowed difference between the two clocks, 0 to 60; 30 by default. */
  leeway_seconds?: number
  /** The timeout of the remote check; 5000 by default. */
  timeout_ms?: number
}

/** The service could not be reached, so the state of the token is unknown. */
export class Unavailable extends Error {}

export function createVerifier(options: Options): {
  /** Checks signature and claims locally, in microseconds. It does not detect revocations. */
  check(token: string, now?: number): Result
  /**
   * Checks the token locally, and if it is valid also with the service, which detects revocations.
   * Throws Unavailable if the service cannot be reached.
   */
  verify(token: string, more?: { recheck_ownership?: boolean }): Promise<RemoteResult>
}
