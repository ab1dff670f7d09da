import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PolicyKind } from '../../accounts/policies/policies.ts'
import type { Core } from '../../core/runtime/core.ts'

const folder = join(import.meta.dirname, '../../../policies')

/** The languages that templates exist in. */
export const templateLanguages = ['en', 'de'] as const
export type TemplateLanguage = (typeof templateLanguages)[number]

/** A text to start from. What the store knows is filled in; the rest is in double brackets. */
export function readTemplate(
  { settings, addresses }: Core,
  kind: PolicyKind,
  language: TemplateLanguage,
): string {
  const values: Record<string, string> = {
    store: settings.current.store_name,
    url: addresses.web_url,
  }
  return readFileSync(join(folder, language, `${kind}.md`), 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (_, name: string) => values[name] ?? '',
  )
}
