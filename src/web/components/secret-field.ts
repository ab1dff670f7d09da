import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

/** A button with a step before it: what happens is said in a sentence first, without script. */
export const confirmButton = (parts: {
  label: string
  sentence: Html | string
  action: string
  confirm?: string
  danger?: boolean
  fields?: Html
}): Html => {
  const { label, sentence, action, confirm = label, danger = true, fields } = parts
  return html`<details class="sure"><summary class="button button-quiet button-small">${label}</summary>
<form method="post" action="${action}"><p>${sentence}</p>${fields}<button class="button button-small button-${danger ? 'danger' : 'ink'}">${confirm}</button></form></details>`
}

/** A button alone in its form. */
export const postButton = (
  label: string,
  action: string,
  { kind = 'quiet', fields }: { kind?: string; fields?: Html } = {},
): Html =>
  html`<form class="act" method="post" action="${action}">${fields}<button class="button button-small button-${kind}">${label}</button></form>`

/** Text with a button that copies it; without script the text is there to be marked. */
export const copyable = (value: string, name: string): Html =>
  html`<copy-text class="key"><code>${value}</code><button class="button button-quiet button-small" type="button" hidden>${icon('copy')}Copy<span class="sr"> ${name}</span></button></copy-text>`

type Key = {
  name: string
  /** What it is for, in a line. */
  about: string
  /** The key, only on the page that answers the wish to see it. */
  value?: string | null | undefined
  /** What is known of it otherwise, such as its last four characters. */
  hint?: string | null | undefined
  reveal?: string
  replace?: { action: string; sentence: string; fields?: Html; label?: string }
}

/** A secret: hidden until asked for, copied with one press, replaced only after reading what stops working. */
export function secretField({ name, about, value, hint, reveal, replace }: Key): Html {
  return html`<section class="secret" aria-label="${name}"><h3>${icon('key')} ${name}</h3><p class="soft">${about}</p>
${value ? copyable(value, name) : html`<p class="key"><code aria-label="hidden">••••••••••••••••${hint}</code>${reveal && html`<button class="button button-quiet button-small" form="reveal-${slug(name)}">Reveal</button>`}</p>`}
${reveal && !value && html`<form id="reveal-${slug(name)}" method="post" action="${reveal}"></form>`}
${replace && confirmButton({ label: replace.label ?? 'Replace…', sentence: replace.sentence, action: replace.action, confirm: `Replace the ${name.toLowerCase()}`, ...(replace.fields ? { fields: replace.fields } : {}) })}</section>`
}

const slug = (name: string) => name.toLowerCase().replace(/\W+/g, '-')
