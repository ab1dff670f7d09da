import { t } from '../../../core/text/text.ts'
import { formFields, type Visibility } from '../../../listings/fields/fields.ts'
import { anonymousDownloadsRoute } from '../../../listings/listing/edit-routes.ts'
import { changeListingRoute } from '../../../listings/listing/routes.ts'
import { badge } from '../../components/badge.ts'
import {
  checkField,
  choiceField,
  type FormBody,
  type FormState,
  fieldChoice,
  fieldForm,
  fieldValue,
  isChecked,
  textField,
} from '../../components/form.ts'
import { formatPrice } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { languageOf } from '../../language.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { cents, typedPrice } from './cents.ts'
import { deleteProjectRoute, deleteSubsection } from './delete-project.ts'
import { editionsSubsection } from './editions.ts'
import { fieldOptions, listingForm, readListingForm } from './listing-form.ts'
import { lockedLabelNotes } from './locked-labels.ts'
import { playSettingsForm, playSubsection } from './play-settings.ts'

const visibilityForm = (base: string, state: FormState): Html =>
  fieldForm(
    state,
    { action: `${base}/visibility`, names: ['visibility'], submit: t('visibility-save') },
    choiceField(state, {
      name: 'visibility',
      label: t('visibility-label'),
      options: fieldOptions('visibility'),
      type: 'radio',
    }),
  )

const generalFields = formFields('general')

async function generalForm(project: ProjectContext, state: FormState): Promise<Html> {
  const { base, core, listing } = project
  const { asset_types, adult_content } = core.settings.current
  const { adult } = await lockedLabelNotes(project)
  return listingForm(state, {
    action: `${base}/settings/kind`,
    fields: generalFields,
    submit: t('settings-save'),
    controls: {
      // A listing keeps its type when the store no longer takes others of it.
      asset_type: { values: [...asset_types, listing.asset_type] },
      adult: { ...adult, ...(!adult_content && { hint: t('adult-content-off') }) },
    },
  })
}

function priceForm({ base, core, listing }: ProjectContext, state: FormState): Html {
  if (listing.editions.some(({ active }) => active))
    return html`
      <p>
        ${richText('price-of-editions', {
          price: formatPrice(listing.price_cents),
          strong: strongText,
        })}
      </p>`
  const price = textField(state, {
    name: 'price_cents',
    label: t('edition-price-dollars'),
    inputmode: 'decimal',
    required: true,
    hint: core.settings.current.paid_listings ? t('price-hint') : t('paid-listings-off-hint'),
  })
  return fieldForm(
    state,
    {
      action: `${base}/settings/price`,
      names: ['price_cents'],
      submit: t('price-save'),
      layout: 'line-form',
    },
    price,
  )
}

function anonymousForm({ base, listing }: ProjectContext, state: FormState): Html {
  if (listing.anonymous_downloads)
    return html`
      <p>${badge(t('anonymous-on'), 'ok', 'ok')}</p>
      ${confirmButton({
        label: t('turn-off'),
        sentence: t('anonymous-off-text'),
        action: `${base}/settings/anonymous/off`,
        danger: false,
        confirm: t('anonymous-turn-off'),
      })}`
  const confirmation = checkField(state, {
    name: 'confirm_no_license',
    label: t('anonymous-confirm'),
  })
  const form = {
    action: `${base}/settings/anonymous`,
    names: ['enabled', 'confirm_no_license'],
    submit: t('anonymous-turn-on'),
  }
  return html`
    <p>${badge(t('anonymous-off'))}</p>
    ${fieldForm(state, form, confirmation)}`
}

export async function showSettings(project: ProjectContext, result: FormResult) {
  const { base, listing, is_owner, request } = project
  const price = { price_cents: typedPrice(listing.own_price_cents, languageOf(request)) }
  const visibility = visibilityForm(base, formState(result, 'visibility', listing))
  const general = await generalForm(project, formState(result, 'kind', listing))
  return renderSection(project, 'settings', {
    title: t('section-settings'),
    body: html`
      ${subsection('visibility', t('visibility-title'), visibility)}
      ${subsection('kind', t('settings-general'), general)}
      ${subsection('price', t('edition-price'), priceForm(project, formState(result, 'price', price)))}
      ${editionsSubsection(project)}
      ${subsection(
        'anonymous',
        t('anonymous-title'),
        anonymousForm(project, formState(result, 'anonymous', {})),
        t('anonymous-text'),
      )}
      ${await playSubsection(project, result)}
      ${is_owner && (await deleteSubsection(project, result))}`,
  })
}

export const settingsRoutes = [
  projectPage('settings', 'The settings of a project', showSettings),
  projectForm(
    'visibility',
    'Change the visibility of a project',
    sendTo(changeListingRoute, (sent) => ({
      visibility: fieldChoice<Visibility>(sent, 'visibility'),
    })),
    {
      form: 'visibility',
      show: showSettings,
      done: ({ request }, { visibility }) => {
        const requested = fieldValue(request.body as FormBody, 'visibility')
        if (requested === 'public' && visibility !== 'public') return t('release-handed-in')
        return visibility === 'public' ? t('visibility-published') : t('visibility-saved')
      },
      // Whoever publishes wants to see the page.
      back: ({ base, listing }, { visibility, vanity_name }) =>
        visibility === 'public' && listing.visibility !== 'public'
          ? `/${listing.developer.username}/${vanity_name}`
          : `${base}/settings`,
    },
  ),
  projectForm(
    'settings/kind',
    'Change the type, address and license of a project',
    sendTo(changeListingRoute, (sent) => readListingForm(sent, generalFields)),
    {
      form: 'kind',
      show: showSettings,
      done: t('settings-saved'),
      back: (_, { vanity_name }) => `/dashboard/${vanity_name}/settings#kind`,
    },
  ),
  projectForm(
    'settings/price',
    'Change the price of a project',
    sendTo(changeListingRoute, (sent) => ({
      price_cents: cents(fieldValue(sent, 'price_cents')),
    })),
    {
      form: 'price',
      show: showSettings,
      done: t('price-saved'),
      back: 'settings#price',
    },
  ),
  projectForm(
    'settings/anonymous',
    'Turn on anonymous downloads',
    sendTo(anonymousDownloadsRoute, (sent) => ({
      enabled: true,
      confirm_no_license: isChecked(sent, 'confirm_no_license'),
    })),
    {
      form: 'anonymous',
      show: showSettings,
      done: t('anonymous-is-on'),
      back: 'settings#anonymous',
    },
  ),
  projectForm(
    'settings/anonymous/off',
    'Turn off anonymous downloads',
    sendTo(anonymousDownloadsRoute, () => ({ enabled: false })),
    {
      form: 'anonymous',
      show: showSettings,
      done: t('anonymous-is-off'),
      back: 'settings#anonymous',
    },
  ),
  playSettingsForm(showSettings),
  deleteProjectRoute(showSettings),
]
