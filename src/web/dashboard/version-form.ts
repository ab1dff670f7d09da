import { type Text, t } from '../../core/text/text.ts'
import { type Html, html } from '../components/html.ts'

type VersionForm = {
  action: string
  /** The name of the input. */
  name: string
  label: Text
  max_length: number
  value: unknown
  hint: Text
  button: Text
  button_class: string
}

/** Asks for an optional version in one line, such as the version that fixes a bug. */
export const versionForm = (form: VersionForm): Html => html`
  <form class="form line-form" method="post" action="${form.action}">
    <div class="field">
      <label for="f-${form.name}">
        ${form.label} <span class="optional">${t('optional')}</span>
      </label>
      <input id="f-${form.name}" name="${form.name}" maxlength="${form.max_length}"
        value="${String(form.value ?? '')}">
      <p class="hint">${form.hint}</p>
    </div>
    <button class="button ${form.button_class}">${form.button}</button>
  </form>`
