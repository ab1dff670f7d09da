import { assetTypes, licenseKinds, type visibilities } from '../../../listings/fields/fields.ts'
import { badge } from '../../components/badge.ts'
import {
  button,
  checkField,
  choiceField,
  type FormBody,
  type FormState,
  fieldValue,
  formMessage,
  isChecked,
  selectField,
  textField,
} from '../../components/form.ts'
import { formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { deployKeyPart, deployKeyRoutes } from '../builds/deploy-keys.ts'
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
import { editionPart } from './editions.ts'

const visibilityOptions = [
  { value: 'draft', label: 'Draft', hint: 'You and your admins' },
  { value: 'owner', label: 'Owner only', hint: 'Only you open the page; admins edit it here' },
  { value: 'invisible', label: 'By link', hint: 'Anyone with the link; not in search' },
  { value: 'public', label: 'Public', hint: 'Everyone; needs a green check' },
] satisfies { value: (typeof visibilities)[number]; label: string; hint: string }[]

const visibility = (base: string, state: FormState): Html =>
  html`${formMessage(state, ['visibility'])}<form class="form" method="post" action="${base}/visibility">${choiceField(state, { name: 'visibility', label: 'Who can open the page', options: visibilityOptions, type: 'radio' })}${button('Save who sees it', { kind: 'ink' })}</form>`

const kindFields = ['asset_type', 'vanity_name', 'license_kind', 'adult', 'indexable']
const kind = (
  base: string,
  state: FormState,
): Html => html`${formMessage(state, kindFields)}<form class="form" method="post" action="${base}/settings/kind">
${selectField(state, { name: 'asset_type', label: 'What it is', required: true, options: assetTypes.map((value) => ({ value, label: labelOf(value) })), hint: 'Changing it to something without a parent drops the parent.' })}
${textField(state, { name: 'vanity_name', label: 'Address', required: true, hint: 'Changing it moves the page; old links then lead nowhere.' })}
${selectField(state, { name: 'license_kind', label: 'Licence', options: [{ value: '', label: 'Not said' }, ...licenseKinds.map((value) => ({ value, label: value }))] })}
${checkField(state, { name: 'adult', label: 'For adults only', hint: 'Sexual content or nudity. It is then left out of shelves, and shown in search only to those who asked for it.' })}
${checkField(state, { name: 'indexable', label: 'Search engines may list it' })}${button('Save', { kind: 'ink' })}</form>`

const price = ({ base, listing }: Desk, state: FormState): Html =>
  listing.editions.some(({ active }) => active)
    ? html`<p>The price is that of the cheapest active edition: <strong>${formatPrice(listing.price_cents)}</strong>.</p>`
    : html`${formMessage(state, ['price_cents'])}<form class="form line-form" method="post" action="${base}/settings/price">${textField(state, { name: 'price_cents', label: 'Price in US dollars', inputmode: 'decimal', required: true, hint: '0 is free.' })}${button('Save the price', { kind: 'ink' })}</form>`

const anonymous = ({ base, listing }: Desk, state: FormState): Html =>
  listing.anonymous_downloads
    ? html`<p>${badge('on', 'ok', 'ok')}</p>${confirmButton({ label: 'Turn off…', sentence: 'From then on people need an account to download. Files that were downloaded stay with whoever has them.', action: `${base}/settings/anonymous/off`, danger: false, confirm: 'Turn it off' })}`
    : html`<p>${badge('off')}</p>${formMessage(state, ['enabled', 'confirm_no_license'])}<form class="form" method="post" action="${base}/settings/anonymous">${checkField(state, { name: 'confirm_no_license', label: 'I understand that such a download gives nobody a licence or a library entry, and that I cannot take it back.' })}${button('Let everyone download', { kind: 'ink' })}</form>`

export async function showSettings(desk: Desk, filled: Filled) {
  const { base, listing, is_owner } = desk
  const dollarsTyped = { price_cents: (listing.own_price_cents / 100).toFixed(2) }
  return roomPage(desk, 'settings', {
    title: 'Settings',
    body: html`<h1>Settings</h1>
${section('visibility', 'Visibility', visibility(base, formOf(filled, 'visibility', listing)))}
${section('kind', 'Kind, address, licence', kind(base, formOf(filled, 'kind', listing)))}
${section('price', 'Price', price(desk, formOf(filled, 'price', dollarsTyped)))}
${editionPart(desk)}
${section('anonymous', 'Downloads without an account', anonymous(desk, formOf(filled, 'anonymous', {})), 'For free projects: one press, no sign-up. Every download is counted.')}
${await deployKeyPart(desk, filled)}
${is_owner && section('delete', 'Delete the project', confirmButton({ label: 'Delete…', sentence: html`<strong>${listing.name}</strong>, its builds, pictures, reviews, tickets and reports are gone for good. People who have a copy lose it.`, action: `${base}/delete`, confirm: `Delete ${listing.name}` }))}`,
  })
}

const readKind = (sent: FormBody) => ({
  asset_type: fieldValue(sent, 'asset_type'),
  vanity_name: fieldValue(sent, 'vanity_name').trim(),
  license_kind: fieldValue(sent, 'license_kind') || null,
  adult: isChecked(sent, 'adult'),
  indexable: isChecked(sent, 'indexable'),
})

export const settingsRoutes = [
  deskPage('settings', 'The settings of a project', showSettings),
  deskForm('visibility', 'Change who sees a project', {
    form: 'visibility',
    show: showSettings,
    send: ({ api }, sent) => ({
      method: 'PATCH',
      url: api,
      body: { visibility: fieldValue(sent, 'visibility') },
    }),
    done: (_, { data }) =>
      data.visibility === 'public' ? 'It is out. Everyone can open it now.' : 'Saved',
    back: 'settings',
  }),
  deskForm('settings/kind', 'Change the kind and address of a project', {
    form: 'kind',
    show: showSettings,
    send: ({ api }, sent) => ({ method: 'PATCH', url: api, body: readKind(sent) }),
    done: 'Saved',
    back: (_, { data }) => `/dashboard/${data.vanity_name}/settings#kind`,
  }),
  deskForm('settings/price', 'Change the price of a project', {
    form: 'price',
    show: showSettings,
    send: ({ api }, sent) => ({
      method: 'PATCH',
      url: api,
      body: { price_cents: cents(fieldValue(sent, 'price_cents')) },
    }),
    done: 'Saved',
    back: 'settings#price',
  }),
  deskForm('settings/anonymous', 'Turn downloads without an account on', {
    form: 'anonymous',
    show: showSettings,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/anonymous-downloads`,
      body: { enabled: true, confirm_no_license: isChecked(sent, 'confirm_no_license') },
    }),
    done: 'Everyone can download it now',
    back: 'settings#anonymous',
  }),
  deskForm('settings/anonymous/off', 'Turn downloads without an account off', {
    form: 'anonymous',
    show: showSettings,
    send: ({ api }) => ({
      method: 'PUT',
      url: `${api}/anonymous-downloads`,
      body: { enabled: false },
    }),
    done: 'Off',
    back: 'settings#anonymous',
  }),
  deskForm('delete', 'Delete a project', {
    form: 'delete',
    show: showSettings,
    send: ({ api }) => ({ method: 'DELETE', url: api }),
    done: ({ listing }) => `${listing.name} is deleted`,
    back: () => '/dashboard',
  }),
  ...deployKeyRoutes(showSettings),
]
