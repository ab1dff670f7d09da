import type { Core } from '../../core/runtime/core.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { CardRow } from '../cards/queries.ts'
import { readListed } from './queries.ts'

/** The shelf that operators fill by hand, in the setting `picks`. */
export const PICKS = 'editors_picks'

export type PickRow = CardRow & { note: string }

/** The picks that every visitor sees, in the order of the operators, each once. */
export async function loadPicks(core: Core, limit: number): Promise<PickRow[]> {
  const { picks } = core.settings.current
  if (!picks.length) return []
  const refs = picks.map(({ listing }) => listing)
  const rows = await core.read((sql) =>
    readListed(sql, {
      uids: refs.filter(isUuid),
      vanity_names: refs.filter((ref) => !isUuid(ref)),
    }),
  )
  const picked = picks.flatMap(({ listing, note }) => {
    const row = rows.find(
      ({ uid, vanity_name }) => uid === listing.toLowerCase() || vanity_name === listing,
    )
    return row ? [{ ...row, note }] : []
  })
  return [...new Map(picked.map((row) => [row.uid, row])).values()].slice(0, limit)
}
