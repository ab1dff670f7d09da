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
  const confirm = () => post(`${ACCOUNT}/totp/confirm`, { code: totpCode(secret, -1) }, { token })
  const first = await confirm()
  // A step that ends between the code and its check leaves the code two steps behind.
  const { recovery_codes } = must(first.status === 401 ? await confirm() : first)
  return { secret: secret as string, recovery_codes: recovery_codes as string[] }
}
