/** How pages look. `auto` follows the system of the reader. */
export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const isTheme = (text: string | undefined): text is Theme =>
  (themes as readonly (string | undefined)[]).includes(text)
