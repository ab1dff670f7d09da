import { deleteSessions } from '../accounts/sessions/queries.ts'
import {
  addKey,
  createSecrets,
  loadKeyring,
  retireKeys,
  rotateSecrets,
} from '../core/security/secrets.ts'
import { AdminError, type Command, noArguments, oneArgument } from './command.ts'
import { findPerson } from './people.ts'

export const keyCommands: Command[] = [
  {
    name: 'secrets rotate',
    summary: 'make a new key (unless SECRETS_KEY holds them) and seal every secret with it',
    help: `Adds a new key in front of DATA_DIR/secrets.key and seals every stored secret with it, in batches of 500.

Old keys stay readable, so running processes go on; with a key file they take up the new key by themselves. Stopped half
way, it is run again and goes on with what is left (a further key is made, which does no harm). With SECRETS_KEY put the new
key in front (2:<new>,1:<old>), restart every process, then run this.
Links and tokens are still signed with what the oldest key gives. Next: back up the key file; "secrets retire" when the old key must go.`,
    async run({ core, progress, signal, ...rest }) {
      noArguments(rest)
      if (!core.config.secrets_key) await addKey(core.config.data_dir)
      const secrets = createSecrets(await loadKeyring(core.config))
      const on_progress = (done: number) => progress(`${done} sealed anew`)
      const count = await rotateSecrets(core.sql, secrets, { on_progress, signal })
      return `every secret is sealed with key ${secrets.current_version()}; ${count} changed`
    },
  },
  {
    name: 'secrets retire',
    flags: ['--yes'],
    summary: 'forget every key but the current one, and with it what signs links and tokens',
    help: `Removes old keys from DATA_DIR/secrets.key. Refused while a secret is still sealed with one of them, and without --yes.

What is derived from the oldest key changes with it: download links (5 minutes), links to crash files and mail codes (10 minutes) and
player tokens (1 hour) given out before stop working, and devices in launch health are counted as new ones. For a key that leaked.
With SECRETS_KEY take the old entries out of it instead. Next: restart every process; they keep what they derived.`,
    async run({ core, flags, ...rest }) {
      noArguments(rest)
      if (core.config.secrets_key)
        throw new AdminError(
          'SECRETS_KEY holds the keys: take the old entries out of it and restart every process',
        )
      if (!flags.has('--yes'))
        throw new AdminError(
          'This ends links and tokens given out before: read "help secrets retire", then say --yes',
        )
      const { kept, removed } = await retireKeys(core.sql, core.config.data_dir)
      return removed
        ? `key ${kept} is the only one; ${removed} forgotten; now restart every process`
        : `key ${kept} is the only one already`
    },
  },
  {
    name: 'sessions end',
    takes: '<username|email|--all>',
    flags: ['--all'],
    summary: "end a person's website sessions, or everyone's",
    help: `Whoever was signed in on the website has to sign in again, within a second on every process. Keys of players, agents and build machines stay.

For a stolen cookie, or (--all) when the database was in the wrong hands.`,
    async run({ core, flags, ...rest }) {
      if (flags.has('--all')) noArguments(rest)
      const user_uid = flags.has('--all') ? null : (await findPerson(core, oneArgument(rest))).uid
      return `${await deleteSessions(core.sql, user_uid)} sessions ended`
    },
  },
]
