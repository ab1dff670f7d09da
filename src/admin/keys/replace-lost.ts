import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { isDataFolderLocked } from '../../core/database/embedded/data-lock.ts'
import { migrate } from '../../core/database/migrate.ts'
import { openPool, type Sql } from '../../core/database/sql.ts'
import { createLog } from '../../core/runtime/log.ts'
import {
  countSealedValues,
  removeSealedValues,
  type SealedCount,
} from '../../core/security/sealed-columns.ts'
import { hasKeyFile, KEY_FILE, SecretsError } from '../../core/security/secrets.ts'
import { isKeyLost, KEY_CHECK_FIELD } from '../../core/settings/key-check.ts'
import { AdminError, noArguments, type RunAlone, type StandaloneCommand } from '../command.ts'
import { openDatabase, requireFolderOf } from '../open-database.ts'

/** Needs no key, so it opens the database itself. */
export const lostKeyCommand: StandaloneCommand = {
  name: 'secrets replace-lost',
  flags: ['--yes'],
  summary: 'start over with a new key when the key is lost for good',
  help: `Removes every value that the lost key encrypted, because nothing opens them any more, and what
depends on them. Without --yes it only says what they are, and what people must enter or set up
again. Everything else stays. Refused while the key of DATA_DIR or SECRETS_KEY opens any of them.

Look for ${KEY_FILE} in every backup first. Stop every process of the service.

Next: start the service, which creates a new key, or uses the one of SECRETS_KEY. Back it up. Links
and tokens that were issued before stop working ("help secrets retire" lists them). If the clean-up
of objects is refused afterwards, as after any restore, see "When the clean-up of objects is
refused" in docs/backup.md.`,
  runAlone: replaceLost,
}

function explainDamagedKey(error: unknown): never {
  if (!(error instanceof SecretsError)) throw error
  throw new AdminError(
    `${error.message}. If nothing of it can be saved, move it away, then run this again.`,
  )
}

const sentenceOf = ({ values, next, count }: SealedCount) => `  ${values}: ${count}; ${next}`

async function replaceLost({ config, flags, ...rest }: RunAlone): Promise<string> {
  noArguments(rest)
  requireFolderOf(config)
  if (!config.database_url && isDataFolderLocked(config.data_dir))
    throw new AdminError(`A service runs on ${config.data_dir}. Stop it first.`)
  const stops: (() => unknown)[] = []
  try {
    const { url, is_running } = await openDatabase(config, stops)
    if (!is_running) await migrate(url, createLog({ log_level: 'warn' }))
    const sql = openPool(url, 1, 'slipway lost key')
    stops.push(() => sql.end({ timeout: 5 }))
    if (!(await isKeyLost(sql, config).catch(explainDamagedKey)))
      throw new AdminError(
        'The key is not lost: it opens the secrets of this database, or nothing is encrypted. ' +
          'Nothing was removed.',
      )
    const counts = await countSealedValues(sql, KEY_CHECK_FIELD)
    if (!flags.has('--yes')) throw new AdminError(question(counts))
    await startOver(sql, counts)
    return answer(counts, Boolean(config.secrets_key) || hasKeyFile(config.data_dir))
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const question = (counts: SealedCount[]) =>
  [
    'This removes for good what the lost key encrypted:',
    ...(counts.length ? counts.map(sentenceOf) : ['  nothing that people must enter again']),
    'Look for the key in every backup first. Add --yes to confirm.',
  ].join('\n')

const answer = (counts: SealedCount[], has_key: boolean) =>
  [
    ...(counts.length ? ['removed, to be entered or set up again:'] : []),
    ...counts.map(sentenceOf),
    `Next: start the service. It ${has_key ? 'uses the key that is there now' : 'creates a new key'}; back it up.`,
  ].join('\n')

async function startOver(sql: Sql, counts: SealedCount[]): Promise<void> {
  await sql.begin(async (tx) => {
    await removeSealedValues(tx)
    await recordAudit(tx, {
      user_uid: null,
      game_uid: null,
      action: 'secrets.replace-lost',
      detail: Object.fromEntries(counts.map(({ values, count }) => [values, count])),
    })
  })
}
