import { generateSync } from 'otplib'
import type { Client } from '../../support/app.ts'
import { must, type Person } from '../../support/builders.ts'

export const ACCOUNT = '/api/v1/private/account'

/** The code of an authenticator app, some steps of 30 seconds from now. */
export const totpCode = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 })

/** Sets up an authenticator app with the code of the step before, so that the next two work. */
export async function enrollTotp({ post }: Client, { token }: Pick<Person, 'token'>) {
  const { secret } = must(await post(`${ACCOUNT}/totp`, undefined, { token }))
  const code = totpCode(secret, -1)
  const { recovery_codes } = must(await post(`${ACCOUNT}/totp/confirm`, { code }, { token }))
  return { secret: secret as string, recovery_codes: recovery_codes as string[] }
}
