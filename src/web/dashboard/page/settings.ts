import { assetTypes, licenseKinds, type visibilities } from '../../../listings/fields/fields.ts'
import { anonymousDownloadsRoute } from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute, deleteListingRoute } from '../../../listings/listing/routes.ts'
import { callApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  button,
  checkField,
  choiceField,
  type FormBody,
  type FormState,
  fieldChoice,
  fieldValue,
  formMessage,
  isChecked,
  selectField,
  textField,
} from '../../components/form.ts'
import { formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { deployKeyRoutes, deployKeySubsection } from '../builds/deploy-keys.ts'
import {
  type FormResult,
  formState,
  type ProjectContext,
  projectForm,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { cents } from './cents.ts'
import { editionsSubsection } from './editions.ts'

const visibilityOptions = [
  { value: 'draft', label: 'Draft', hint: 'You and your admins' },
  { value: 'owner', label: 'Owner only', hint: 'Only you can open the page; admins can edit it' },
  { value: 'invisible', label: 'By link only', hint: 'Anyone with the link; not in search' },
  { value: 'public', label: 'Public', hint: 'Everyone; the listing check must pass' },
] satisfies { value: (typeof visibilities)[number]; label: string; hint: string }[]

const visibilityForm = (base: string, state: FormState): Html => html`
  ${formMessage(state, ['visibility'])}
  <form class="form" method="post" action="${base}/visibility">
    ${choiceField(state, {
      name: 'visibility',
      label: 'Who can open the page',
      options: visibilityOptions,
      type: 'radio',
    })}
    ${button('Save visibility', { kind: 'ink' })}
  </form>`

const typeOptions = assetTypes.map((value) => ({ value, label: labelOf(value) }))
const licenseOptions = [
  { value: '', label: 'Not specified' },
  ...licenseKinds.map((value) => ({ value, label: labelOf(value) })),
]
const generalFields = ['asset_type', 'vanity_name', 'license_kind', 'adult', 'indexable']

function generalForm(base: string, state: FormState): Html {
  const type = selectField(state, {
    name: 'asset_type',
    label: 'Type',
    required: true,
    options: typeOptions,
    hint: 'Changing to a type without a parent removes the parent.',
  })
  const address = textField(state, {
    name: 'vanity_name',
    label: 'Address',
    required: true,
    hint: 'Changing it moves the page. Links to the old address stop working.',
  })
  const license = selectField(state, {
    name: 'license_kind',
    label: 'License',
    options: licenseOptions,
  })
  const adult = checkField(state, {
    name: 'adult',
    label: 'Adults only',
    hint:
      'Sexual content or nudity. The listing is left off shelves and shown in search only to ' +
      'people who turned adult content on.',
  })
  const indexable = checkField(state, {
    name: 'indexable',
    label: 'Allow search engines to index the page',
  })
  return html`
    ${formMessage(state, generalFields)}
    <form class="form" method="post" action="${base}/settings/kind">
      ${type}
      ${address}
      ${license}
      ${adult}
      ${indexable}
      ${button('Save settings', { kind: 'ink' })}
    </form>`
}

function priceForm({ base, listing }: ProjectContext, state: FormState): Html {
  if (listing.editions.some(({ active }) => active))
    return html`
      <p>
        The price is that of the cheapest edition on sale:
        <strong>${formatPrice(listing.price_cents)}</strong>.
      </p>`
  const price = textField(state, {
    name: 'price_cents',
    label: 'Price in US dollars',
    inputmode: 'decimal',
    required: true,
    hint: 'Enter 0 for free.',
  })
  return html`
    ${formMessage(state, ['price_cents'])}
    <form class="form line-form" method="post" action="${base}/settings/price">
      ${price}
      ${button('Save price', { kind: 'ink' })}
    </form>`
}

function anonymousForm({ base, listing }: ProjectContext, state: FormState): Html {
  if (listing.anonymous_downloads)
    return html`
      <p>${badge('on', 'ok', 'ok')}</p>
      ${confirmButton({
        label: 'Turn off…',
        sentence:
          'People will need an account to download. Files that were already downloaded stay ' +
          'with the people who have them.',
        action: `${base}/settings/anonymous/off`,
        danger: false,
        confirm: 'Turn off anonymous downloads',
      })}`
  return html`
    <p>${badge('off')}</p>
    ${formMessage(state, ['enabled', 'confirm_no_license'])}
    <form class="form" method="post" action="${base}/settings/anonymous">
      ${checkField(state, {
        name: 'confirm_no_license',
        label:
          'I understand that an anonymous download grants no license and adds nothing to a ' +
          'library, and that I cannot revoke it.',
      })}
      ${button('Turn on anonymous downloads', { kind: 'ink' })}
    </form>`
}

const deleteSubsection = ({ base, listing }: ProjectContext): Html =>
  subsection(
    'delete',
    'Delete project',
    confirmButton({
      label: 'Delete…',
      sentence: html`
        This permanently deletes <strong>${listing.name}</strong> with its builds, images, reviews,
        bug tickets and crash reports. Players who own a copy lose it.`,
      action: `${base}/delete`,
      confirm: `Delete ${listing.name}`,
    }),
  )

export async function showSettings(project: ProjectContext, result: FormResult) {
  const { base, listing, is_owner } = project
  const price = { price_cents: (listing.own_price_cents / 100).toFixed(2) }
  const visibility = visibilityForm(base, formState(result, 'visibility', listing))
  const general = generalForm(base, formState(result, 'kind', listing))
  return renderSection(project, 'settings', {
    title: 'Settings',
    body: html`
      <h1>Settings</h1>
      ${subsection('visibility', 'Visibility', visibility)}
      ${subsection('kind', 'Type, address and license', general)}
      ${subsection('price', 'Price', priceForm(project, formState(result, 'price', price)))}
      ${editionsSubsection(project)}
      ${subsection(
        'anonymous',
        'Anonymous downloads',
        anonymousForm(project, formState(result, 'anonymous', {})),
        'For free projects: anyone can download without an account. Every download is counted.',
      )}
      ${await deployKeySubsection(project, result)}
      ${is_owner && deleteSubsection(project)}`,
  })
}

const readGeneral = (sent: FormBody) => ({
  asset_type: fieldChoice<(typeof assetTypes)[number]>(sent, 'asset_type'),
  vanity_name: fieldValue(sent, 'vanity_name').trim(),
  license_kind: fieldValue(sent, 'license_kind') || null,
  adult: isChecked(sent, 'adult'),
  indexable: isChecked(sent, 'indexable'),
})

export const settingsRoutes = [
  projectPage('settings', 'The settings of a project', showSettings),
  projectForm('visibility', 'Change the visibility of a project', {
    form: 'visibility',
    show: showSettings,
    send({ request, uid }, sent) {
      const visibility = fieldChoice<(typeof visibilities)[number]>(sent, 'visibility')
      return callApi(request, changeListingRoute, { params: { uid }, body: { visibility } })
    },
    done: (_, { visibility }) =>
      visibility === 'public' ? 'Published. Everyone can open the page now.' : 'Visibility saved',
    back: 'settings',
  }),
  projectForm('settings/kind', 'Change the type, address and license of a project', {
    form: 'kind',
    show: showSettings,
    send: ({ request, uid }, sent) =>
      callApi(request, changeListingRoute, { params: { uid }, body: readGeneral(sent) }),
    done: 'Settings saved',
    back: (_, { vanity_name }) => `/dashboard/${vanity_name}/settings#kind`,
  }),
  projectForm('settings/price', 'Change the price of a project', {
    form: 'price',
    show: showSettings,
    send({ request, uid }, sent) {
      const body = { price_cents: cents(fieldValue(sent, 'price_cents')) }
      return callApi(request, changeListingRoute, { params: { uid }, body })
    },
    done: 'Price saved',
    back: 'settings#price',
  }),
  projectForm('settings/anonymous', 'Turn on anonymous downloads', {
    form: 'anonymous',
    show: showSettings,
    send({ request, uid }, sent) {
      const body = { enabled: true, confirm_no_license: isChecked(sent, 'confirm_no_license') }
      return callApi(request, anonymousDownloadsRoute, { params: { uid }, body })
    },
    done: 'Anonymous downloads are on',
    back: 'settings#anonymous',
  }),
  projectForm('settings/anonymous/off', 'Turn off anonymous downloads', {
    form: 'anonymous',
    show: showSettings,
    send: ({ request, uid }) =>
      callApi(request, anonymousDownloadsRoute, { params: { uid }, body: { enabled: false } }),
    done: 'Anonymous downloads are off',
    back: 'settings#anonymous',
  }),
  projectForm('delete', 'Delete a project', {
    form: 'delete',
    show: showSettings,
    send: ({ request, uid }) => callApi(request, deleteListingRoute, { params: { uid } }),
    done: ({ listing }) => `${listing.name} was deleted`,
    back: () => '/dashboard',
  }),
  ...deployKeyRoutes(showSettings),
]
