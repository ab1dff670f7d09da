import { Type } from 'typebox'
import type { Route } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { type Group, groupNames } from '../../../extstore/import/fields.ts'
import { importRoute, previewImportRoute, resyncRoute } from '../../../extstore/import/routes.ts'
import { readSettings } from '../../../extstore/sign-in/settings-routes.ts'
import { type ApiAnswer, callApi } from '../../call.ts'
import {
  checkField,
  choiceField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  fieldValues,
  isChecked,
  rejectedForm,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { type Context, page, withStoreName } from '../../components/layout.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { renameRefusedField, withCheckErrors, withStatus } from '../project-form.ts'
import { openProject, type ProjectContext, type ShowPage } from '../project-page.ts'
import { type ImportReport, importReport } from './import-report.ts'

const groupLabels: Record<Group, Text> = {
  text: t('import-group-text'),
  taxonomy: t('import-group-taxonomy'),
  status: t('import-group-status'),
  images: t('import-group-images'),
  press: t('import-group-press'),
  price: t('import-group-price'),
  age: t('import-group-age'),
  store_link: t('import-group-store-link'),
}
const groupOptions = groupNames.map((value) => ({ value, label: groupLabels[value] }))
const fields = ['app_id', 'import_key', 'groups', 'overwrite', 'enable_auth']

type ImportFormParts = {
  action: string
  /** The listing exists, so fields that were edited here can be overwritten. */
  has_listing: boolean
  is_linked: boolean
  has_saved_key: boolean
}

/**
 * Two buttons: preview, then import. The choices stay for the second step; the key has to be
 * typed again, because no page sends it back.
 */
export function importForm(input: FormState, parts: ImportFormParts): Html {
  const { action, has_listing, is_linked, has_saved_key } = parts
  const state = renameRefusedField(input, { web_api_key: 'import_key' })
  const overwrite = checkField(state, {
    name: 'overwrite',
    label: t('import-overwrite'),
  })
  const sign_in = checkField(state, {
    name: 'enable_auth',
    label: t('import-sign-in'),
    hint: t('import-sign-in-hint'),
  })
  return fieldForm(
    state,
    { action, names: fields, submit: importButtons(is_linked) },
    html`
      ${!is_linked && appField(state)}
      ${keyField(state, has_saved_key)}
      ${groupsField(state)}
      ${has_listing && overwrite}
      ${!is_linked && sign_in}`,
  )
}

const appField = (state: FormState): Html =>
  textField(state, {
    name: 'app_id',
    label: t('linked-app'),
    required: true,
    hint: t('import-app-hint'),
  })

const keyField = (state: FormState, has_saved_key: boolean): Html =>
  textField(state, {
    name: 'import_key',
    type: 'password',
    label: t('web-api-key-publisher'),
    required: !has_saved_key,
    autocomplete: 'off',
    hint: has_saved_key ? t('import-saved-key-hint') : t('import-key-hint'),
  })

const groupsField = (state: FormState): Html =>
  choiceField(
    { ...state, values: { groups: groupNames, ...state.values } },
    { name: 'groups', label: t('import-groups'), options: groupOptions, type: 'checkbox' },
  )

const importButtons = (is_linked: boolean): Html => html`
  <div class="row">
    <button class="button button-primary" name="do" value="preview">${t('import-preview-button')}</button>
    <button class="button button-quiet" name="do" value="import">
      ${is_linked ? t('import-sync-button') : t('import-button')}
    </button>
  </div>`

const readSync = (sent: FormBody) => ({
  web_api_key: fieldValue(sent, 'import_key').trim() || undefined,
  groups: fieldValues(sent, 'groups'),
  overwrite: isChecked(sent, 'overwrite') || undefined,
})
const readApp = (sent: FormBody) => ({ app_id: fieldValue(sent, 'app_id').trim() || undefined })
const readImport = (sent: FormBody) => ({
  ...readApp(sent),
  ...readSync(sent),
  enable_auth: isChecked(sent, 'enable_auth') || undefined,
})
const isPreview = (sent: FormBody) => fieldValue(sent, 'do') !== 'import'

function newImportPage(context: Context, state: FormState, report?: ImportReport) {
  const form = importForm(state, {
    action: '/dashboard/import',
    has_listing: false,
    is_linked: false,
    has_saved_key: false,
  })
  return page(context, {
    title: withStoreName(context.core, t('import-project')),
    noindex: true,
    styles: ['dashboard.css'],
    body: html`
      <section class="narrow wide-report">
        <p class="eyebrow"><a href="/dashboard">${t('dashboard-projects')}</a></p>
        <h1>${t('import-project')}</h1>
        <p class="lede">${t('import-project-text')}</p>
        ${report && importReport(report)}
        ${form}
      </section>`,
  })
}

/** Imports an app as a new project. */
export const newImportRoutes: Route[] = [
  getPage('/dashboard/import', 'Import a project', {
    auth: member,
    handle: (input) => newImportPage(input, emptyForm),
  }),
  postForm('/dashboard/import', 'Import a project', {
    auth: member,
    async handle(input) {
      const { request, reply, body: sent } = input
      const refuse = (answer: Extract<ApiAnswer, { ok: false }>) =>
        newImportPage({ ...input, reply: reply.code(answer.status) }, rejectedForm(sent, answer))
      if (isPreview(sent)) {
        const body = { ...readApp(sent), ...readSync(sent) }
        const preview = await callApi(request, previewImportRoute, { body })
        if (!preview.ok) return refuse(preview)
        return newImportPage(input, { values: sent ?? {} }, preview.data)
      }
      const answer = await callApi(request, importRoute, { body: readImport(sent) })
      if (!answer.ok) return refuse(answer)
      const { vanity_name, imported } = answer.data
      const message = t('import-done', { count: imported.length })
      return redirectTo(reply, `/dashboard/${vanity_name}/page`, message)
    },
  }),
]

/** Imports into a project: the first time by its app, later as a sync. */
export const importRoutes = (show: ShowPage): Route[] => [
  postForm('/dashboard/:game/external-store/import', 'Import into a project', {
    auth: member,
    params: Type.Object({ game: Type.String() }),
    async handle(input) {
      const sent = input.body
      const project = await openProject(input)
      const answer = await sendImport(project, sent)
      if (!answer.ok)
        return show(withStatus(project, answer), {
          form: 'import',
          state: rejectedForm(sent, withCheckErrors(answer)),
        })
      return show(isPreview(sent) ? project : await openProject(project), {
        form: 'import',
        state: { values: sent ?? {} },
        report: answer.data,
      })
    },
  }),
]

async function sendImport(
  { request, uid }: ProjectContext,
  sent: FormBody,
): Promise<ApiAnswer<ImportReport>> {
  const linked = await callApi(request, readSettings, { params: { game_id: uid } })
  const game_uid = uid
  if (isPreview(sent)) {
    const app = linked.ok ? { app_id: linked.data.app_id } : readApp(sent)
    return callApi(request, previewImportRoute, { body: { ...app, ...readSync(sent), game_uid } })
  }
  return linked.ok
    ? callApi(request, resyncRoute, { params: { game_id: uid }, body: readSync(sent) })
    : callApi(request, importRoute, { body: { ...readImport(sent), game_uid } })
}
