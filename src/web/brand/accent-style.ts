import { createHash } from 'node:crypto'
import { backgrounds, lightened } from '../../core/settings/branding.ts'
import type { StoreSettings } from '../../core/settings/table.ts'

/** The accent colors of tokens.css. */
export const defaultAccents = { light: '#b3401a', dark: '#ff8a5c' } as const

type Accents = { light: string; dark: string }

/** The accent colors of the store in both themes; undefined if they are those of tokens.css. */
export function accentsOf({
  accent_color,
  accent_color_dark,
}: Pick<StoreSettings, 'accent_color' | 'accent_color_dark'>): Accents | undefined {
  if (!accent_color && !accent_color_dark) return undefined
  const light = (accent_color || defaultAccents.light).toLowerCase()
  const derived = accent_color ? lightened(light) : defaultAccents.dark
  return { light, dark: (accent_color_dark || derived).toLowerCase() }
}

const colors = (accent: string, on_accent: string) => `--accent:${accent};--on-accent:${on_accent}`

/** Overrides tokens.css with selectors of the same weight. Printed pages keep their own colors. */
function styleOf({ light, dark }: Accents): string {
  const dark_colors = colors(dark, backgrounds.dark.surface)
  return `@media screen{
:root{${colors(light, backgrounds.light.surface)}}
:root:where([data-theme="dark"]){${dark_colors}}
@media (prefers-color-scheme:dark){:root:where(:not([data-theme="light"])){${dark_colors}}}
}
`
}

const hashOf = (style: string) => createHash('sha256').update(style).digest('hex').slice(0, 10)

function nameOf(accents: Accents): string {
  const [light, dark] = [accents.light, accents.dark].map((color) => color.slice(1))
  return `accent-${light}-${dark}-${hashOf(styleOf(accents))}.css`
}

/** The address of the style sheet with the accent colors, which changes with its content. */
export function accentStyleUrl(settings: StoreSettings): string | undefined {
  const accents = accentsOf(settings)
  return accents && `/brand/${nameOf(accents)}`
}

/** The style sheet of a name; any process answers, also before it knows of a change. */
export function accentStyle(name: string): string | undefined {
  const match = name.match(/^accent-([0-9a-f]{6})-([0-9a-f]{6})-[0-9a-f]{10}\.css$/)
  if (!match) return undefined
  const accents = { light: `#${match[1]}`, dark: `#${match[2]}` }
  return nameOf(accents) === name ? styleOf(accents) : undefined
}
