import { hash, verify } from '@node-rs/argon2'

/** argon2id; the library exports the name only as a compile-time constant. */
const ARGON2ID = 2
const cost = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string) => hash(password, cost)

let decoy: Promise<string> | undefined

/**
 * For an account that does not exist, the password is compared with a decoy, so that the answer
 * takes as long as for a wrong password.
 */
export async function passwordMatches(
  password_hash: string | undefined,
  password: string,
): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  const matches = await verify(password_hash ?? (await decoy), password)
  return matches && password_hash !== undefined
}
