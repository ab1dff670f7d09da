import { t } from '../../core/text/text.ts'
import { isNearlyFull, type StorageKind, storageKinds } from '../../listings/storage/quota-rules.ts'
import { badge } from '../components/badge.ts'
import { formatBytes } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { facts } from '../components/table.ts'

/** How much of a limit is used, with a warning from 80 % on; null is without a limit. */
export function storageBar(used: number, limit: number | null): Html {
  if (limit === null) return html`<span>${formatBytes(used)}</span>`
  const sizes = { used: formatBytes(used), limit: formatBytes(limit) }
  // A bar needs a positive maximum.
  const maximum = Math.max(1, limit)
  return html`
    <span class="storage-bar">
      <progress max="${maximum}" value="${Math.min(used, maximum)}" aria-hidden="true"></progress>
      ${t('storage-used-of', sizes)}
      ${isNearlyFull(used, limit) && badge(t('storage-nearly-full'), 'bad', 'warn')}
    </span>`
}

type Part = { used_bytes: number; limit_bytes: number | null }
type Storage = {
  kinds: Record<StorageKind, number>
  developers: Part
  players: Part
  warning: boolean
  contact: string
}

/** What a listing or an account stores, by kind of file, and what it may store. */
export function storageSection(storage: Storage): Html {
  const { developers, players, kinds, warning, contact } = storage
  const stored = (Object.keys(storageKinds) as StorageKind[]).filter((kind) => kinds[kind] > 0)
  return html`
    ${facts([
      [t('storage-developers'), storageBar(developers.used_bytes, developers.limit_bytes)],
      [t('storage-players'), storageBar(players.used_bytes, players.limit_bytes)],
      ...stored.map(
        (kind) => [t(`storage-kind-${kind.replace('_', '-')}`), formatBytes(kinds[kind])] as const,
      ),
    ])}
    ${warning && html`<p>${t('storage-ask', { contact: contact || 'none' })}</p>`}`
}
