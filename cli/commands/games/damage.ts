import { readVersion } from '../../client/record.ts'
import { findProblems } from '../../client/verify.ts'
import type { Context } from '../../command.ts'
import { exits, Failure } from '../../errors.ts'
import { t } from '../../messages.ts'
import type { Installed } from './installed.ts'
import { treeOf } from './shared.ts'

/** The files of an installed game that are missing or changed. */
export async function findDamage(context: Context, target: Installed) {
  const version = await readVersion(target.folder, target.install.current)
  if (!version) throw new Failure(exits.damaged, t('games-no-record'), t('games-no-record-hint'))
  const { name } = target.install
  const total = version.manifest.unpacked_size
  const progress = context.ui.progress(t('games-verifying', { name }), total)
  let done = 0
  const problems = await findProblems(treeOf(target), version, (bytes) => {
    done += bytes
    progress.at(done)
  }).finally(() => progress.end())
  return { ...target, version, problems }
}
