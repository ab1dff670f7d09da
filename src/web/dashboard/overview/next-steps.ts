import { type Text, t } from '../../../core/text/text.ts'
import type { Visibility } from '../../../listings/fields/fields.ts'
import type { CheckReport } from '../../../listings/listing/check.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { fieldPath } from '../page/check.ts'

export type ProjectState = {
  visibility: Visibility
  check: CheckReport
  /** A build on the stable channel often fails to start, or starts worse than the one before. */
  has_health_alarm: boolean
  has_devices: boolean
  open_bugs: number
  open_crashes: number
  regressed_crashes: number
  unanswered_reviews: number
  /** 80 % of a quota are used. */
  is_storage_nearly_full: boolean
}

/** Something to do, and the page of the project on which it is done. */
export type Step = { text: Text; path: string; is_urgent: boolean }

type Rule = {
  /** The message; its variable `count` is how many there are. */
  id: string
  count: (state: ProjectState) => number
  path: string | ((state: ProjectState) => string)
  is_urgent?: boolean
}

const isPublic = ({ visibility }: ProjectState) => visibility === 'public'
const errorCount = ({ check }: ProjectState) => check.errors.length
const firstErrorPath = ({ check }: ProjectState) => fieldPath(check.errors[0]!.field)
const hasCleanBuild = ({ check }: ProjectState) =>
  check.passes.some(({ id }) => id === 'clean_build')

/** The most urgent rule comes first. */
const rules: readonly Rule[] = [
  {
    id: 'step-health',
    count: ({ has_health_alarm }) => Number(has_health_alarm),
    path: 'health',
    is_urgent: true,
  },
  {
    id: 'step-regressed-crashes',
    count: ({ regressed_crashes }) => regressed_crashes,
    path: 'crashes',
    is_urgent: true,
  },
  {
    id: 'step-storage',
    count: ({ is_storage_nearly_full }) => Number(is_storage_nearly_full),
    path: 'overview#storage',
    is_urgent: true,
  },
  {
    id: 'step-fix-public',
    count: (state) => (isPublic(state) ? errorCount(state) : 0),
    path: firstErrorPath,
    is_urgent: true,
  },
  {
    id: 'step-fix',
    count: (state) => (isPublic(state) ? 0 : errorCount(state)),
    path: firstErrorPath,
  },
  {
    id: 'step-publish',
    count: (state) => Number(isUnreleasedPage(state) && state.check.ready),
    path: 'settings#visibility',
  },
  { id: 'step-crashes', count: ({ open_crashes }) => open_crashes, path: 'crashes' },
  { id: 'step-bugs', count: ({ open_bugs }) => open_bugs, path: 'bugs' },
  {
    id: 'step-reviews',
    count: ({ unanswered_reviews }) => unanswered_reviews,
    path: 'reviews',
  },
  {
    id: 'step-events',
    count: (state) => Number(hasCleanBuild(state) && !state.has_devices),
    path: 'health',
  },
  {
    id: 'step-suggestions',
    count: ({ check }) => check.warnings.length,
    path: ({ check }) => fieldPath(check.warnings[0]!.field),
  },
]

/** What to do next in a project, the most urgent first. */
export const nextSteps = (state: ProjectState): Step[] =>
  rules.flatMap(({ id, count: countOf, path, is_urgent = false }) => {
    const count = countOf(state)
    if (count === 0) return []
    return {
      text: t(id, { count }),
      path: typeof path === 'string' ? path : path(state),
      is_urgent,
    }
  })
