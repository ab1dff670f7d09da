import { locked, rollBack } from '../../client/actions.ts'
import { readInstall } from '../../client/record.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { later, t } from '../../messages.ts'
import { findGame } from './installed.ts'
import { installedArgument } from './shared.ts'

export const rollback: Command = {
  name: 'rollback',
  summary: later('games-rollback'),
  details: [later('games-rollback-details')],
  args: [installedArgument],
  is_local: true,
  async run(context) {
    const { folder } = await findGame(context)
    return locked(folder, async () => {
      const install = (await readInstall(folder))!
      const { name } = install
      const version = await rollBack(folder, install)
      if (version === undefined) throw new UsageError(t('games-no-previous', { name }))
      return { json: { ok: true, name, version }, lines: [t('games-back', { name, version })] }
    })
  },
}
