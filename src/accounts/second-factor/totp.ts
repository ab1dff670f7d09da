import { generateSecret, generateURI, verifySync } from 'otplib'
import { renderSVG } from 'uqr'

export const TOTP_SECONDS = 30
export const TOTP_DIGITS = 6

export const newTotpSecret = (): string => generateSecret()

/** What an authenticator app reads: as an address, and as a QR code in SVG. */
export function totpSetup(
  secret: string,
  { store, username }: { store: string; username: string },
) {
  const uri = generateURI({ issuer: store, label: username, secret })
  return { uri, qr_svg: renderSVG(uri, { border: 2 }) }
}

/**
 * The time step of a code; undefined if it is wrong. Clocks of phones are off by some seconds, so
 * the step before and the one after count too.
 */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  const result = verifySync({
    secret,
    token: code,
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: TOTP_SECONDS,
  })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}
