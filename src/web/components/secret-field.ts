import { type Text, t } from '../../core/text/text.ts'
import { type Html, hiddenText, html, richText } from './html.ts'
import { icon } from './icons.ts'

/** A button that first opens an explanation of its effect, and then a second button. */
export const confirmButton = (parts: {
  label: Html | Text
  sentence: Html | Text
  action: string
  confirm?: Text
  danger?: boolean
  fields?: Html | undefined
}): Html => {
  const { label, sentence, action, confirm = label, danger = true, fields } = parts
  return html`
    <details class="confirm">
      <summary class="button button-quiet button-small">${label}</summary>
      <form method="post" action="${action}">
        <p>${sentence}</p>
        ${fields}
        <button class="button button-small button-${danger ? 'danger' : 'ink'}">${confirm}</button>
      </form>
    </details>
  `
}

/** A form that is only a button, with hidden fields if it needs any. */
export const postButton = (
  label: Html | Text,
  action: string,
  { kind = 'quiet', fields }: { kind?: string; fields?: Html } = {},
): Html => html`
  <form class="post-button" method="post" action="${action}">
    ${fields}
    <button class="button button-small button-${kind}">${label}</button>
  </form>
`

/** A code that copy.mjs gives a button to copy it. */
export const copyText = (code: Html, class_name = ''): Html => {
  const class_attribute = class_name && html` class="${class_name}"`
  const labels = html`data-copy="${t('copy')}" data-copied="${t('copied')}"`
  return html`<copy-text${class_attribute} ${labels}>${code}</copy-text>`
}

/** Text with a button that copies it. Without script the button stays hidden. */
export const copyable = (value: string, name: Text): Html => html`
  <copy-text class="key" data-copied="${t('secret-copied')}">
    <code>${value}</code>
    <button class="button button-quiet button-small" type="button" hidden>
      ${icon('copy')}${copyLabel(name)}
    </button>
  </copy-text>
`

const copyLabel = (name: Text) => richText('copy-named', { name, hidden: hiddenText })

type Secret = {
  /** Identifies it in the page. */
  id: string
  name: Text
  /** What it is for, in one line. */
  about: Text
  /** The secret itself, only on the page that answers a request to reveal it. */
  value?: string | null | undefined
  /** What may always be shown of it, such as its last four characters. */
  hint?: string | null | undefined
  reveal?: string
  replace?: { action: string; sentence: Text; fields?: Html; label?: Text }
}

/** A secret that is masked until it is revealed. Replacing it explains first what stops working. */
export function secretField({ id, name, about, value, hint, reveal, replace }: Secret): Html {
  const reveal_id = `reveal-${id}`
  const reveal_button =
    reveal &&
    html`<button class="button button-quiet button-small" form="${reveal_id}">${t('secret-reveal')}</button>`
  const masked = html`
    <p class="key">
      <code aria-label="${t('secret-hidden')}">••••••••••••••••${hint}</code>
      ${reveal_button}
    </p>
    ${reveal && html`<form id="${reveal_id}" method="post" action="${reveal}"></form>`}
  `
  return html`
    <section class="secret" aria-label="${name}">
      <h3>${icon('key')} ${name}</h3>
      <p class="soft">${about}</p>
      ${value ? copyable(value, name) : masked}
      ${replace && replaceButton(name, replace)}
    </section>
  `
}

const replaceButton = (name: Text, replace: NonNullable<Secret['replace']>): Html =>
  confirmButton({
    label: replace.label ?? t('secret-replace'),
    sentence: replace.sentence,
    action: replace.action,
    confirm: t('secret-replace-confirm', { name }),
    fields: replace.fields,
  })
