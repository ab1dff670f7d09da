import { Type } from 'typebox'
import type { Route } from '../../../core/http/route.ts'
import { groupNames } from '../../../extstore/import/fields.ts'
import { type ApiAnswer, call } from '../../call.ts'
import {
  checkField,
  choiceField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldValue,
  fieldValues,
  formMessage,
  isChecked,
  rejectedForm,
  textField,
} from '../../components/form.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { type Context, page } from '../../components/layout.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { explained, openDesk, renamed, type Show } from '../project-page.ts'
import { type Report, reportParts } from './import-report.ts'

const groups = groupNames.map((value) => ({ value, label: labelOf(value) }))
const fields = ['app_id', 'import_key', 'groups', 'overwrite', 'enable_auth']

/** Two buttons: look first, then do. What was chosen stays for the second press; the key is typed for each, since no page sends it back. */
export const importForm = (
  base: string,
  typed: FormState,
  { linked, key_saved }: { linked: boolean; key_saved: boolean },
): Html => {
  const state = renamed(typed, { web_api_key: 'import_key' })
  return html`${formMessage(state, fields)}
<form class="form" method="post" action="${base}/${base === '/dashboard' ? 'import' : 'external-store/import'}">
${!linked && textField(state, { name: 'app_id', label: 'App', required: true, hint: 'Its number, or a link to its page on the external store.' })}
${textField(state, { name: 'import_key', type: 'password', label: 'Publisher Web API key', required: !key_saved, autocomplete: 'off', hint: key_saved ? 'Left empty, the saved key is used.' : '32 characters of 0-9 and A-F that cover the app. Used for this import and then forgotten.' })}
${choiceField({ ...state, values: { groups: groupNames, ...state.values } }, { name: 'groups', label: 'What to take', options: groups, type: 'checkbox' })}
${base !== '/dashboard' && checkField(state, { name: 'overwrite', label: 'Also what I edited here since the last import' })}
${!linked && checkField(state, { name: 'enable_auth', label: 'Turn sign-in of players on as well', hint: 'Then the key is kept, encrypted.' })}
<div class="row"><button class="button button-primary" name="do" value="preview">Show what it would do</button><button class="button button-quiet" name="do" value="import">${linked ? 'Sync now' : 'Import'}</button></div></form>`
}

const asked = (sent: FormBody) => ({
  ...(fieldValue(sent, 'app_id') ? { app_id: fieldValue(sent, 'app_id').trim() } : {}),
  ...(fieldValue(sent, 'import_key') ? { web_api_key: fieldValue(sent, 'import_key').trim() } : {}),
  groups: fieldValues(sent, 'groups'),
  ...(isChecked(sent, 'overwrite') ? { overwrite: true } : {}),
})
const wants = (sent: FormBody) => (isChecked(sent, 'enable_auth') ? { enable_auth: true } : {})
const isPreview = (sent: FormBody) => fieldValue(sent, 'do') !== 'import'
const PREVIEW = '/api/v1/private/steam/import/preview'
const IMPORT = '/api/v1/private/steam/import'

const newPage = (context: Context, state: FormState, report?: Report) =>
  page(context, {
    title: 'Import a project · Slipway',
    noindex: true,
    styles: ['dashboard.css'],
    body: html`<section class="narrow wide-report"><p class="eyebrow"><a href="/dashboard">Projects</a></p><h1>Import a project</h1><p class="lede">From the page you have on the external store, as a draft here.</p>
${report && reportParts(report)}${importForm('/dashboard', state, { linked: false, key_saved: false })}</section>`,
  })

/** A new project from an app. */
export const newImportRoutes: Route[] = [
  getPage('/dashboard/import', 'Import a project', {
    auth: member,
    handle: (input) => newPage(input, emptyForm),
  }),
  postForm('/dashboard/import', 'Import a project', {
    auth: member,
    async handle(input) {
      const { request, reply, body } = input
      const preview = isPreview(body)
      const answer = await call(request, 'POST', preview ? PREVIEW : IMPORT, {
        ...asked(body),
        ...(preview ? {} : wants(body)),
      })
      if (!answer.ok)
        return newPage({ ...input, reply: reply.code(answer.status) }, rejectedForm(body, answer))
      if (preview) return newPage(input, { values: body ?? {} }, answer.data)
      return redirectTo(
        reply,
        `/dashboard/${answer.data.vanity_name}/page`,
        `Imported ${answer.data.imported.length} fields. The check says what is left.`,
      )
    },
  }),
]

/** Into a project: the first time by app, later as a sync. */
export const importRoutes = (show: Show): Route[] => [
  postForm('/dashboard/:game/external-store/import', 'Import into a project', {
    auth: member,
    params: Type.Object({ game: Type.String() }),
    async handle(input) {
      const desk = await openDesk(input as never)
      const linked = await call(desk.request, 'GET', `${desk.api}/steam`)
      const answer = await send(desk.request, desk.api, desk.listing.uid, input.body, linked)
      const state = answer.ok
        ? { values: input.body ?? {} }
        : rejectedForm(input.body, explained(answer))
      if (!answer.ok)
        return show({ ...desk, reply: desk.reply.code(answer.status) }, { form: 'import', state })
      const report = answer.data as Report
      return show(isPreview(input.body) ? desk : await openDesk(desk), {
        form: 'import',
        state,
        report,
      })
    },
  }),
]

function send(
  request: Context['request'],
  api: string,
  game_uid: string,
  sent: FormBody,
  linked: ApiAnswer,
): Promise<ApiAnswer> {
  const app_id = linked.ok ? { app_id: linked.data.app_id } : {}
  if (isPreview(sent))
    return call(request, 'POST', PREVIEW, { ...asked(sent), ...app_id, game_uid })
  const { app_id: _, ...sync } = asked(sent)
  return linked.ok
    ? call(request, 'POST', `${api}/steam/resync`, sync)
    : call(request, 'POST', IMPORT, { ...asked(sent), ...wants(sent), game_uid })
}
