import { editionKinds } from '../../../listings/editions/prices.ts'
import { read } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  button,
  checkField,
  type FormBody,
  type FormState,
  fieldLines,
  fieldValue,
  formMessage,
  isChecked,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'
import { cents } from './cents.ts'

type Edition = {
  uid: string
  slug: string
  name: string
  description: string
  kind: string
  price_cents: number
  active: boolean
  sort_order: number
  bundle_asset_uids: string[]
}
const fields = [
  'slug',
  'name',
  'description',
  'kind',
  'price_cents',
  'active',
  'sort_order',
  'bundle_asset_uids',
]

export const editionPart = ({ base, listing }: Desk): Html =>
  section(
    'editions',
    'Editions',
    html`${
      listing.editions.length > 0 &&
      table(
        'Editions',
        ['Edition', 'Kind', 'Price', 'Sold'],
        listing.editions.map((one) => [
          html`<a href="${base}/settings/editions/${one.uid}">${one.name}</a>`,
          labelOf(one.kind),
          formatPrice(one.price_cents),
          one.active ? badge('on sale', 'ok') : badge('not now'),
        ]),
      )
    }<p><a class="button button-quiet button-small" href="${base}/settings/editions/new">Add an edition</a></p>`,
    'Several ways to buy it, each with a price. With an active edition, the cheapest is the price of the listing.',
  )

const form = (
  base: string,
  state: FormState,
  path: string,
): Html => html`${formMessage(state, fields)}<form class="form" method="post" action="${base}/settings/editions/${path}">
${textField(state, { name: 'name', label: 'Name', required: true, maxlength: 80 })}
<div class="pair">${textField(state, { name: 'slug', label: 'Short name', required: true, maxlength: 40, hint: 'Lowercase letters, digits, dashes.' })}${selectField(state, { name: 'kind', label: 'Kind', required: true, options: editionKinds.map((value) => ({ value, label: labelOf(value) })) })}</div>
<div class="pair">${textField(state, { name: 'price_cents', label: 'Price in US dollars', required: true, inputmode: 'decimal' })}${textField(state, { name: 'sort_order', label: 'Place in the list', type: 'number', min: 0, max: 100 })}</div>
${textArea(state, { name: 'description', label: 'What is in it', rows: 4, hint: 'Markdown.' })}
${textArea(state, { name: 'bundle_asset_uids', label: 'For a bundle: your other listings in it', rows: 3, hint: 'One address a line, up to ten.' })}
${checkField(state, { name: 'active', label: 'On sale' })}${button('Save the edition', { kind: 'ink' })}</form>`

async function showEdition(desk: Desk, filled: Filled) {
  const { base, params, listing } = desk
  const { editions } = await read<{ editions: Edition[] }>(desk.request, `${desk.api}/editions`)
  const found = editions.find(({ uid }) => uid === params.edition)
  const saved = found
    ? { ...found, price_cents: (found.price_cents / 100).toFixed(2) }
    : { kind: 'standard', active: 'yes', sort_order: editions.length }
  const path = found ? found.uid : 'new'
  return roomPage(desk, 'settings', {
    title: found?.name ?? 'New edition',
    body: html`<p class="eyebrow"><a href="${base}/settings#editions">Settings</a></p><h1>${found?.name ?? `A new edition of ${listing.name}`}</h1>
${section('edition', found ? 'Change it' : 'What you sell', form(base, formOf(filled, 'edition', saved), path))}
${found && section('retire', 'Retire it', confirmButton({ label: 'Retire…', sentence: 'It is no longer sold. Whoever has it keeps it.', action: `${base}/settings/editions/${found.uid}/retire`, confirm: `Retire ${found.name}` }))}`,
  })
}

const readEdition = (sent: FormBody) => ({
  slug: fieldValue(sent, 'slug').trim(),
  name: fieldValue(sent, 'name'),
  description: fieldValue(sent, 'description'),
  kind: fieldValue(sent, 'kind'),
  price_cents: cents(fieldValue(sent, 'price_cents')),
  active: isChecked(sent, 'active'),
  sort_order: Number(fieldValue(sent, 'sort_order') || 0),
  ...(fieldValue(sent, 'kind') === 'bundle'
    ? { bundle_asset_uids: fieldLines(sent, 'bundle_asset_uids') }
    : {}),
})

export const editionRoutes = [
  deskPage('settings/editions/:edition', 'An edition of a project', showEdition),
  deskForm('settings/editions/:edition', 'Save an edition of a project', {
    form: 'edition',
    show: showEdition,
    send: ({ api, params }, sent) =>
      params.edition === 'new'
        ? { method: 'POST', url: `${api}/editions`, body: readEdition(sent) }
        : {
            method: 'PATCH',
            url: `${api}/editions/${encodeURIComponent(params.edition!)}`,
            body: readEdition(sent),
          },
    done: 'Saved',
    back: 'settings#editions',
  }),
  deskForm('settings/editions/:edition/retire', 'Retire an edition', {
    form: 'edition',
    show: showEdition,
    send: ({ api, params }) => ({
      method: 'DELETE',
      url: `${api}/editions/${encodeURIComponent(params.edition!)}`,
    }),
    done: 'Retired',
    back: 'settings#editions',
  }),
]
