import { t } from '../../../core/text/text.ts'
import { html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { SECURITY_PAGE } from './paths.ts'

export const renderCodes = (context: Context, codes: readonly string[]) =>
  narrowPage(context, {
    title: t('recovery-codes'),
    secret: true,
    body: html`
      <p class="notice">${t('recovery-codes-save')}</p>
      <ul class="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
      <p>
        <a class="button button-primary" href="${SECURITY_PAGE}">${t('recovery-codes-saved')}</a>
      </p>
    `,
  })
