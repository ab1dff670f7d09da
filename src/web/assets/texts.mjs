import { formatBytes } from './format-bytes.mjs'

/** The texts that a page gives a script, and values written in the language of the page. */
const language = document.documentElement.lang
const decimalSign = new Intl.NumberFormat(language).format(0.5).charAt(1)

/** A function that writes the texts of an element, see components/script-texts.ts. */
export function readTexts({ dataset }) {
  const texts = JSON.parse(dataset.texts)
  return (name, values = {}) => texts[name].replaceAll(/\{(\w+)\}/g, (_, key) => values[key])
}

export const formatSize = (bytes) => formatBytes(bytes).replace('.', decimalSign)

export const formatUnit = (count, unit) =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

/** The sentence for people for an error of the API; its message if there is no answer. */
export async function refusalText({ message, reasons = [], data }) {
  const query = new URLSearchParams({ message, reasons: JSON.stringify(reasons) })
  if (data?.file !== undefined) query.set('file', data.file)
  const answer = await fetch(`/help/refusal-text?${query}`).catch(() => undefined)
  const { text } = (answer?.ok && (await answer.json().catch(() => undefined))) || {}
  return text ?? message
}
