import type { Text } from '../../core/text/text.ts'
import { dateTimeTag } from './format.ts'
import { type Html, html } from './html.ts'

export type TimelineEntry = {
  at: string
  text: Html | Text
  tone?: 'ok' | 'bad' | 'warn' | 'soft'
}

/** Events in the order given, each with its time. */
export const timeline = (name: Text, entries: readonly TimelineEntry[]): Html => html`
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
