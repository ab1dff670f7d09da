import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { listSymbolsRoute } from '../../../builds/symbols/routes.ts'
import { symbolLimits } from '../../../builds/upload-limits.ts'
import { callRoute } from '../../../core/http/call.ts'
import { type FilePart, readForm } from '../../../core/http/multipart.ts'
import { type Route, type RouteData, route } from '../../../core/http/route.ts'
import { MIB } from '../../../core/runtime/units.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { uploadSymbols } from '../../../uploads/symbols/routes.ts'
import { type ApiAnswer, withField } from '../../call.ts'
import { button, rejectedForm } from '../../components/form.ts'
import { dateTag, formatBytes, platformLabel } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { uploadRouteParts } from '../../page-routes.ts'
import { withStatus } from '../project-form.ts'
import {
  openProject,
  type ProjectContext,
  type ProjectInput,
  pathParams,
  type ShowPage,
} from '../project-page.ts'
import type { Build } from './builds.ts'

type SymbolFile = RouteData<typeof listSymbolsRoute>['symbols'][number]

const MAX_FIELD_BYTES = MIB

export function symbolsBody(
  { base }: ProjectContext,
  { build_id }: Build,
  symbols: SymbolFile[],
): Html {
  const action = `${base}/builds/${build_id}/symbols`
  const none = html`<p class="soft">${t('symbols-none')}</p>`
  return html`
    ${symbols.length ? symbolTable(action, symbols) : none}
    <details class="more">
      <summary>${t('symbols-upload')}</summary>
      <p class="soft">
        ${richText('symbols-upload-text', {
          command: html`<code>slipway symbols --build-id ${build_id} path</code>`,
          link: linkTo(`${base}/deploy-keys`),
        })}
      </p>
      ${symbolsForm(action)}
    </details>`
}

const symbolRow = (action: string, symbol: SymbolFile) => [
  html`<span class="mono">${symbol.module_name}</span>`,
  html`<span class="mono">${symbol.debug_id}</span>`,
  platformLabel(symbol.os, symbol.arch),
  formatBytes(symbol.size),
  dateTag(symbol.created_at),
  postButton(t('symbols-delete'), `${action}/${symbol.symbol_uid}/delete`),
]

const symbolTable = (action: string, symbols: SymbolFile[]): Html => html`
  ${table(
    t('symbols-table'),
    [
      t('column-module'),
      t('symbols-debug-id'),
      t('column-platform'),
      t('column-size'),
      t('column-uploaded'),
      '',
    ],
    symbols.map((symbol) => symbolRow(action, symbol)),
  )}
  ${confirmButton({
    label: t('symbols-delete-all'),
    sentence: t('symbols-delete-all-text'),
    action: `${action}/delete`,
    confirm: t('symbols-delete-all-confirm'),
  })}`

const secretInput = (name: string, label: string): Html => html`
  <div class="field">
    <label for="f-${name}">${label}</label>
    <input id="f-${name}" name="${name}" type="password" autocomplete="off" required class="mono">
  </div>`

/** A checksum input, which file-checksum.mjs fills in once a file is chosen. */
export const checksumInput = (id: string, label: Text, filename: string): Html => html`
  <div class="field">
    <label for="${id}">${label}</label>
    <input id="${id}" name="checksum" required pattern="(sha256:)?[0-9a-fA-F]{64}" class="mono">
    <p class="hint">
      ${richText('checksum-hint', { command: html`<code>sha256sum ${filename}</code>` })}
    </p>
  </div>`

/** The keys come before the file in the form, so that the file can be forwarded as it arrives. */
const symbolsForm = (action: string): Html => html`
  <form class="form" method="post" enctype="multipart/form-data" action="${action}">
    <div class="pair">
      ${secretInput('access_token', 'SVC_ACCESS_TOKEN')}
      ${secretInput('secret_key', 'SVC_SECRET_KEY')}
    </div>
    <file-checksum>
      ${checksumInput('f-symbols-checksum', t('checksum-of-file'), 'game.sym')}
      <div class="field">
        <label for="f-symbols-file">${t('symbols-file')}</label>
        <input id="f-symbols-file" type="file" name="file" accept=".sym,.zip" required>
      </div>
    </file-checksum>
    ${button(t('symbols-upload'), { kind: 'quiet' })}
  </form>`

/**
 * Forwards the form with the keys as headers, which a browser cannot set. The session is not sent
 * along, so the deploy key alone decides.
 */
async function forwardWithKeys({ request, params }: ProjectContext): Promise<ApiAnswer> {
  const fields: Record<string, string> = { build_id: params.build! }
  const parts = readForm(request.raw, {
    max_bytes: symbolLimits.max_upload_bytes + MAX_FIELD_BYTES,
  })
  let part = await parts.next()
  for (; !part.done && 'value' in part.value; part = await parts.next())
    fields[part.value.name] = part.value.value
  const file = part.done ? undefined : (part.value as FilePart)
  const { access_token = '', secret_key = '', build_id = '', checksum = '' } = fields
  const boundary = randomUUID()
  const answer = await callRoute(request, uploadSymbols, {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'x-access-token': access_token,
      'x-secret-key': secret_key,
    },
    payload: Readable.from(multipart(boundary, { build_id, checksum }, file)),
  })
  await parts.return()
  return answer.ok ? answer : withField(answer)
}

async function* multipart(
  boundary: string,
  fields: Record<string, string>,
  file: FilePart | undefined,
): AsyncGenerator<Uint8Array> {
  const partHead = (disposition: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`
  for (const [name, value] of Object.entries(fields))
    yield Buffer.from(`${partHead(`name="${name}"`)}${value}\r\n`)
  if (file) {
    const filename = file.filename.replace(/["\\\r\n]/g, '_')
    yield Buffer.from(partHead(`name="file"; filename="${filename}"`))
    yield* file.bytes
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

export const uploadSymbolsForm = (show: ShowPage): Route =>
  route({
    ...uploadRouteParts,
    url: '/dashboard/:game/builds/:build/symbols',
    summary: 'Upload the debug symbols of a build',
    params: pathParams(':game/:build'),
    errors: [
      'NOT_FOUND',
      'DEVELOPER_MODE_REQUIRED',
      'EMAIL_NOT_VERIFIED',
      'FILE_MISSING',
      'BODY_TOO_LARGE',
      'MALFORMED',
    ],
    async handle(input: ProjectInput) {
      const project = await openProject(input)
      const answer = await forwardWithKeys(project)
      if (!answer.ok)
        return show(withStatus(project, answer), {
          form: 'build',
          state: rejectedForm(null, answer),
        })
      const { base, params, reply } = project
      return redirectTo(reply, `${base}/builds/${params.build}#symbols`, t('symbols-uploaded'))
    },
  } as never)
