import { Type } from 'typebox'

const MOST_PER_PAGE = 50
const DEFAULT_PER_PAGE = 20
/** Deep enough for every list there is, and no number that the database cannot count to. */
const LAST_PAGE = 1_000_000

export const pageQuery = {
  page: Type.Integer({ default: 1 }),
  page_size: Type.Integer({ default: DEFAULT_PER_PAGE }),
}
export const pageData = { total: Type.Integer(), page: Type.Integer(), page_size: Type.Integer() }

/** A list whose readers are used to seeing all of it at once. */
export const longPageQuery = { ...pageQuery, page_size: Type.Integer({ default: 100 }) }

const within = (value: number, most: number) => Math.min(Math.max(value, 1), most)

/** A number out of range means the nearest one in it. */
export function paging(asked: { page: number; page_size: number }, most = MOST_PER_PAGE) {
  const page = within(asked.page, LAST_PAGE)
  const page_size = within(asked.page_size, most)
  return { page, page_size, limit: page_size, offset: (page - 1) * page_size }
}
