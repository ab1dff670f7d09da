import { t } from '../../../core/text/text.ts'
import type { ApiRefusal } from '../../call.ts'
import { button, checkField, type FormState, fieldForm, textField } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { PEOPLE_URL, type Person } from './list.ts'

/** The listings that the deletion was refused for. */
function ownedListings(refused: ApiRefusal | undefined): Html | undefined {
  const listings = refused?.details.listings as { uid: string; name: string }[] | undefined
  return listings && html`<ul>${listings.map(({ name }) => html`<li>${name}</li>`)}</ul>`
}

function deleteForm({ uid, username, listings }: Person, state: FormState): Html {
  const form = {
    action: `${PEOPLE_URL}/${uid}/delete`,
    names: ['username', 'with_listings'],
    submit: button(t('person-delete'), { kind: 'danger' }),
  }
  const fields = html`
    <p>${t('person-delete-text')}</p>
    ${ownedListings(state.refused)}
    ${textField(state, {
      name: 'username',
      label: t('username'),
      required: true,
      autocomplete: 'off',
      hint: t('person-delete-username', { username }),
    })}
    ${
      listings > 0 &&
      checkField(state, {
        name: 'with_listings',
        label: t('person-delete-listings', { count: listings }),
      })
    }`
  return html`
    <details class="confirm"${state.refused && html` open`}>
      <summary class="button button-quiet button-small">${t('person-delete')}</summary>
      ${fieldForm(state, form, fields)}
    </details>`
}

/** The export of an account and its deletion, which operators lose their role before. */
export const dataPart = (person: Person, state: FormState): Html => html`
  <p class="soft">${t('person-data-text')}</p>
  <div class="rows">
    ${postButton(t('person-export'), `${PEOPLE_URL}/${person.uid}/export`)}
    ${
      person.operator
        ? html`<p class="soft">${t('rule-delete-operator')}</p>`
        : deleteForm(person, state)
    }
  </div>`
