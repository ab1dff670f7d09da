import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { fileStates } from '../../operator/files/queries.ts'
import { listFilesRoute, scanFileAgainRoute } from '../../operator/files/routes.ts'
import { callApi, readApi, toRefusal } from '../call.ts'
import { badge } from '../components/badge.ts'
import { fieldValue, optionTags } from '../components/form.ts'
import { dateTimeTag, formatBytes } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { postButton } from '../components/secret-field.ts'
import { emptyState, facts, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { localPath } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole, searchForm } from './console-page.ts'
import { targetPath } from './moderation/paths.ts'

const URL = '/operator/files'
type Files = RouteData<typeof listFilesRoute>
type File = Files['items'][number]

const tones = {
  waiting: ['soft', 'wait'],
  scanning: ['soft', 'wait'],
  clean: ['ok', 'ok'],
  rejected: ['bad', 'bad'],
  error: ['bad', 'warn'],
  quarantined: ['bad', 'warn'],
  withdrawn: ['soft', 'minus'],
} as const

const stateBadge = ({ state }: File): Html => {
  const [tone, sign] = tones[state]
  return badge(t(`stored-file-state-${state}`), tone, sign)
}

const fileName = ({ filename, version, os, arch, channel, sha256 }: File): Html => html`
  <span class="file-name">${filename}</span>
  <span class="hint">${version} · ${os}/${arch} · ${channel}</span>
  <code class="hint" title="${sha256}">${sha256.slice(0, 16)}…</code>`

const listingName = ({ listing: { name, vanity_name, username, is_public } }: File): Html =>
  is_public
    ? html`<a href="/${username}/${vanity_name}">${name}</a>`
    : html`<a href="/operator/listings?q=${encodeURIComponent(vanity_name)}">${name}</a>`

const engineText = (engine: string): Text | string =>
  engine === 'embedded' ? t('scanner-embedded') : engine

const lastScan = ({ scanned_at, engine, finding }: File): Html => html`
  ${scanned_at ? dateTimeTag(scanned_at) : t('stored-file-not-scanned')}
  ${engine && html`<span class="hint">${engineText(engine)}</span>`}
  ${finding && html`<span class="file-finding">${finding}</span>`}`

const canScan = ({ state, bytes_stored }: File) =>
  bytes_stored && ['clean', 'withdrawn', 'waiting', 'scanning'].includes(state)

const scanButton = (file: File, from: string): Html =>
  postButton(t('stored-file-scan-again'), `${URL}/${file.uid}/scan`, {
    fields: html`<input type="hidden" name="from" value="${from}">`,
  })

const fileTable = (files: readonly File[], from: string): Html =>
  table(
    t('console-files'),
    [
      t('stored-file-file'),
      t('console-listing'),
      t('stored-file-size'),
      t('console-state'),
      t('stored-file-last-scan'),
      t('stored-file-scan-again'),
      t('moderation'),
    ],
    files.map((file) => [
      fileName(file),
      listingName(file),
      formatBytes(file.size),
      stateBadge(file),
      lastScan(file),
      canScan(file) ? scanButton(file, from) : html`–`,
      html`<a href="${targetPath('file', file.uid)}">${t('moderate')}</a>`,
    ]),
  )

const scannerFacts = ({ scanner }: Files): Html => {
  const { engine, last_scan_at, waiting, scanning, oldest_wait_seconds } = scanner
  const minutes = Math.round(oldest_wait_seconds / 60)
  return html`${facts([
    [t('scanner-engine'), engineText(engine)],
    [t('scanner-last'), last_scan_at ? dateTimeTag(last_scan_at) : t('stored-file-not-scanned')],
    [t('scanner-queue'), t('scanner-queue-counts', { waiting, scanning, minutes })],
  ])}`
}

const stateOptions = [
  { value: '', label: t('console-any-state') },
  ...fileStates.map((value) => ({ value, label: t(`stored-file-state-${value}`) })),
]

const stateField = (state: string): Html => html`
  <label class="sr" for="state">${t('console-state')}</label>
  <select id="state" name="state">${optionTags(stateOptions, state)}</select>`

export const filesPage = getPage(URL, 'Stored files and their scans', {
  auth: consoleOperator,
  query: Type.Object({
    q: Type.String({ default: '', maxLength: 200 }),
    state: Type.String({ default: '' }),
    page: Type.String({ default: '1' }),
  }),
  async handle(input) {
    const { q, state, page } = input.query
    const known = fileStates.find((name) => name === state)
    const data = await readApi(input.request, listFilesRoute, {
      query: { q, page: pageNumber(page), ...(known && { state: known }) },
    })
    const search = new URLSearchParams({ ...(q && { q }), ...(known && { state: known }) })
    const address = search.size ? `${URL}?${search}` : URL
    return renderConsole(input, URL, {
      body: html`
        ${scannerFacts(data)}
        ${searchForm(URL, { label: t('files-search'), q, fields: stateField(known ?? '') })}
        ${data.items.length ? fileTable(data.items, input.request.url) : noFiles}
        ${pager(address, data)}`,
    })
  },
})

const noFiles = emptyState(t('files-none'), t('console-search-none'))

/** Leads back to the list as it was. */
export const submitScan = postForm(`${URL}/:uid/scan`, 'Scan a file again', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String({ format: 'uuid' }) }),
  async handle({ request, reply, params, body }) {
    const from = localPath(fieldValue(body, 'from'))
    const back = from?.startsWith(URL) ? from : URL
    const answer = await callApi(request, scanFileAgainRoute, { params })
    if (answer.ok) return redirectTo(reply, back, t('stored-file-scan-sent'))
    if (answer.status === 404) throw toRefusal(answer)
    return redirectTo(reply, back, answer.message)
  },
})

export const filePages = [filesPage, submitScan]
