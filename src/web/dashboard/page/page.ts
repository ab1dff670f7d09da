import { formFields, taxonomyFields } from '../../../listings/fields/fields.ts'
import { taxonomyRoute } from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute } from '../../../listings/listing/routes.ts'
import { html } from '../../components/html.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { listingForm, readListingForm } from './listing-form.ts'
import { relationForms, relationSubsections } from './relations.ts'

const textFields = formFields('text')

export async function showPage(project: ProjectContext, result: FormResult) {
  const { base, listing } = project
  const text = listingForm(formState(result, 'words', listing), {
    action: `${base}/page/words`,
    fields: textFields,
    submit: 'Save text',
  })
  const discovery = listingForm(formState(result, 'taxonomy', listing), {
    action: `${base}/page/taxonomy`,
    fields: taxonomyFields,
    submit: 'Save discovery fields',
  })
  return renderSection(project, 'page', {
    title: 'Page',
    body: html`
      ${subsection('words', 'Text', text)}
      ${subsection(
        'found',
        'Discovery',
        discovery,
        'Search, shelves and the labels on your page use these fields.',
      )}
      ${relationSubsections(project, result)}`,
  })
}

export const pageRoutes = [
  projectPage('page', 'The page of a project', showPage),
  projectForm(
    'page/words',
    'Save the text of a project',
    sendTo(changeListingRoute, (sent) => readListingForm(sent, textFields)),
    {
      form: 'words',
      show: showPage,
      done: 'Text saved',
      back: 'page#words',
    },
  ),
  projectForm(
    'page/taxonomy',
    'Save the discovery fields of a project',
    sendTo(taxonomyRoute, (sent) => readListingForm(sent, taxonomyFields)),
    {
      form: 'taxonomy',
      show: showPage,
      done: 'Discovery fields saved',
      back: 'page#found',
    },
  ),
  ...relationForms(showPage),
]
