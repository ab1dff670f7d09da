import type { WithdrawnDownload } from '../../../listings/withdrawn/queries.ts'
import { platformLabel } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'

/** Tells a person that what they downloaded was withdrawn, why, and what to get instead. */
export const withdrawnNotice = (download: WithdrawnDownload): Html => {
  const { app, version, os, arch, reason, replacement } = download
  const platform = platformLabel(os, arch)
  const name = app ? `${version} (${app})` : version
  return html`
    <div class="notice notice-warn" role="status">
      ${icon('warn')}
      <div>
        <p>${richText('withdrawn-download', { version: name, platform, strong: strongText })}</p>
        <blockquote>${reason}</blockquote>
        ${
          replacement &&
          html`
            <p>
              ${richText('withdrawn-replacement', {
                replacement: replacement.version,
                strong: strongText,
              })}
            </p>`
        }
      </div>
    </div>
  `
}
