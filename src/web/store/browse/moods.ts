import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import type { FacetCounts } from '../../../catalog/search/query/plan.ts'
import { find, type Viewer } from '../../../catalog/search/search.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { t } from '../../../core/text/text.ts'
import { sessionBuckets, type Tone, tones } from '../../../listings/fields/fields.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'

const countCache = perCore(() =>
  createRefreshingCache<FacetCounts>({ cost_factor: 200, max_age_ms: 10_000 }),
)
/** A page that waits longer for the index, which may be loading, offers every choice. */
const MAX_WAIT_MS = 1_000

export const readMood = (text: unknown): Tone | undefined => tones.find((tone) => tone === text)

/** Moods and session lengths that listings have: the lengths within a mood, where one is chosen. */
export async function moodSection(
  core: Core,
  who: Viewer,
  mood: Tone | undefined,
): Promise<Html | string> {
  const sees_adult = who?.show_adult ?? false
  const countBy = (tone: readonly string[]) =>
    countCache(core)(`${sees_adult} ${tone}`, async () => {
      const query = { tone, facets: ['tone', 'session_bucket'] }
      return (await find(core, query, sees_adult, { offset: 0, limit: 1 })).facets ?? {}
    })
  const counts = await withinLimit(Promise.all([countBy([]), countBy(mood ? [mood] : [])]))
  const [all, within_mood] = counts ?? []
  const moods = withListings(tones, all?.tone)
  const lengths = withListings(sessionBuckets, within_mood?.session_bucket)
  if (!moods.length && !lengths.length) return ''
  return html`
    <section class="mood-panel" aria-labelledby="feel">
      <h2 id="feel">${t('mood-question')}</h2>
      <ul class="moods">${moods.map((tone) => moodLink(tone, tone === mood))}</ul>
      ${(mood || lengths.length > 0) && html`<p class="eyebrow">${t('time-question')}</p>`}
      <ul class="lengths">
        ${mood && anyLengthLink(mood)}
        ${lengths.map((bucket) => lengthLink(bucket, mood))}
      </ul>
    </section>
  `
}

async function withinLimit<T>(promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, MAX_WAIT_MS, undefined)
  try {
    return await Promise.race([promise.catch(() => undefined), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const withListings = <T extends string>(values: readonly T[], facet: FacetCounts['tone']) =>
  facet ? values.filter((value) => facet.some((entry) => entry.value === value)) : values

/** Choosing a mood stays on the page, and choosing it again removes the choice. */
const moodLink = (tone: Tone, is_chosen: boolean) => html`
  <li>
    <a class="mood mood-${tone}" href="${is_chosen ? '/#feel' : `/?tone=${tone}#feel`}"
      rel="nofollow"${is_chosen && html` aria-current="true"`}>${labelOf(tone)}</a>
  </li>
`

const anyLengthLink = (mood: Tone) => html`
  <li><a href="/search?tone=${mood}">${t('time-any', { mood: labelOf(mood) })}</a></li>
`

const lengthLink = (bucket: string, mood: Tone | undefined) => html`
  <li>
    <a href="/search?${mood && `tone=${mood}&`}session_bucket=${bucket}">${labelOf(bucket)}</a>
  </li>
`
