import { Type } from 'typebox'
import { MIN_LENGTH, type Suggestions, suggest } from '../../../catalog/search/suggest.ts'
import type { Language } from '../../../core/text/languages.ts'
import { type Text, t, writeText } from '../../../core/text/text.ts'
import { type FieldName, fieldNames, fieldOf } from '../../../listings/fields/fields.ts'
import { fieldLabel, fieldValueText } from '../../components/field-text.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { setPageHeaders } from '../../components/layout.ts'
import { avatarImage } from '../../images/avatar.ts'
import { languageOf } from '../../language.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'

const MAX_VALUES = 3

type Suggestion = { url: string; text: Text; kind: Text; image?: Html }

/** The values of filters with a fixed list whose label has a word that begins with the text. */
function suggestedValues(typed: string, language: Language): Suggestion[] {
  const text = typed.trim().toLocaleLowerCase(language)
  if ([...text].length < MIN_LENGTH) return []
  return filterNames
    .flatMap(({ name, parameter, values }) =>
      values.map((value) => ({ name, parameter, value, label: fieldValueText(name, value) })),
    )
    .filter(({ label }) => beginsWord(writeText(label, language).toLocaleLowerCase(language), text))
    .slice(0, MAX_VALUES)
    .map(({ name, parameter, value, label }) => ({
      url: `/search?${new URLSearchParams({ [parameter]: value })}`,
      text: label,
      kind: fieldLabel(name),
    }))
}

const beginsWord = (label: string, text: string) =>
  label.startsWith(text) || label.includes(` ${text}`)

type FilterName = { name: FieldName; parameter: string; values: string[] }
const filterNames = fieldNames.flatMap((name): FilterName[] => {
  const field = fieldOf(name)
  return field.include?.description && 'values' in field
    ? [{ name, parameter: field.include.parameter, values: Object.keys(field.values) }]
    : []
})

/** Listings first, then people, then filters. */
const inOrder = (
  { listings, developers, tags, engines }: Suggestions,
  values: Suggestion[],
): Suggestion[] => [
  ...listings.map(({ name, username, vanity_name }) => ({
    url: `/${username}/${vanity_name}`,
    text: name,
    kind: t('by-developer', { developer: username }),
  })),
  ...developers.map(({ username, avatar }) => ({
    url: `/${username}`,
    text: username,
    image: avatarImage({ username, avatar }, 'small'),
    kind: t('suggestion-developer'),
  })),
  ...values,
  ...tags.map(({ value, count }) => ({
    url: `/search?${new URLSearchParams({ tags: value })}`,
    text: value,
    kind: t('suggestion-tag', { count }),
  })),
  ...engines.map(({ value, count }) => ({
    url: `/search?${new URLSearchParams({ engine: value })}`,
    text: labelOf(value),
    kind: t('suggestion-engine', { count }),
  })),
]

const option = ({ url, text, kind, image }: Suggestion, i: number): Html => html`
  <a role="option" id="suggestion-${i}" href="${url}" tabindex="-1">
    ${image}<span>${text}</span> <small>${kind}</small>
  </a>
`

/** The list under the search box, for the script that shows it. */
export const suggestionList = getPage('/search/suggestions', 'Suggestions while typing', {
  auth: visitor,
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }),
  async handle(input) {
    const language = languageOf(input.request)
    const { q = '' } = input.query
    const suggestions = inOrder(
      await suggest(input.core, q, input.who),
      suggestedValues(q, language),
    )
    const list = html`${suggestions.map(option)}`
    return setPageHeaders(input, { noindex: true }).send(list.write(language))
  },
})
