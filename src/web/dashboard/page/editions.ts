import { t } from '../../../core/text/text.ts'
import { editionKinds, editionLimits } from '../../../listings/editions/prices.ts'
import {
  addEdition,
  changeEdition,
  deleteEditionRoute,
  listEditions,
} from '../../../listings/editions/routes.ts'
import { readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  checkField,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  isChecked,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { languageOf } from '../../language.ts'
import { formSender, formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type Listing,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { cents, typedPrice } from './cents.ts'

type Edition = Listing['editions'][number]

const kindOptions = editionKinds.map((value) => ({ value, label: labelOf(value) }))
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

const editionRow = (base: string, edition: Edition) => [
  html`<a href="${base}/settings/editions/${edition.uid}">${edition.name}</a>`,
  labelOf(edition.kind),
  formatPrice(edition.price_cents),
  edition.active ? badge(t('edition-on-sale'), 'ok') : badge(t('edition-off-sale')),
]

const addEditionLink = (base: string): Html => html`
  <p>
    <a class="button button-quiet button-small" href="${base}/settings/editions/new">
      ${t('edition-add')}
    </a>
  </p>`

export const editionsSubsection = ({ base, core, listing: { editions } }: ProjectContext): Html =>
  subsection(
    'editions',
    t('edition-list'),
    html`
      ${
        editions.length > 0 &&
        table(
          t('edition-list'),
          [t('edition'), t('edition-kind'), t('edition-price'), t('column-status')],
          editions.map((edition) => editionRow(base, edition)),
        )
      }
      ${
        core.settings.current.paid_listings
          ? addEditionLink(base)
          : html`<p class="soft">${t('paid-listings-off')}</p>`
      }`,
    t('edition-list-text'),
  )

function saleFields(state: FormState): Html {
  const slug = textField(state, {
    name: 'slug',
    label: t('edition-slug'),
    required: true,
    maxlength: editionLimits.slug,
    hint: t('edition-slug-hint'),
  })
  const kind = selectField(state, {
    name: 'kind',
    label: t('edition-kind'),
    required: true,
    options: kindOptions,
  })
  const price = textField(state, {
    name: 'price_cents',
    label: t('edition-price-dollars'),
    required: true,
    inputmode: 'decimal',
  })
  const order = textField(state, {
    name: 'sort_order',
    label: t('edition-position'),
    type: 'number',
    min: 0,
    max: editionLimits.sort_order,
  })
  return html`
    <div class="pair">${slug}${kind}</div>
    <div class="pair">${price}${order}</div>`
}

function contentFields(state: FormState): Html {
  const description = textArea(state, {
    name: 'description',
    label: t('edition-contents'),
    rows: 4,
    hint: t('markdown-hint'),
  })
  const bundle = textArea(state, {
    name: 'bundle_asset_uids',
    label: t('edition-bundle'),
    rows: 3,
    hint: t('edition-bundle-hint', { max: editionLimits.bundle }),
  })
  return html`${description} ${bundle}`
}

const editionForm = (base: string, state: FormState, path: string): Html =>
  fieldForm(
    state,
    { action: `${base}/settings/editions/${path}`, names: fields, submit: t('edition-save') },
    [
      textField(state, {
        name: 'name',
        label: t('edition-name'),
        required: true,
        maxlength: editionLimits.name,
      }),
      saleFields(state),
      contentFields(state),
      checkField(state, { name: 'active', label: t('edition-active') }),
    ],
  )

async function showEdition(project: ProjectContext, result: FormResult) {
  const { request, uid, base, params, listing } = project
  const { editions } = await readApi(request, listEditions, { params: { uid } })
  const edition = editions.find((candidate) => candidate.uid === params.edition)
  const saved = edition
    ? { ...edition, price_cents: typedPrice(edition.price_cents, languageOf(request)) }
    : { kind: 'standard', active: 'yes', sort_order: editions.length }
  const form = editionForm(base, formState(result, 'edition', saved), edition?.uid ?? 'new')
  return renderSection(project, 'settings', {
    title: edition?.name ?? t('edition-new'),
    heading: html`<h1>${edition?.name ?? t('edition-new-of', { project: listing.name })}</h1>`,
    overview: 'settings#editions',
    body: html`
      ${subsection('edition', t('edition-details'), form)}
      ${edition && retireSubsection(base, edition)}`,
  })
}

const retireSubsection = (base: string, { uid, name }: Edition): Html =>
  subsection(
    'retire',
    t('edition-retire-title'),
    confirmButton({
      label: t('edition-retire'),
      sentence: t('edition-retire-text'),
      action: `${base}/settings/editions/${uid}/retire`,
      confirm: t('edition-retire-confirm', { name }),
    }),
  )

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

const sendToEdition = formSender(({ uid, params }) => ({ uid, edition_uid: params.edition! }))

export const editionRoutes = [
  projectPage('settings/editions/:edition', 'An edition of a project', showEdition),
  projectForm(
    'settings/editions/:edition',
    'Save an edition of a project',
    (project, sent) =>
      project.params.edition === 'new'
        ? sendTo(addEdition, readEdition)(project, sent)
        : sendToEdition(changeEdition, readEdition)(project, sent),
    {
      form: 'edition',
      show: showEdition,
      done: t('edition-saved'),
      back: 'settings#editions',
    },
  ),
  projectForm(
    'settings/editions/:edition/retire',
    'Retire an edition',
    sendToEdition(deleteEditionRoute),
    {
      form: 'edition',
      show: showEdition,
      done: t('edition-retired'),
      back: 'settings#editions',
    },
  ),
]
