import { confirmPassword } from '../../../accounts/people/routes.ts'
import { hasRecentSignIn } from '../../../accounts/sessions/step-up.ts'
import { errors } from '../../../core/runtime/errors.ts'
import { retention } from '../../../core/runtime/retention.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { hasPlayers } from '../../../listings/deleted/queries.ts'
import { deleteListingRoute } from '../../../listings/deleted/routes.ts'
import { passwordField } from '../../account/credential-fields.ts'
import { type ApiRefusal, callApi } from '../../call.ts'
import {
  button,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  textField,
} from '../../components/form.ts'
import { formatDate } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { projectForm } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'

const NAME = 'confirm_name'

/** Deleting a project without players takes one confirmation and happens at once. */
const deleteNow = ({ base, listing }: ProjectContext): Html =>
  confirmButton({
    label: t('project-delete-open'),
    sentence: richText('project-delete-now-text', { project: listing.name, strong: strongText }),
    action: `${base}/delete`,
    confirm: t('project-delete-confirm', { project: listing.name }),
  })

/** A project with players: its name is typed, and the password unless it was typed recently. */
async function deleteWithPlayers(project: ProjectContext, state: FormState): Promise<Html> {
  const { base, listing, core, who } = project
  const is_recent = await hasRecentSignIn(core.sql, who, new Date())
  const fields = [
    textField(state, {
      name: NAME,
      label: t('project-delete-name'),
      hint: richText('project-delete-name-hint', { project: listing.name, strong: strongText }),
      required: true,
      autocomplete: 'off',
    }),
    ...(is_recent ? [] : [passwordField(state)]),
  ]
  const form = {
    action: `${base}/delete#delete`,
    names: [NAME, 'password'],
    submit: button(t('project-delete-confirm', { project: listing.name }), { kind: 'danger' }),
  }
  return html`
    <details class="confirm confirm-fields"${state.refused && html` open`}>
      <summary class="button button-quiet button-small">${t('project-delete-open')}</summary>
      <div class="confirm-body">
        <p>
          ${richText('project-delete-text', {
            project: listing.name,
            days: retention.deleted_listing_days,
            strong: strongText,
          })}
        </p>
        ${fieldForm(state, form, fields)}
      </div>
    </details>`
}

export async function deleteSubsection(project: ProjectContext, result: FormResult): Promise<Html> {
  const state = (result.form === 'delete' && result.state) || emptyForm
  const body = (await hasPlayers(project.core.sql, project.uid))
    ? await deleteWithPlayers(project, state)
    : deleteNow(project)
  return subsection('delete', t('project-delete'), body)
}

/** Names are compared as people read them. */
const comparable = (name: string) =>
  name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()

async function sendDelete(project: ProjectContext, sent: FormBody) {
  const { core, request, uid, is_owner } = project
  const refused =
    is_owner && (await hasPlayers(core.sql, uid)) && (await refuseUnconfirmed(project, sent))
  return refused || callApi(request, deleteListingRoute, { params: { uid } })
}

async function refuseUnconfirmed(
  { core, request, who, listing }: ProjectContext,
  sent: FormBody,
): Promise<ApiRefusal | false> {
  if (comparable(fieldValue(sent, NAME)) !== comparable(listing.name))
    return refusal(NAME, t('project-delete-wrong-name'))
  if (await hasRecentSignIn(core.sql, who, new Date())) return false
  const password = fieldValue(sent, 'password')
  if (!password) return refusal('password', t('project-delete-password'))
  const proof = await callApi(request, confirmPassword, { body: { password } })
  return !proof.ok && proof
}

function refusal(field: string, message: Text): ApiRefusal {
  const [code, status] = errors.MALFORMED
  return { ok: false, status, code, details: {}, field, message }
}

export const deleteProjectRoute = (show: ShowPage) =>
  projectForm('delete', 'Delete a project', sendDelete, {
    form: 'delete',
    show,
    done: ({ listing }, { purge_at }) =>
      purge_at
        ? t('project-deleted-until', { project: listing.name, date: formatDate(purge_at) })
        : t('project-deleted', { project: listing.name }),
    back: () => '/dashboard',
  })
