import { t } from '../../../core/text/text.ts'
import { languageCodes } from '../../../listings/fields/languages.ts'
import type { Translations } from '../../../listings/fields/translations.ts'
import type { FormBody, FormState } from '../../components/form.ts'
import { languageName } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { filledRows } from './rows-form.ts'

type Row = { code: string; tagline: string; description: string }

const columns = ['code', 'tagline', 'description'] as const
const columnName = (name: string, column: string) => `${name}.${column}`

/** A part that opens for each language, and one to add another. */
export function translationRows(state: FormState, name: string, max: number): Html {
  const rows = sentRows(state.values as FormBody, name)
  const all = rows.length < max ? [...rows, { code: '', tagline: '', description: '' }] : rows
  const open = Boolean(state.refused)
  return html`
    <div class="rows">
      ${all.map((row, number) => translationRow({ name, row, number, open }))}
    </div>`
}

const sentRows = (sent: FormBody, name: string): Row[] =>
  filledRows(
    sent,
    columns.map((column) => columnName(name, column)),
  ).map(([code, tagline, description]) => ({
    code: code!.trim(),
    tagline: tagline!,
    description: description!,
  }))

type RowParts = { name: string; row: Row; number: number; open: boolean }

function translationRow({ name, row, number, open }: RowParts): Html {
  const { code, tagline, description } = row
  const id = `${name}-${number}`
  const known = languageCodes.normalize(code)
  const title = known ? languageName(known) : code || t('translation-add')
  return html`
    <details class="translation"${open && html` open`}>
      <summary>${title}</summary>
      <label for="${id}-code">${t('translation-language')}</label>
      <input id="${id}-code" name="${columnName(name, 'code')}" value="${code}"
        placeholder="${t('translation-code-example')}">
      <label for="${id}-tagline">${t('translation-tagline')}</label>
      <input id="${id}-tagline" name="${columnName(name, 'tagline')}" value="${tagline}">
      <label for="${id}-description">${t('translation-description')}</label>
      <textarea id="${id}-description" name="${columnName(name, 'description')}" rows="8">
${description}</textarea>
    </details>`
}

/** The value of the field that the rows of a sent form stand for. A row without text is removed. */
export function readTranslationRows(sent: FormBody, name: string): Translations {
  const translations: Translations = {}
  for (const { code, tagline, description } of sentRows(sent, name)) {
    if (!tagline.trim() && !description.trim()) continue
    // A language that is entered twice stays twice, spelled with a space, for the API to refuse.
    const key = Object.hasOwn(translations, code) ? `${code} ` : code
    translations[key] = { tagline, description }
  }
  return translations
}

/** What a browser sends for the rows of a stored value. */
export const asSentTranslations = (
  translations: Translations,
  name: string,
): NonNullable<FormBody> => {
  const rows = Object.entries(translations)
  const lines = (text: string) => text.replaceAll(/\r\n?/g, '\n')
  return {
    [columnName(name, 'code')]: rows.map(([code]) => code),
    [columnName(name, 'tagline')]: rows.map(([, { tagline }]) => tagline),
    [columnName(name, 'description')]: rows.map(([, { description }]) => lines(description)),
  }
}
