import { dateTimeTag } from './format.ts'
import { type Html, html } from './html.ts'

export type TimelineEntry = {
  at: string
  what: Html | string
  tone?: 'ok' | 'bad' | 'warn' | 'soft'
}

/** Events in the order given, each with its time. */
export const timeline = (name: string, entries: readonly TimelineEntry[]): Html => html`
  <ol class="timeline" aria-label="${name}">
    ${entries.map(
      ({ at, what, tone = 'soft' }) => html`
        <li class="at-${tone}">
          <span>${what}</span>
          <small class="soft">${dateTimeTag(at)}</small>
        </li>
      `,
    )}
  </ol>
`
