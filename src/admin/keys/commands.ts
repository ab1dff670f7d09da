import { CODE_SECONDS } from '../../accounts/credentials/codes.ts'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { deleteSecondFactors } from '../../accounts/second-factor/queries.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { PLAYER_TOKEN_SECONDS } from '../../accounts/sessions/player-tokens.ts'
import { deleteSessions } from '../../accounts/sessions/queries.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { rotateSecrets } from '../../core/security/rotate-secrets.ts'
import { addKey, createSecrets, loadKeyring, retireKeys } from '../../core/security/secrets.ts'
import { counted } from '../../core/text/counted.ts'
import { DOWNLOAD_LINK_SECONDS } from '../../downloads/links.ts'
import { CRASH_LINK_SECONDS } from '../../telemetry/crashes/file-links.ts'
import { AdminError, type Command, noArguments, oneArgument } from '../command.ts'
import { findPerson } from '../people.ts'

const minutes = (seconds: number) => `${seconds / MINUTE} minutes`

export const keyCommands: Command[] = [
  {
    name: 'secrets rotate',
    summary: 'create a new key and encrypt every secret with it',
    help: `Adds a new key at the front of DATA_DIR/secrets.key and encrypts every stored secret with
it, in batches of 500. Old keys stay in the file, so running processes continue, and they pick up
the new key. If it is stopped, run it again; it continues with the rest (and adds another key, which
does no harm).

With SECRETS_KEY, put the new key in front (2:<new>,1:<old>), restart every process, then run this.
Links and tokens are still signed with a key derived from the oldest one.

Next: back up the key file. Run "secrets retire" when the old key must be removed.`,
    async run({ core, progress, signal, ...rest }) {
      noArguments(rest)
      if (!core.config.secrets_key) await addKey(core.config.data_dir)
      const secrets = createSecrets(await loadKeyring(core.config))
      const on_progress = (done: number) => progress(`${done} secrets encrypted again`)
      const count = await rotateSecrets(core.sql, secrets, { on_progress, signal })
      return `every secret is encrypted with key ${secrets.current_version()}; ${count} changed`
    },
  },
  {
    name: 'secrets retire',
    flags: ['--yes'],
    summary: 'remove every key except the current one, which invalidates links and tokens',
    help: `Removes old keys from DATA_DIR/secrets.key, for example after a leak. Refused while a
secret is still encrypted with one of them, and without --yes.

Keys derived from the oldest key change. These stop working if they were issued before:
  download links (valid for ${minutes(DOWNLOAD_LINK_SECONDS)})
  mail codes (${minutes(CODE_SECONDS)})
  links to crash files (${minutes(CRASH_LINK_SECONDS)})
  player tokens (${minutes(PLAYER_TOKEN_SECONDS)})
Launch health counts devices as new ones. With SECRETS_KEY, remove the old entries from it instead.

Next: restart every process, because processes keep derived keys in memory.`,
    async run({ core, flags, ...rest }) {
      noArguments(rest)
      if (core.config.secrets_key)
        throw new AdminError(
          'The keys are in SECRETS_KEY: remove the old entries from it and restart every process',
        )
      if (!flags.has('--yes'))
        throw new AdminError(
          'This invalidates links and tokens: ' +
            'read "help secrets retire", then add --yes to confirm',
        )
      const { current, removed } = await retireKeys(core.sql, core.config.data_dir)
      return removed
        ? `removed ${counted(removed, 'old key')}; key ${current} remains; now restart every process`
        : `nothing to remove: key ${current} is the only key`
    },
  },
  {
    name: 'second-factor reset',
    takes: '<username|email>',
    summary: 'remove the second factor of a person who lost it',
    help: `Removes the passkeys, the authenticator app and the recovery codes of a person, and signs them
out. They sign in with their password alone. The change is recorded in the audit entries.

Make sure first that it is them who asks: whoever has their password gets in afterwards.`,
    async run({ core, ...rest }) {
      const { uid, username } = await findPerson(core, oneArgument(rest))
      const removed = await core.sql.begin(async (tx) => {
        const count = await deleteSecondFactors(tx, uid)
        if (!count) return 0
        await recordAudit(tx, {
          user_uid: null,
          game_uid: null,
          action: 'accounts.reset-second-factor',
          detail: { person: uid },
        })
        await recordSecurityEvent(tx, { core }, { kind: 'second_factor_reset', user_uid: uid })
        return count
      })
      if (!removed) return `${username} has no second factor`
      await deleteSessions(core.sql, uid)
      return `${username} signs in with the password alone; sessions ended`
    },
  },
  {
    name: 'sessions end',
    takes: '<username|email|--all>',
    flags: ['--all'],
    summary: "end a person's website sessions, or everyone's",
    help: `Signs out a person, or everyone with --all, from the website, within a second on every
process. Player keys, agent keys and deploy keys stay valid.

Use it after a stolen cookie, or with --all when somebody had access to the database.`,
    async run({ core, flags, ...rest }) {
      if (flags.has('--all')) noArguments(rest)
      const user_uid = flags.has('--all') ? null : (await findPerson(core, oneArgument(rest))).uid
      return `${counted(await deleteSessions(core.sql, user_uid), 'session')} ended`
    },
  },
]
