import type { Text } from '../../../core/text/text.ts'
import type { ReviewSummary } from '../../../library/reviews.ts'
import type { Authorship } from '../../../listings/fields/fields.ts'
import { bands } from '../../../telemetry/health/bands.ts'
import { bandIcons } from '../../components/badge.ts'
import { formatCount, labelOf, labelsOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { type IconName, icon } from '../../components/icons.ts'
import type { ListingPage } from './head.ts'

type Label = {
  tone: 'ok' | 'warn' | 'bad' | 'ink' | 'soft'
  sign: IconName
  text: Text
  /** What the label means, shown when it is opened. */
  explanation: Text
}

const authorshipExplanations: Record<Authorship, string> = {
  human: 'The developers state that people made this, without AI agents.',
  human_agent: 'The developers state that people made this together with AI agents.',
  agent_heavy: 'The developers state that AI agents made most of this.',
}

/** Launch health, scan, authorship and content at a glance. Each label opens its explanation. */
export function labelStrip(listing: ListingPage, summary: ReviewSummary): Html {
  const labels = [
    healthLabel(listing),
    scanLabel(listing),
    authorshipLabel(listing),
    aiLabel(listing),
    warningLabel(listing),
    reviewLabel(summary),
  ]
  return html`
    <div class="labels" role="group" aria-label="At a glance">
      ${labels.map((label) => label && labelDetails(label))}
    </div>
  `
}

const labelDetails = ({ tone, sign, text, explanation }: Label) => html`
  <details class="label-details">
    <summary class="label label-${tone}">${icon(sign)}${text}</summary>
    <p>${explanation}</p>
  </details>
`

function healthLabel({ health, files }: ListingPage): Label | null {
  if (!files.length) return null
  const { tone, label, explanation } = bands[health]
  return { tone, sign: bandIcons[tone], text: label, explanation }
}

function scanLabel({ files }: ListingPage): Label | null {
  if (!files.length) return null
  const explanation =
    'Every file is scanned for viruses before anyone can download it. A scan finds known ' +
    'threats; it does not guarantee that a file is harmless.'
  return files.some(({ scan }) => scan === 'clean')
    ? { tone: 'ok', sign: 'ok', text: 'Scanned', explanation }
    : { tone: 'warn', sign: 'wait', text: 'Being scanned', explanation }
}

function authorshipLabel({ authorship, authorship_credit }: ListingPage): Label | null {
  if (!authorship) return null
  const note = authorship_credit && `Their note: ${authorship_credit}`
  const explanation = [authorshipExplanations[authorship], note].filter(Boolean).join(' ')
  return { tone: 'ink', sign: 'person', text: labelOf(authorship), explanation }
}

function aiLabel({ ai_uses, authorship }: ListingPage): Label | null {
  if (ai_uses.length)
    return {
      tone: 'ink',
      sign: 'info',
      text: `AI: ${labelsOf(ai_uses)}`,
      explanation: 'The developers state that generative AI made these parts.',
    }
  if (authorship === 'human') return null
  return {
    tone: 'soft',
    sign: 'info',
    text: 'No AI content disclosed',
    explanation: 'The developers name no part that was made with generative AI.',
  }
}

function warningLabel({ content_warnings }: ListingPage): Label | null {
  if (!content_warnings.length) return null
  return {
    tone: 'warn',
    sign: 'warn',
    text: labelsOf(content_warnings),
    explanation: 'Content warnings by the developers. You can exclude these in the search.',
  }
}

function reviewLabel({ count, enjoyed }: ReviewSummary): Label | null {
  if (!count) return null
  const percent = Math.round((enjoyed / count) * 100)
  return {
    tone: percent >= 70 ? 'ok' : 'ink',
    sign: 'person',
    text: `${percent}% enjoyed it`,
    explanation: `${enjoyed} of ${formatCount(count, 'review')} by players who have a copy.`,
  }
}
