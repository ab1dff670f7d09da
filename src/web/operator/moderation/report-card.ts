import type { RouteData } from '../../../core/http/route.ts'
import { listTexts, type Text, t } from '../../../core/text/text.ts'
import { actionTexts } from '../../../moderation/mail-templates.ts'
import { kindTexts } from '../../../moderation/reports/mail-templates.ts'
import type { readTargetRoute } from '../../../moderation/targets/routes.ts'
import { scanBadge } from '../../components/badge.ts'
import { fieldLabel, fieldValueText } from '../../components/field-text.ts'
import { dateTimeTag, formatBytes, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { facts, table } from '../../components/table.ts'
import { DECISIONS, MODERATION } from './paths.ts'

type Report = RouteData<typeof readTargetRoute>['reports'][number]

/** One text as it is, or several as a list. */
const textList = (values: readonly (Text | Html)[]): Html =>
  values.length === 1
    ? html`<span class="pre-line">${values[0]}</span>`
    : html`<ul class="plain">${values.map((value) => html`<li class="pre-line">${value}</li>`)}</ul>`

const yesOrNo = (value: string): Text =>
  value === 'true' ? t('moderation-adult-yes') : t('moderation-adult-no')

/** How each part of a snapshot is called, and how its values are written. */
const snapshotNames: Record<string, [Text, ((value: string) => Text | Html)?]> = {
  owner: [t('sweep-publisher')],
  asset_type: [fieldLabel('asset_type'), labelOf],
  name: [t('snapshot-name')],
  tagline: [fieldLabel('tagline')],
  description: [fieldLabel('description')],
  translations: [fieldLabel('translations')],
  mod_instructions: [t('mod-instructions')],
  demo_url: [fieldLabel('demo_url')],
  tags: [fieldLabel('tags')],
  genres: [fieldLabel('genres'), labelOf],
  accessibility: [fieldLabel('accessibility'), labelOf],
  adult: [t('moderation-adult'), yesOrNo],
  content_warnings: [fieldLabel('content_warnings'), labelOf],
  authorship: [fieldLabel('authorship'), labelOf],
  authorship_credit: [fieldLabel('authorship_credit')],
  ai_uses: [fieldLabel('ai_uses'), (value) => fieldValueText('ai_uses', value)],
  license_kind: [fieldLabel('license_kind'), labelOf],
  price_cents: [t('snapshot-price'), (value) => formatPrice(Number(value))],
  filename: [t('sweep-file')],
  size: [t('stored-file-size'), (value) => formatBytes(Number(value))],
  sha256: ['SHA-256', (value) => html`<code>${value}</code>`],
  scan: [t('scans'), scanBadge],
  uploaded_at: [t('snapshot-uploaded'), dateTimeTag],
  findings: [t('snapshot-findings')],
  entries: [t('snapshot-entries')],
  author: [t('snapshot-author')],
  text: [t('snapshot-text')],
  enjoyed: [t('snapshot-enjoyed'), yesOrNo],
  quality: [t('snapshot-quality'), (value) => `${value}/5`],
  reply: [t('snapshot-reply')],
  username: [t('username')],
  bio: [t('snapshot-bio')],
  links: [t('report-urls')],
  message: [t('snapshot-message')],
}

/** Lists of words, which are written in one line. */
const shortLists = ['tags', 'genres', 'accessibility', 'content_warnings', 'ai_uses']

const nameOrder = Object.keys(snapshotNames)

/** The database does not keep the order of names. Files have a table of their own. */
const inOrder = (snapshot: Report['snapshot']): Report['snapshot'] =>
  snapshot
    .filter(({ name }) => name !== 'files')
    .sort((left, right) => nameOrder.indexOf(left.name) - nameOrder.indexOf(right.name))

function snapshotRow({ name, values }: Report['snapshot'][number]) {
  const [label = name, write = (value: string): Text | Html => value] = snapshotNames[name] ?? []
  const written = values.map(write)
  return [
    label,
    shortLists.includes(name) ? listTexts(written as Text[], 'unit') : textList(written),
  ] as const
}

const fileTable = (files: Report['files']): Html =>
  table(
    t('snapshot-files'),
    [t('sweep-file'), t('stored-file-size'), t('scans'), 'SHA-256'],
    files.map(({ filename, size, scan, sha256 }) => [
      filename,
      formatBytes(size),
      scanBadge(scan),
      html`<code title="${sha256}">${sha256.slice(0, 16)}…</code>`,
    ]),
  )

const snapshotPart = ({ snapshot, files, images }: Report): Html => html`
  <details>
    <summary>${t('moderation-snapshot')}</summary>
    ${facts(inOrder(snapshot).map(snapshotRow))}
    ${files.length > 0 && fileTable(files)}
    <div class="row">
      ${images.map(
        (sha256) => html`
          <img src="${MODERATION}/images/${sha256}" alt="" width="240" loading="lazy">`,
      )}
    </div>
  </details>`

/** Which decision closed a report. */
const decisionLink = ({ action, action_uid, decided_at }: Report): Html | false =>
  action !== null &&
  html`
    <p>
      <a href="${DECISIONS}/${action_uid}">${actionTexts[action]}</a>
      <span class="soft">${decided_at && dateTimeTag(decided_at)}</span>
    </p>`

export const reportCard = (report: Report): Html => html`
  <article class="panel">
    <p>
      <span class="label">${kindTexts[report.kind]}</span>
      <span class="soft">${dateTimeTag(report.created_at)}</span>
    </p>
    ${decisionLink(report)}
    <p class="pre-line">${report.text}</p>
    ${report.urls.length > 0 && facts([[t('report-urls'), textList(report.urls)]])}
    ${
      report.copyright &&
      facts([
        [t('report-work'), report.copyright.work],
        [t('report-holder'), report.copyright.holder],
        [t('report-signature'), report.copyright.signature],
      ])
    }
    <p class="soft">
      ${t('moderation-reporter-record', {
        reports: report.reporter_reports,
        upheld: report.reporter_upheld,
      })}
    </p>
    ${snapshotPart(report)}
  </article>`
