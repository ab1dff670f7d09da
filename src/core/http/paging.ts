import { Type } from 'typebox'
import { MAX_STATISTICS_DAYS, STATISTICS_DAYS } from '../runtime/retention.ts'

export const MAX_PAGE_SIZE = 50
export const DEFAULT_PAGE_SIZE = 20
/** Beyond the end of every list, and small enough for the offset to fit the database's integers. */
const MAX_PAGE = 1_000_000

export const pageQuery = {
  page: Type.Integer({ default: 1 }),
  page_size: Type.Integer({ default: DEFAULT_PAGE_SIZE }),
}
export const pageData = { total: Type.Integer(), page: Type.Integer(), page_size: Type.Integer() }

/** For lists that clients expect to get whole. */
export const longPageQuery = { ...pageQuery, page_size: Type.Integer({ default: 100 }) }

/** For statistics by day. */
export const daysQuery = {
  days: Type.Integer({
    minimum: 1,
    maximum: MAX_STATISTICS_DAYS,
    default: STATISTICS_DAYS,
    description: 'How many days back',
  }),
}

const Day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description: `${description}, as 2027-01-31` }))

/** For lists of what happened, which can be narrowed to a period. */
export const periodQuery = { from: Day('The first day in UTC'), to: Day('The last day in UTC') }

const startOf = (day: string) => new Date(`${day}T00:00:00Z`)
function dayAfter(day: string): Date {
  const date = startOf(day)
  date.setUTCDate(date.getUTCDate() + 1)
  return date
}

/** The moments between which a period lies; the last one is not part of it. */
export const periodOf = ({ from, to }: { from?: string; to?: string }) => ({
  since: from ? startOf(from) : undefined,
  until: to ? dayAfter(to) : undefined,
})

const clamp = (value: number, max: number) => Math.min(Math.max(value, 1), max)

/** Reads the page parameters; a number out of range becomes the nearest valid one. */
export function paging(query: { page: number; page_size: number }, max_page_size = MAX_PAGE_SIZE) {
  const page = clamp(query.page, MAX_PAGE)
  const page_size = clamp(query.page_size, max_page_size)
  return { page, page_size, limit: page_size, offset: (page - 1) * page_size }
}
