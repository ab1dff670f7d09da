import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { symbolLimits } from '../../../builds/symbols/symbols.ts'
import { callRoute } from '../../../core/http/call.ts'
import { type FilePart, readForm } from '../../../core/http/multipart.ts'
import { type Route, route } from '../../../core/http/route.ts'
import { uploadSymbols } from '../../../uploads/symbols/routes.ts'
import { type ApiAnswer, withField } from '../../call.ts'
import { button, rejectedForm } from '../../components/form.ts'
import { dateTag, formatBytes, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { member } from '../../visitor.ts'
import { type Desk, openDesk, type Show } from '../project-page.ts'
import type { Build } from './builds.ts'

export type SymbolFile = {
  symbol_uid: string
  module_name: string
  debug_id: string
  os: string
  arch: string
  size: number
  created_at: string
}

const FORM_BYTES = 1024 * 1024

export const symbolPart = (desk: Desk, build: Build, symbols: SymbolFile[]): Html =>
  html`${
    symbols.length
      ? symbolTable(desk, build, symbols)
      : html`<p class="soft">None yet. With them, stacks of crash reports have names and lines.</p>`
  }
<details class="more"><summary>Send symbols</summary><p class="soft">Symbols are sent with the deploy key, here or by the uploader: <code>slipway symbols --build-id ${build.build_id} path</code>. <a href="${desk.base}/settings#deploy-keys">Make a pair of keys</a></p>${sendSymbols(desk, build)}</details>`

const symbolTable = ({ base }: Desk, { build_id }: Build, symbols: SymbolFile[]): Html =>
  html`${table(
    'Debug symbols',
    ['Module', 'Debug id', 'Platform', 'Size', 'Since', ''],
    symbols.map((symbol) => [
      html`<span class="mono">${symbol.module_name}</span>`,
      html`<span class="mono">${symbol.debug_id}</span>`,
      platformLabel(symbol.os, symbol.arch),
      formatBytes(symbol.size),
      dateTag(symbol.created_at),
      postButton('Delete', `${base}/builds/${build_id}/symbols/${symbol.symbol_uid}/delete`),
    ]),
  )}${confirmButton({ label: 'Delete all symbols…', sentence: 'Crash reports of this build then show modules and offsets instead of names. Stacks that were read already stay.', action: `${base}/builds/${build_id}/symbols/delete` })}`

const secretField = (name: string, label: string) =>
  html`<div class="field"><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" type="password" autocomplete="off" required class="mono"></div>`

/** The keys stand before the file: they are read first, and the file goes on as it arrives. */
const sendSymbols = (
  { base }: Desk,
  { build_id }: Build,
): Html => html`<form class="form" method="post" enctype="multipart/form-data" action="${base}/builds/${build_id}/symbols">
<div class="pair">${secretField('access_token', 'SVC_ACCESS_TOKEN')}${secretField('secret_key', 'SVC_SECRET_KEY')}</div>
<file-checksum><div class="field"><label for="f-symbols-checksum">SHA-256 of the file</label><input id="f-symbols-checksum" name="checksum" required pattern="(sha256:)?[0-9a-fA-F]{64}" class="mono"><p class="hint">From <code>sha256sum game.sym</code>; with script it is worked out for you.</p></div>
<div class="field"><label for="f-symbols-file">A .sym file, or a .zip of them</label><input id="f-symbols-file" type="file" name="file" accept=".sym,.zip" required></div></file-checksum>${button('Send symbols', { kind: 'quiet' })}</form>`

/** What a browser cannot put into headers it sends as fields: the keys. The session is left out, so that they alone decide. */
async function handWithKeys(desk: Desk): Promise<ApiAnswer> {
  const fields: Record<string, string> = { build_id: desk.params.build! }
  const parts = readForm(desk.request.raw, {
    max_bytes: symbolLimits.max_upload_bytes + FORM_BYTES,
  })
  let part = await parts.next()
  for (; !part.done && 'value' in part.value; part = await parts.next())
    fields[part.value.name] = part.value.value
  const file = part.done ? undefined : (part.value as FilePart)
  const { access_token = '', secret_key = '', build_id = '', checksum = '' } = fields
  const boundary = randomUUID()
  const answer = await callRoute(desk.request, uploadSymbols, {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'x-access-token': access_token,
      'x-secret-key': secret_key,
    },
    payload: Readable.from(asForm(boundary, { build_id, checksum }, file)),
  })
  await parts.return()
  return answer.ok ? answer : withField(answer)
}

async function* asForm(
  boundary: string,
  fields: Record<string, string>,
  file: FilePart | undefined,
): AsyncGenerator<Uint8Array> {
  for (const [name, value] of Object.entries(fields))
    yield Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
  if (file) {
    const filename = file.filename.replace(/["\\\r\n]/g, '_')
    yield Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`,
    )
    yield* file.bytes
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

export const sendSymbolsRoute = (show: Show): Route =>
  route({
    method: 'POST',
    url: '/dashboard/:game/builds/:build/symbols',
    summary: 'Send the debug symbols of a build',
    ...{ role: 'web', hidden: true, page: true, envelope: false, raw_body: true, auth: member },
    receive_seconds: (size: number) => 300 + size / 524_288,
    params: Type.Object({ game: Type.String(), build: Type.String() }),
    errors: [
      'NOT_FOUND',
      'DEVELOPER_MODE_REQUIRED',
      'EMAIL_NOT_VERIFIED',
      'FILE_MISSING',
      'BODY_TOO_LARGE',
      'MALFORMED',
    ],
    async handle(input: Parameters<typeof openDesk>[0]) {
      const desk = await openDesk(input)
      const answer = await handWithKeys(desk)
      if (answer.ok)
        return redirectTo(
          desk.reply,
          `${desk.base}/builds/${desk.params.build}#symbols`,
          'Symbols are kept',
        )
      return show(
        { ...desk, reply: desk.reply.code(answer.status) },
        { form: 'build', state: rejectedForm(null, answer) },
      )
    },
  } as never)
