import { type OperatingSystem, operatingSystems } from '../../listings/fields/platforms.ts'
import { labelOf } from './format.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

const isSystem = (os: string): os is OperatingSystem =>
  (operatingSystems as readonly string[]).includes(os)

/** An operating system as an icon whose name is read aloud and shown to the mouse. */
const systemIcon = (os: string): Html =>
  isSystem(os)
    ? html`
        <span
          class="os"
          role="img"
          aria-label="${labelOf(os)}"
          title="${labelOf(os)}">${icon(os)}</span>
      `
    : html`<span>${labelOf(os)}</span>`

export const systemIcons = (systems: readonly string[]): Html => html`${systems.map(systemIcon)}`
