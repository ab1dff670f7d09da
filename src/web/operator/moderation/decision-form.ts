import { suspensionScopes } from '../../../accounts/people/suspension.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { type ContentWarning, contentWarnings } from '../../../listings/fields/fields.ts'
import { type Action, grounds, type TargetType } from '../../../moderation/decisions.ts'
import { groundTexts } from '../../../moderation/mail-templates.ts'
import type { readTargetRoute } from '../../../moderation/targets/routes.ts'
import { fieldLabel } from '../../components/field-text.ts'
import {
  choiceField,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  fieldValues,
  selectField,
  textArea,
  textField,
} from '../../components/form.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { targetPath } from './paths.ts'

type DecidedTarget = RouteData<typeof readTargetRoute>
export type TargetParams = { target_type: TargetType; target_id: string }

export const decisionNames: Record<Action, Text> = {
  dismiss: t('moderation-do-dismiss'),
  warn: t('moderation-do-warn'),
  label: t('moderation-do-label'),
  hide: t('moderation-do-hide'),
  take_down: t('moderation-do-take-down'),
  quarantine: t('moderation-do-quarantine'),
  remove: t('moderation-do-remove'),
  suspend: t('moderation-do-suspend'),
  restore: t('moderation-do-restore'),
}

const scopeNames = {
  publishing: t('moderation-scope-publishing'),
  everything: t('moderation-scope-everything'),
}

const choose = { value: '', label: t('report-choose') }
const groundOptions = (is_restriction: boolean) =>
  grounds
    .filter((value) => !(is_restriction && value === 'no-violation'))
    .map((value) => ({ value, label: groundTexts[value] }))
const scopeOptions = suspensionScopes.map((value) => ({ value, label: scopeNames[value] }))

/** From what and for how long a person is suspended. */
export const suspensionFields = (state: FormState): Html => html`
  ${selectField(state, {
    name: 'scope',
    label: t('moderation-scope'),
    options: scopeOptions,
    required: true,
  })}
  ${textField(state, {
    name: 'days',
    label: t('moderation-days'),
    hint: t('moderation-days-hint'),
    type: 'number',
    min: 1,
    max: 3650,
  })}`

/**
 * The ground and facts of a decision, and the sentence for the person concerned. A form that can
 * only restrict does not offer the ground of decisions in favor of the person.
 */
export const reasonFields = (state: FormState, is_restriction = false): Html => html`
  ${selectField(state, {
    name: 'ground',
    label: t('moderation-ground'),
    options: [choose, ...groundOptions(is_restriction)],
    required: true,
  })}
  ${textArea(state, {
    name: 'facts',
    label: t('moderation-facts'),
    rows: 4,
    maxlength: 4000,
    required: true,
  })}
  ${textArea(state, {
    name: 'statement',
    label: t('moderation-statement'),
    hint: t('moderation-statement-hint'),
    rows: 3,
    maxlength: 4000,
  })}`

const adultOptions = [
  { value: 'no', label: t('moderation-adult-no') },
  { value: 'yes', label: t('moderation-adult-yes') },
]
const warningOptions = contentWarnings.map((value) => ({
  value,
  label: labelOf(value),
}))

/** The labels of a listing as they are, to correct. Only sent with the action. */
function labelControls(labels: NonNullable<DecidedTarget['labels']>, state: FormState): Html {
  const current: FormState = {
    ...state,
    values: {
      adult: labels.adult ? 'yes' : 'no',
      content_warnings: labels.content_warnings,
      tags: labels.tags.join('\n'),
      ...state.values,
    },
  }
  return html`
    <details>
      <summary>${t('moderation-labels')}</summary>
      ${selectField(current, {
        name: 'adult',
        label: t('moderation-adult'),
        options: adultOptions,
      })}
      ${choiceField(current, {
        name: 'content_warnings',
        label: fieldLabel('content_warnings'),
        options: warningOptions,
        type: 'checkbox',
      })}
      ${textArea(current, {
        name: 'tags',
        label: fieldLabel('tags'),
        hint: t('moderation-tags-hint'),
        rows: 4,
      })}
    </details>`
}

export function decisionForm(target: DecidedTarget, state: FormState): Html {
  const action_options = target.actions.map((value) => ({ value, label: decisionNames[value] }))
  const controls = html`
    ${selectField(state, {
      name: 'action',
      label: t('moderation-action'),
      options: [choose, ...action_options],
      required: true,
    })}
    ${reasonFields(state)}
    ${target.labels && labelControls(target.labels, state)}
    ${target.target_type === 'person' && suspensionFields(state)}`
  const form = {
    action: `${targetPath(target.target_type, target.target_id)}/decision`,
    names: [
      'action',
      'ground',
      'facts',
      'statement',
      'adult',
      'content_warnings',
      'tags',
      'scope',
      'days',
    ],
    submit: t('moderation-decide'),
  }
  return fieldForm(state, form, controls)
}

const readLabels = (body: FormBody) => ({
  adult: fieldValue(body, 'adult') === 'yes',
  content_warnings: fieldValues(body, 'content_warnings') as ContentWarning[],
  tags: fieldLines(body, 'tags'),
})

/** Empty is for good. What is no number is sent as it is, and refused. */
const readDays = (text: string) =>
  text === '' ? null : Number.isNaN(Number(text)) ? (text as never) : Number(text)

/** What was chosen in the fields of a suspension. */
export const readSuspension = (body: FormBody) => ({
  scope: fieldValue(body, 'scope') as (typeof suspensionScopes)[number],
  days: readDays(fieldValue(body, 'days').trim()),
})

export const readReasons = (body: FormBody) => ({
  ground: fieldValue(body, 'ground'),
  facts: fieldValue(body, 'facts'),
  statement: fieldValue(body, 'statement'),
})

export function readDecision({ target_type, target_id }: TargetParams, body: FormBody) {
  const action = fieldValue(body, 'action') as Action
  return {
    target_type,
    target_id,
    action,
    ...readReasons(body),
    ...(action === 'label' && { labels: readLabels(body) }),
    ...(action === 'suspend' && { suspension: readSuspension(body) }),
  }
}
