import type { Reason, ReasonId } from '../core/runtime/reasons.ts'
import { DEFAULT_LANGUAGE } from '../core/text/languages.ts'
import { hasMessage } from '../core/text/messages.ts'
import { joinTexts, type Text, t } from '../core/text/text.ts'
import { isCurrency } from '../listings/prices/currencies.ts'
import { fieldValueText, flagText } from './components/field-text.ts'
import { formatAmount, formatBytes, formatPrice } from './components/format.ts'

/** Sentences of pages for the reasons of core/runtime/reasons.ts. */

type Values = Record<string, string | number>

const bytes = (count: string | number | undefined) => formatBytes(Number(count))
const price = (cents: string | number | undefined) => formatPrice(Number(cents))
const amount = (minor: string | number | undefined, currency: string | number | undefined) =>
  isCurrency(currency) ? formatAmount(Number(minor), currency) : String(minor)
const pixels = (width?: string | number, height?: string | number) =>
  t('image-pixels', { width: String(width), height: String(height) })

/** The names of flags, such as where a language is available. */
const flagList = (names: string | number | undefined) =>
  joinTexts(
    String(names)
      .split(', ')
      .map((name) => flagText(name, name)),
    ', ',
  )

/** The labels of types of listings. */
const typeList = (types: string | number | undefined) =>
  joinTexts(
    String(types)
      .split(', ')
      .map((type) => fieldValueText('asset_type', type)),
    ', ',
  )

/** Reasons whose message for people differs from that for programs, by the id of that message. */
const messageIds: { [id in ReasonId]?: string } = {
  required: 'rule-fill-in',
  wrong_type: 'rule-fill-in',
  no_requirement: 'rule-fill-in',
  unknown_field: 'rule-unreadable',
  unreadable_form: 'rule-unreadable',
  no_image: 'rule-fill-in',
  not_in_list: 'rule-choose-option',
  not_identifier: 'rule-choose-option',
  not_boolean: 'rule-choose-answer',
  not_number: 'rule-number',
  not_date: 'rule-date',
  not_email: 'rule-email',
  invalid_email: 'rule-not-email',
  bad_characters: 'rule-characters',
  no_items: 'rule-choose-any',
  account_linked: 'account-linked',
  import_edited: 'rule-edited',
}

/** Reasons whose values a page writes in another way. */
const sentences: { [id in ReasonId]?: (values: Values) => Text } = {
  set_flag: ({ names }) => t('rule-set-flag', { names: flagList(names) }),
  dependency_from: ({ types }) => t('rule-dependency-from', { types: typeList(types) }),
  dependency_to: ({ types }) => t('rule-dependency-to', { types: typeList(types) }),
  log_size: (values) => t('rule-log-size', { size: bytes(values.bytes) }),
  price: ({ min_cents, max_cents }) =>
    t('rule-price', { min: price(min_cents), max: price(max_cents) }),
  amount: ({ min_minor, currency }) => t('rule-amount', { min: amount(min_minor, currency) }),
  amount_fixed: ({ price_minor, currency }) =>
    t('rule-amount-fixed', { price: amount(price_minor, currency) }),
  sale_below_minimum: ({ min_minor, currency }) =>
    t('rule-sale-below-minimum', { min: amount(min_minor, currency) }),
  price_in: ({ min_minor, max_minor, currency }) =>
    t('rule-price-in', {
      currency: String(currency),
      min: amount(min_minor, currency),
      max: amount(max_minor, currency),
    }),
  sale_amount: ({ max_cents }) => t('rule-sale-amount', { max: price(max_cents) }),
  image_too_small: ({ width, height, min_width, min_height }) =>
    t('image-too-small', { size: pixels(width, height), min: pixels(min_width, min_height) }),
  image_too_wide: ({ width, height, max_width, max_height }) =>
    t('image-too-wide', { size: pixels(width, height), max: pixels(max_width, max_height) }),
  image_wrong_ratio: ({ width, height, example_width, example_height }) =>
    t('image-wrong-ratio', {
      size: pixels(width, height),
      example: pixels(example_width, example_height),
    }),
  image_too_many_bytes: ({ bytes: size, max_bytes }) =>
    t('image-too-many-bytes', { size: bytes(size), max: bytes(max_bytes) }),
  image_over_bytes: ({ max_bytes }) => t('image-over-bytes', { max: bytes(max_bytes) }),
  image_megapixels: ({ width, height, max }) =>
    t('image-megapixels', { size: pixels(width, height), max: Number(max) }),
  zip_unpacked: ({ bytes: size, max_bytes }) =>
    t('rule-zip-unpacked', { size: bytes(size), max: bytes(max_bytes) }),
  storage_quota: ({ level, used, limit, contact }) =>
    t('rule-storage-quota', {
      level: String(level),
      free: bytes(Math.max(0, Number(limit) - Number(used))),
      limit: bytes(limit),
      contact: String(contact),
    }),
  file_bytes: ({ max_bytes }) => t('rule-file-bytes', { max: bytes(max_bytes) }),
  import_image_large: ({ max_bytes }) => t('import-image-large', { max: bytes(max_bytes) }),
  import_image_small: ({ width, height, min_width, min_height }) =>
    t('import-image-small', { size: pixels(width, height), min: pixels(min_width, min_height) }),
}

/** The id of the message for a reason. */
export const messageIdOf = (id: string): string =>
  (Object.hasOwn(messageIds, id) && messageIds[id as ReasonId]) ||
  (/^(?:image|import)_/.test(id) ? id : `rule_${id}`).replaceAll('_', '-')

/** The sentence for a reason; undefined if it has none. */
export function reasonText({ id, values }: Reason): Text | undefined {
  if (Object.hasOwn(sentences, id)) return sentences[id as ReasonId]?.(values ?? {})
  const message = messageIdOf(id)
  return hasMessage(DEFAULT_LANGUAGE, message) ? t(message, values ?? {}) : undefined
}

/** The sentences for all reasons of a refusal; undefined if one has none. */
export function reasonsText(reasons: readonly Reason[]): Text | undefined {
  const texts = reasons.map(reasonText)
  return texts.length && !texts.includes(undefined) ? joinTexts(texts, ' ') : undefined
}
