import { t } from '../../../core/text/text.ts'
import { taxonomyFields } from '../../../listings/fields/fields.ts'
import { fieldsNeededToPublish } from '../../../listings/listing/check.ts'
import { savePageRoute } from '../../../listings/listing/page-edit-routes.ts'
import { callApi, type Problem } from '../../call.ts'
import { button, type FormBody, type FormState, fieldForm } from '../../components/form.ts'
import { html } from '../../components/html.ts'
import { projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { listingControls } from './listing-form.ts'
import { lockedLabelNotes } from './locked-labels.ts'
import { OPENED, openedPage, pageChanges, savedPage, textFields } from './page-changes.ts'
import { previewButton, previewDialog, previewRoute } from './preview.ts'
import { parentFieldOf, relationFields, relationSubsections } from './relations.ts'

/** One form for the whole page, so that saving one part never drops what was typed in another. */
export async function showPage(project: ProjectContext, { state: refused }: FormResult) {
  const { base, listing } = project
  const state = refused ? refusedAtFields(refused) : { values: savedPage(listing) }
  const opened = state.values[OPENED] ?? openedPage(listing)
  const form = {
    action: `${base}/page`,
    names: [...textFields, ...taxonomyFields, ...relationFields],
    submit: html`${button(t('editor-save'), { kind: 'ink' })}${previewButton(`${base}/page/preview`)}`,
    guarded: true,
  }
  const needed = Object.fromEntries(
    [...fieldsNeededToPublish(listing.asset_type)].map((name) => [
      name,
      { needed_to_publish: true },
    ]),
  )
  const { tags, content_warnings } = await lockedLabelNotes(project)
  const labelled = {
    ...needed,
    tags: { ...needed.tags, ...tags },
    content_warnings: { ...needed.content_warnings, ...content_warnings },
  }
  const fields = html`
    <input type="hidden" name="${OPENED}" value="${String(opened)}">
    ${subsection('words', t('editor-text'), html`${listingControls(state, textFields, needed)}`)}
    ${subsection(
      'found',
      t('editor-discovery'),
      html`${listingControls(state, taxonomyFields, labelled)}`,
      t('editor-discovery-text'),
    )}
    ${relationSubsections(listing, state)}`
  return renderSection(project, 'page', {
    title: t('section-page'),
    scripts: ['unsaved.mjs', 'listing-picker.mjs', 'preview.mjs'],
    body: html`${fieldForm(state, form, fields)}${previewDialog}`,
  })
}

/** The API names fields by the part they belong to; the form has all of them side by side. */
function refusedAtFields(state: FormState): FormState {
  const { refused } = state
  if (!refused) return state
  const atField = ({ field, message }: Problem): Problem => {
    const name = field?.replace(/^text\./, '') ?? null
    return { message, field: name?.startsWith('parent') ? parentFieldOf(name) : name }
  }
  const { more = [] } = refused
  return { ...state, refused: { ...refused, ...atField(refused), more: more.map(atField) } }
}

async function savePage({ request, uid, listing }: ProjectContext, sent: FormBody) {
  const body = pageChanges(listing, sent)
  const is_changed = Object.keys(body).length > 0
  if (!is_changed)
    return { ok: true, status: 200, data: { saved: [] as string[] }, cookies: [] } as const
  return callApi(request, savePageRoute, { params: { uid }, body: body as never })
}

export const pageRoutes = [
  previewRoute,
  projectPage('page', 'The page of a project', showPage),
  projectForm<{ saved: string[] }>('page', 'Save the page of a project', savePage as never, {
    form: 'page',
    show: showPage,
    done: (_, { saved }) => (saved.length ? t('editor-saved') : t('editor-unchanged')),
    back: 'page',
  }),
]
