import { translated, translationFor } from '../../listings/fields/translations.ts'
import type { PageState } from '../../listings/page/queries.ts'
import { languageName } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { contentLanguage } from '../language.ts'
import type { ListingView } from './listing/body.ts'

/** A translation that suits the reader, and whether they want the original nevertheless. */
export type TextChoice = { code: string; is_original: boolean } | undefined

export const ORIGINAL = 'original'

/** `?text=original` shows what the developer wrote first, `?text=de` a translation. */
export function chooseText(
  { core, request, who }: Context,
  { translation_codes }: PageState,
  text: unknown,
): TextChoice {
  const is_original = text === ORIGINAL
  const language =
    typeof text === 'string' && !is_original ? text : contentLanguage(core, request, who)
  const code = translationFor(translation_codes, language)
  return code === undefined ? undefined : { code, is_original }
}

/** The view with the texts that the reader chose. */
export function withTexts<View extends ListingView>(view: View, translation: TextChoice): View {
  const { listing } = view
  if (!translation || !Object.hasOwn(listing.translations, translation.code)) return view
  const { code, is_original } = translation
  return { ...view, translation, listing: is_original ? listing : translated(listing, code) }
}

/** Texts in another language than the page say so, and which way they are written. */
export const languageAttributes = (choice: TextChoice): Html | false =>
  choice !== undefined && !choice.is_original && html` lang="${choice.code}" dir="auto"`

export function translationNote(path: string, choice: TextChoice): Html | string {
  if (!choice) return ''
  const { code, is_original } = choice
  const language = languageName(code)
  const note = is_original
    ? richText('translation-original', { language, link: linkTo(`${path}?text=${code}`) })
    : richText('translation-shown', { language, link: linkTo(`${path}?text=${ORIGINAL}`) })
  return html`<p class="soft">${note}</p>`
}
