import { t } from '../../../core/text/text.ts'
import { button, type FormState, fieldForm } from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { facts } from '../../components/table.ts'
import { reasonFields, suspensionFields } from '../moderation/decision-form.ts'
import { PEOPLE_URL, type Person } from './list.ts'

const reasonNames = ['ground', 'facts', 'statement']

/** What the suspension of a person says, and the form that ends it. */
function liftForm({ uid, suspension }: Person, state: FormState): Html {
  const { scope, until, statement } = suspension!
  const form = {
    action: `${PEOPLE_URL}/${uid}/restore`,
    names: reasonNames,
    submit: button(t('person-lift'), { kind: 'ink' }),
  }
  return html`
    ${facts([
      [
        t('moderation-scope'),
        scope === 'everything'
          ? t('moderation-scope-everything')
          : t('moderation-scope-publishing'),
      ],
      [t('person-suspended-until'), until ? dateTimeTag(until) : t('person-suspended-for-good')],
      [t('moderation-statement'), html`<span class="pre-line">${statement}</span>`],
    ])}
    ${reasonDetails(t('person-lift'), state, fieldForm(state, form, reasonFields(state)))}`
}

/** Stays open while it shows what is wrong. */
const reasonDetails = (label: ReturnType<typeof t>, { refused }: FormState, form: Html): Html =>
  html`
    <details class="confirm"${refused && html` open`}>
      <summary class="button button-quiet button-small">${label}</summary>
      ${form}
    </details>`

function suspendForm({ uid, username }: Person, state: FormState): Html {
  const form = {
    action: `${PEOPLE_URL}/${uid}/suspend`,
    names: [...reasonNames, 'scope', 'days'],
    submit: button(t('person-suspend'), { kind: 'danger' }),
  }
  const fields = html`
    <p>${t('person-suspend-text', { username })}</p>
    ${suspensionFields(state)}
    ${reasonFields(state, true)}`
  return reasonDetails(t('person-suspend'), state, fieldForm(state, form, fields))
}

/** The suspension of a person: what is in force, or the form for one. */
export const suspensionPart = (person: Person, state: FormState): Html =>
  person.suspension ? liftForm(person, state) : suspendForm(person, state)
