import { createRequire } from 'node:module'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

export const passwordLengths = { min: 10, max: 128 } as const

const require = createRequire(import.meta.url)

/** Common passwords that the list below lacks. */
const moreCommonPasswords =
  `1234567890 0123456789 12345678910 123456789a 1234567890a 1q2w3e4r5t 1qaz2wsx3edc q1w2e3r4t5
  qwertyuiop qwerty123456 qwerty12345 1234qwerasdf qwertyuiop123 asdfghjkl1 asdfghjkl123 zxcvbnm123
  password12 password123 password1234 password12345 password123! passw0rd123 p@ssw0rd123 mypassword
  mypassword1 newpassword changeme123 letmein123 letmeinnow welcome123 welcome1234 iloveyou123
  iloveyou12 iloveyou1234 administrator admin12345 admin123456 abcdefghij abc1234567 abcd123456
  a123456789 aa123456789 9876543210 0987654321 1111111111 0000000000 1122334455 1212121212
  123123123123 12341234123 princess123 football123 baseball123 basketball superman123 dragon12345
  monkey12345 sunshine123 trustno1trustno1 minecraft123`.split(/\s+/)

type CommonWords = { dictionary: Record<'passwords-common', string[]> }
let common: ReadonlySet<string> | undefined

/**
 * The 49,000 most common passwords, of which those that are long enough matter. The list is loaded
 * when the first password is set, because it takes 5 MB.
 */
function commonPasswords(): ReadonlySet<string> {
  if (common) return common
  const { dictionary } = require('@zxcvbn-ts/language-common') as CommonWords
  const long = dictionary['passwords-common'].filter(({ length }) => length >= passwordLengths.min)
  common = new Set([...moreCommonPasswords, ...long])
  return common
}

/** How many characters a password has besides words that anyone would guess first. */
const MIN_OWN_CHARACTERS = 6
/** Shorter words are part of too many others. */
const MIN_WORD = 4

type PasswordContext = { username: string; email: string; store_name: string }

/** Words that say something of the account or the store. */
const contextWords = ({ username, email, store_name }: PasswordContext): string[] =>
  ['slipway', store_name, username, email, email.split('@')[0]!]
    .flatMap((word) => [word, ...word.split(/[\s._+-]+/)])
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD)
    .sort((a, b) => b.length - a.length)

/** Whether nearly all of the password is the name of the person or of the store. */
export function isGuessedFrom(password: string, context: PasswordContext): boolean {
  let rest = password.toLowerCase()
  for (const word of contextWords(context)) rest = rest.replaceAll(word, '')
  const own = [...rest].filter((character) => /[\p{L}\p{N}]/u.test(character)).length
  return rest.length < password.length && own < MIN_OWN_CHARACTERS
}

export function checkPassword(password: string, context: PasswordContext): string {
  const length = [...password].length
  const { min, max } = passwordLengths
  if (length < min || length > max)
    refuse(
      'MALFORMED',
      undefined,
      explain('length', `body.password: ${min} to ${max} characters`, { min, max }),
    )
  if (isGuessedFrom(password, context))
    refuse(
      'MALFORMED',
      undefined,
      explain(
        'password_own_name',
        'body.password: must be more than your username, your email or the name of the store',
      ),
    )
  if (commonPasswords().has(password.toLowerCase()))
    refuse(
      'MALFORMED',
      undefined,
      explain('password_common', 'body.password: this password is too common; choose another'),
    )
  return password
}
