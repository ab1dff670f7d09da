import { listingFields, type Status } from '../../../listings/fields/fields.ts'
import { taxonomyRoute } from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute } from '../../../listings/listing/routes.ts'
import { callApi } from '../../call.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldChoice,
  fieldValue,
  formMessage,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import {
  type FormResult,
  formState,
  type ProjectContext,
  projectForm,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { relationForms, relationSubsections } from './relations.ts'
import { readTaxonomyForm, taxonomyForm } from './taxonomy-form.ts'

const statusOptions = Object.entries(listingFields.status.values).map(([value, label]) => ({
  value,
  label,
}))
const textFields = ['name', 'tagline', 'description', 'status', 'demo_url']

function textForm(base: string, state: FormState): Html {
  const name = textField(state, { name: 'name', label: 'Name', required: true })
  const tagline = textField(state, {
    name: 'tagline',
    label: 'Tagline',
    maxlength: 255,
    hint: 'One sentence for lists and link previews.',
  })
  const description = textArea(state, {
    name: 'description',
    label: 'Description',
    rows: 12,
    hint: 'Markdown: headings, lists, links, emphasis.',
  })
  const status = selectField(state, {
    name: 'status',
    label: listingFields.status.label,
    options: statusOptions,
    required: true,
  })
  const video = textField(state, {
    name: 'demo_url',
    label: 'Video',
    type: 'url',
    maxlength: 255,
    hint: 'A link to a trailer.',
  })
  return html`
    ${formMessage(state, textFields)}
    <form class="form" method="post" action="${base}/page/words">
      ${name}
      ${tagline}
      ${description}
      ${status}
      ${video}
      ${button('Save text', { kind: 'ink' })}
    </form>`
}

export async function showPage(project: ProjectContext, result: FormResult) {
  const { base, listing } = project
  return renderSection(project, 'page', {
    title: 'Page',
    body: html`
      <h1>Page</h1>
      ${subsection('words', 'Text', textForm(base, formState(result, 'words', listing)))}
      ${subsection(
        'found',
        'Discovery',
        taxonomyForm(base, formState(result, 'taxonomy', listing)),
        'Search, shelves and the labels on your page use these fields.',
      )}
      ${relationSubsections(project, result)}`,
  })
}

const readText = (sent: FormBody) => ({
  name: fieldValue(sent, 'name'),
  tagline: fieldValue(sent, 'tagline'),
  description: fieldValue(sent, 'description'),
  status: fieldChoice<Status>(sent, 'status'),
  demo_url: fieldValue(sent, 'demo_url'),
})

export const pageRoutes = [
  projectPage('page', 'The page of a project', showPage),
  projectForm('page/words', 'Save the text of a project', {
    form: 'words',
    show: showPage,
    send: ({ request, uid }, sent) =>
      callApi(request, changeListingRoute, { params: { uid }, body: readText(sent) }),
    done: 'Text saved',
    back: 'page#words',
  }),
  projectForm('page/taxonomy', 'Save the discovery fields of a project', {
    form: 'taxonomy',
    show: showPage,
    send: ({ request, uid }, sent) =>
      callApi(request, taxonomyRoute, { params: { uid }, body: readTaxonomyForm(sent) }),
    done: 'Discovery fields saved',
    back: 'page#found',
  }),
  ...relationForms(showPage),
]
