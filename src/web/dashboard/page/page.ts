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
import {
  button,
  choiceField,
  type FormBody,
  type FormState,
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
import { html } from '../../components/html.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'
import { relationForms, relationParts } from './relations.ts'

const options = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: labelOf(value) }))
const orNone = (values: Option[]): Option[] => [{ value: '', label: 'Not said' }, ...values]
const wordFields = ['name', 'tagline', 'description', 'status', 'demo_url']

const words = (base: string, state: FormState) => html`${formMessage(state, wordFields)}
<form class="form" method="post" action="${base}/page/words">
${textField(state, { name: 'name', label: 'Name', required: true })}
${textField(state, { name: 'tagline', label: 'Tagline', maxlength: 255, hint: 'One sentence for lists and share cards.' })}
${textArea(state, { name: 'description', label: 'Description', rows: 12, hint: 'Markdown: headings, lists, links, emphasis.' })}
${selectField(state, { name: 'status', label: 'How far is it?', options: options(statuses), required: true })}
${textField(state, { name: 'demo_url', label: 'Video', type: 'url', maxlength: 255, hint: 'A link to a trailer.' })}
${button('Save the words', { kind: 'ink' })}</form>`

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
${textArea(state, { name: 'tags', label: `Tags, ${listingFields.tags.min} to ${listingFields.tags.max}`, rows: 6, hint: 'One a line. Spaces become dashes.' })}
${choiceField(state, { name: 'tone', label: `Tone, up to ${listingFields.tone.max}`, options: options(tones), type: 'checkbox' })}
<div class="pair">${selectField(state, { name: 'session_bucket', label: 'One session takes', options: orNone(options(sessionBuckets)) })}
${selectField(state, { name: 'net', label: 'Played', options: orNone(options(nets)) })}</div>
<div class="pair">${textField(state, { name: 'players_min', label: 'Fewest players', type: 'number', min: 1, max: listingFields.players_max.max })}
${textField(state, { name: 'players_max', label: 'Most players', type: 'number', min: 1, max: listingFields.players_max.max })}</div>
${choiceField(state, { name: 'inputs', label: 'Played with', options: options(inputs), type: 'checkbox' })}
${textArea(state, { name: 'engines', label: `Engines, up to ${listingFields.engines.max}`, rows: 2, hint: 'One a line, as a short name such as svc-engine.' })}
${choiceField(state, { name: 'content_warnings', label: 'Content warnings', options: options(contentWarnings), type: 'checkbox' })}
${selectField(state, { name: 'authorship', label: 'Who made it', options: orNone(options(authorships)), hint: 'Shown as a label. It never changes where you are found.' })}
${textField(state, { name: 'authorship_credit', label: 'A word about that', maxlength: listingFields.authorship_credit.max_length })}
${choiceField(state, { name: 'ai_uses', label: 'Made with generative AI', options: options(aiUses), type: 'checkbox' })}
${button('Save how it is found', { kind: 'ink' })}</form>`

export async function showPageRoom(desk: Desk, filled: Filled) {
  const { base, listing } = desk
  return roomPage(desk, 'page', {
    title: 'Page',
    body: html`<h1>Page</h1>
${section('words', 'Words', words(base, formOf(filled, 'words', listing)))}
${section('found', 'How it is found', taxonomy(base, formOf(filled, 'taxonomy', listing)), 'Search, shelves and the label strip read these.')}
${relationParts(desk, filled)}`,
  })
}

const number = (sent: FormBody, name: string) =>
  fieldValue(sent, name).trim() === '' ? null : Number(fieldValue(sent, name))
const choice = (sent: FormBody, name: string) => fieldValue(sent, name) || null

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
  session_bucket: choice(sent, 'session_bucket'),
  net: choice(sent, 'net'),
  players_min: number(sent, 'players_min'),
  players_max: number(sent, 'players_max'),
  authorship: choice(sent, 'authorship'),
  authorship_credit: fieldValue(sent, 'authorship_credit'),
})

export const pageRoutes = [
  deskPage('page', 'The words of a project', showPageRoom),
  deskForm('page/words', 'Save the words of a project', {
    form: 'words',
    show: showPageRoom,
    send: ({ api }, sent) => ({
      method: 'PATCH',
      url: api,
      body: Object.fromEntries(wordFields.map((name) => [name, fieldValue(sent, name)])),
    }),
    done: 'Saved',
    back: 'page#words',
  }),
  deskForm('page/taxonomy', 'Save how a project is found', {
    form: 'taxonomy',
    show: showPageRoom,
    send: ({ api }, sent) => ({ method: 'PUT', url: `${api}/taxonomy`, body: readTaxonomy(sent) }),
    done: 'Saved',
    back: 'page#found',
  }),
  ...relationForms(showPageRoom),
]
