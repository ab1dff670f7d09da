import { dateTimeTag } from './format.ts'
import { type Html, html } from './html.ts'

export type TimelineEntry = {
  at: string
  text: Html | string
  tone?: 'ok' | 'bad' | 'warn' | 'soft'
}

/** Events in the order given, each with its time. */
export const timeline = (name: string, entries: readonly TimelineEntry[]): Html => html`
  <ol class="timeline" aria-label="${name}">
    ${entries.map(
      ({ at, text, tone = 'soft' }) => html`
        <li class="at-${tone}">
          <span>${text}</span>
          <small class="soft">${dateTimeTag(at)}</small>
        </li>
      `,
    )}
  </ol>
`
