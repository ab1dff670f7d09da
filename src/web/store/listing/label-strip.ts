import { type Text, t } from '../../../core/text/text.ts'
import type { ReviewSummary } from '../../../library/reviews.ts'
import type { Authorship } from '../../../listings/fields/fields.ts'
import { bands } from '../../../telemetry/health/bands.ts'
import { bandExplanation, bandIcons, bandLabel } from '../../components/badge.ts'
import { labelOf, labelsOf } from '../../components/format.ts'
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

const authorshipExplanations: Record<Authorship, Text> = {
  human: t('authorship-human'),
  human_agent: t('authorship-human-agent'),
  agent_heavy: t('authorship-agent-heavy'),
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
    <div class="labels" role="group" aria-label="${t('at-a-glance')}">
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
  const { tone } = bands[health]
  const explanation = bandExplanation(health)
  return { tone, sign: bandIcons[tone], text: bandLabel(health), explanation }
}

function scanLabel({ files }: ListingPage): Label | null {
  if (!files.length) return null
  const explanation = t('scanned-text')
  return files.some(({ scan }) => scan === 'clean')
    ? { tone: 'ok', sign: 'ok', text: t('scanned'), explanation }
    : { tone: 'warn', sign: 'wait', text: t('being-scanned'), explanation }
}

function authorshipLabel({ authorship, authorship_credit }: ListingPage): Label | null {
  if (!authorship) return null
  const statement = authorshipExplanations[authorship]
  const explanation = authorship_credit
    ? t('authorship-note', { statement, note: authorship_credit })
    : statement
  return { tone: 'ink', sign: 'person', text: labelOf(authorship), explanation }
}

function aiLabel({ ai_uses, authorship }: ListingPage): Label | null {
  if (ai_uses.length)
    return {
      tone: 'ink',
      sign: 'info',
      text: t('ai-uses', { uses: labelsOf(ai_uses) }),
      explanation: t('ai-uses-text'),
    }
  if (authorship === 'human') return null
  return {
    tone: 'soft',
    sign: 'info',
    text: t('no-ai'),
    explanation: t('no-ai-text'),
  }
}

function warningLabel({ content_warnings }: ListingPage): Label | null {
  if (!content_warnings.length) return null
  return {
    tone: 'warn',
    sign: 'warn',
    text: labelsOf(content_warnings),
    explanation: t('content-warnings-text'),
  }
}

function reviewLabel({ count, enjoyed }: ReviewSummary): Label | null {
  if (!count) return null
  const percent = Math.round((enjoyed / count) * 100)
  return {
    tone: percent >= 70 ? 'ok' : 'ink',
    sign: 'person',
    text: t('enjoyed-percent', { percent }),
    explanation: t('enjoyed-text', { enjoyed, count }),
  }
}
