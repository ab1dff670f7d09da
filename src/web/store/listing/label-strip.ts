import type { ReviewSummary } from '../../../library/reviews.ts'
import { valueLabel } from '../../../listings/fields/fields.ts'
import type { LaunchBand } from '../../../listings/fields/launch-bands.ts'
import { bands } from '../../../telemetry/health/bands.ts'
import { bandIcons } from '../../components/badge.ts'
import { labelsOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { type IconName, icon } from '../../components/icons.ts'
import type { ListingPage } from './head.ts'

type Label = {
  tone: 'ok' | 'warn' | 'bad' | 'ink' | 'soft'
  sign: IconName
  text: string
  means: string
}

const authorshipMeanings = {
  human: 'The developer says that people made this without AI agents.',
  human_agent: 'The developer says that people made this together with AI agents.',
  agent_heavy: 'The developer says that AI agents made most of this.',
} as const

/** Stencilled on the crate: whether it starts, whether it is scanned, who made it, what is in it. Each opens what it means. */
export function labelStrip(listing: ListingPage, { count, enjoyed }: ReviewSummary): Html {
  const all = [
    health(listing),
    scan(listing),
    made(listing),
    ai(listing),
    warnings(listing),
    liked(count, enjoyed),
  ]
  const shown = all.filter((label): label is Label => label !== null)
  return html`<div class="labels" role="group" aria-label="At a glance">${shown.map(
    ({ tone, sign, text, means }) =>
      html`<details class="says"><summary class="label label-${tone}">${icon(sign)}${text}</summary><p>${means}</p></details>`,
  )}</div>`
}

function health({ health, files }: ListingPage): Label | null {
  if (!files.length) return null
  const { tone, label, explanation } = bands[health as LaunchBand]
  return { tone, sign: bandIcons[tone], text: label, means: explanation }
}

function scan({ files }: ListingPage): Label | null {
  if (!files.length) return null
  const waiting = files.filter((file) => file.scan !== 'clean').length
  const means =
    'Every file is looked at by a virus scanner before anyone can download it. A scan finds what is known; it is no promise.'
  if (waiting === files.length) return { tone: 'warn', sign: 'wait', text: 'Being scanned', means }
  return { tone: 'ok', sign: 'ok', text: 'Scanned', means }
}

function made({ authorship, authorship_credit }: ListingPage): Label | null {
  if (!authorship) return null
  return {
    tone: 'ink',
    sign: 'person',
    text: valueLabel('authorship', authorship),
    means: [
      authorshipMeanings[authorship],
      authorship_credit && `In their words: ${authorship_credit}`,
    ]
      .filter(Boolean)
      .join(' '),
  }
}

function ai({ ai_uses, authorship }: ListingPage): Label | null {
  if (!ai_uses.length)
    return authorship === 'human'
      ? null
      : {
          tone: 'soft',
          sign: 'info',
          text: 'No AI parts disclosed',
          means: 'The makers name no part that was made with generative AI.',
        }
  return {
    tone: 'ink',
    sign: 'info',
    text: `AI: ${labelsOf(ai_uses)}`,
    means: 'The makers say that these parts were made with generative AI.',
  }
}

function warnings({ content_warnings }: ListingPage): Label | null {
  if (!content_warnings.length) return null
  return {
    tone: 'warn',
    sign: 'warn',
    text: labelsOf(content_warnings),
    means: 'The makers warn of this. The store can leave such listings out of a search.',
  }
}

function liked(count: number, enjoyed: number): Label | null {
  if (!count) return null
  const share = Math.round((enjoyed / count) * 100)
  return {
    tone: share >= 70 ? 'ok' : 'ink',
    sign: 'person',
    text: `${share}% enjoyed it`,
    means: `${enjoyed} of ${count} reviews by people who have a copy.`,
  }
}
