import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FluentBundle, FluentResource } from '@fluent/bundle'
import { formatBytes } from '../src/core/runtime/format-bytes.ts'
import type { Explanation } from '../src/core/runtime/reasons.ts'
import { bundledMessages } from './defaults.ts'

/** The languages with a file in messages/; the first is that of unknown locales. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
type Values = Record<string, string | number>

/**
 * The language of the environment, by the variables that other programs use. Programs read the
 * output of --json, so everything is in English then.
 */
export function chooseLanguage(words: readonly string[], env: NodeJS.ProcessEnv): Language {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  const code = words.includes('--json') ? '' : locale.toLowerCase().split(/[-_.@]/)[0]
  return languages.find((language) => language === code) ?? languages[0]
}

let chosen: { language: Language; bundle: FluentBundle } | undefined

/** Made at the first text, because commands such as --version need none. */
function current(): { language: Language; bundle: FluentBundle } {
  if (chosen) return chosen
  const language = chooseLanguage(process.argv.slice(2), process.env)
  const bundle = new FluentBundle(language, { useIsolating: false })
  bundle.addResource(readMessages(language))
  chosen = { language, bundle }
  return chosen
}

/** The parsed messages of the bundled program, or the files beside the sources. */
function readMessages(language: Language): FluentResource {
  const parsed = bundledMessages?.[language]
  if (parsed) return { body: JSON.parse(parsed) }
  const file = join(import.meta.dirname, 'messages', `${language}.ftl`)
  return new FluentResource(readFileSync(file, 'utf8'))
}

/** A message in the language of the output. Only numbers that select a plural are numbers. */
export function t(id: string, values: Values = {}): string {
  const { bundle } = current()
  const pattern = bundle.getMessage(id)?.value
  return pattern ? bundle.formatPattern(pattern, values, []) : id
}

/** A message of a table, written when it is shown. */
export type Text = () => string
export const later =
  (id: string, values?: Values): Text =>
  () =>
    t(id, values)

export function formatSize(bytes: number): string {
  const size = formatBytes(bytes)
  return current().language === 'de' ? size.replace('.', ',') : size
}

/** The field or file at the start of a message. */
const PLACE = /^\S+: /

/** The message of a refusal. In other languages than English it is made from its reasons. */
export function refusalText({ message, reasons }: Explanation): string {
  const { language, bundle } = current()
  const ids = reasons.map(({ id }) => `rule-${id.replaceAll('_', '-')}`)
  if (language === 'en' || !ids.length || !ids.every((id) => bundle.hasMessage(id))) return message
  const texts = reasons.map(({ values = {} }, i) =>
    t(
      ids[i]!,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    ),
  )
  return `${PLACE.exec(message)?.[0] ?? ''}${texts.join('; ')}`
}
