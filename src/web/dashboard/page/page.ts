import {
  aiUses,
  authorships,
  contentWarnings,
  genres,
  inputs,
  listingFields,
  nets,
  sessionBuckets,
  statuses,
  tones,
} from '../../../listings/fields/fields.ts'
import { taxonomyRoute } from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute } from '../../../listings/listing/routes.ts'
import { callApi } from '../../call.ts'
import {
  button,
  choiceField,
  type FormBody,
  type FormState,
  fieldChoice,
  fieldLines,
  fieldValue,
  fieldValues,
  formMessage,
  type Option,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { labelOf } from '../../components/format.ts'
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

const options = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: labelOf(value) }))
const orNone = (values: Option[]): Option[] => [{ value: '', label: 'Not specified' }, ...values]
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
    label: 'Release status',
    options: options(statuses),
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

const taxonomyFields = [
  ...[
    'genres',
    'tags',
    'tone',
    'inputs',
    'content_warnings',
    'engines',
    'session_bucket',
    'net',
    'players_min',
    'players_max',
  ],
  ...['authorship', 'authorship_credit', 'ai_uses'],
]

const taxonomy = (base: string, state: FormState) => html`${formMessage(state, taxonomyFields)}
<form class="form" method="post" action="${base}/page/taxonomy">
${choiceField(state, { name: 'genres', label: `Genres, up to ${listingFields.genres.max}`, options: options(genres), type: 'checkbox' })}
${textArea(state, { name: 'tags', label: `Tags, ${listingFields.tags.min} to ${listingFields.tags.max}`, rows: 6, hint: 'One per line. Spaces become dashes.' })}
${choiceField(state, { name: 'tone', label: `Tone, up to ${listingFields.tone.max}`, options: options(tones), type: 'checkbox' })}
<div class="pair">${selectField(state, { name: 'session_bucket', label: 'Session length', options: orNone(options(sessionBuckets)) })}
${selectField(state, { name: 'net', label: 'Multiplayer', options: orNone(options(nets)) })}</div>
<div class="pair">${textField(state, { name: 'players_min', label: 'Minimum players', type: 'number', min: 1, max: listingFields.players_max.max })}
${textField(state, { name: 'players_max', label: 'Maximum players', type: 'number', min: 1, max: listingFields.players_max.max })}</div>
${choiceField(state, { name: 'inputs', label: 'Input devices', options: options(inputs), type: 'checkbox' })}
${textArea(state, { name: 'engines', label: `Engines, up to ${listingFields.engines.max}`, rows: 2, hint: 'One short name per line, such as svc-engine.' })}
${choiceField(state, { name: 'content_warnings', label: 'Content warnings', options: options(contentWarnings), type: 'checkbox' })}
${selectField(state, { name: 'authorship', label: 'Authorship', options: orNone(options(authorships)), hint: 'Shown as a label. It does not affect search results.' })}
${textField(state, { name: 'authorship_credit', label: 'Authorship note', maxlength: listingFields.authorship_credit.max_length })}
${choiceField(state, { name: 'ai_uses', label: 'Generative AI used for', options: options(aiUses), type: 'checkbox' })}
${button('Save discovery fields', { kind: 'ink' })}</form>`

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
        taxonomy(base, formState(result, 'taxonomy', listing)),
        'Search, shelves and the labels on your page use these fields.',
      )}
      ${relationSubsections(project, result)}`,
  })
}

const number = (sent: FormBody, name: string) =>
  fieldValue(sent, name).trim() === '' ? null : Number(fieldValue(sent, name))
const choiceOrNull = (sent: FormBody, name: string) => fieldValue(sent, name) || null

export const readTaxonomy = (sent: FormBody) => ({
  ...Object.fromEntries(
    ['genres', 'tone', 'inputs', 'content_warnings', 'ai_uses'].map((name) => [
      name,
      fieldValues(sent, name),
    ]),
  ),
  tags: fieldLines(sent, 'tags')
    .flatMap((line) => line.split(','))
    .map((tag) => tag.trim())
    .filter(Boolean),
  engines: fieldLines(sent, 'engines'),
  session_bucket: choiceOrNull(sent, 'session_bucket'),
  net: choiceOrNull(sent, 'net'),
  players_min: number(sent, 'players_min'),
  players_max: number(sent, 'players_max'),
  authorship: choiceOrNull(sent, 'authorship'),
  authorship_credit: fieldValue(sent, 'authorship_credit'),
})

const readText = (sent: FormBody) => ({
  name: fieldValue(sent, 'name'),
  tagline: fieldValue(sent, 'tagline'),
  description: fieldValue(sent, 'description'),
  status: fieldChoice<(typeof statuses)[number]>(sent, 'status'),
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
      callApi(request, taxonomyRoute, { params: { uid }, body: readTaxonomy(sent) }),
    done: 'Discovery fields saved',
    back: 'page#found',
  }),
  ...relationForms(showPage),
]
