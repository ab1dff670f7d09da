import { t } from '../../core/text/text.ts'
import type { LibraryFile } from '../queries.ts'
import { formatBytes, labelOf } from './format.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

/** A file of a copy, as a button that downloads it. */
export function fileButton({ uid, os, arch, version, size, channel }: LibraryFile): Html {
  const system = os ? labelOf(os) : t('any-system-label')
  const platform =
    arch && arch !== 'universal' ? t('platform', { system, arch: labelOf(arch) }) : system
  return html`
    <li class="file" data-os="${os}">
      <a class="button button-quiet button-small" href="/download/${uid}" rel="nofollow">
        ${icon('download')}${platform}
        <span class="mono">${version}</span>
        ${channel === 'beta' && html`<span>${t('channel-beta')}</span>`}
        <span class="soft">${formatBytes(size)}</span>
      </a>
    </li>
  `
}
