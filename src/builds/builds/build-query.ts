import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { MAX_VERSION } from '../../listings/fields/text.ts'
import { readApp, readFilePlatform } from './fields.ts'
import type { BuildFilter } from './queries.ts'

const MAX_PAGE = 10_000
const MAX_PAGE_SIZE = 100
const DEFAULT_PAGE_SIZE = 20

type QueryParameters = { [name: string]: string | undefined }

/**
 * Reads the filters and the page of a build list. Values are checked as they are for uploads, but
 * reported with the error code of this route.
 */
export function readBuildQuery(query: QueryParameters): {
  filter: BuildFilter
  page: number
  page_size: number
} {
  const { os, arch, channel } = withFilterError(() => readFilePlatform(query))
  const { app } = withFilterError(() => readApp(query))
  if ((query.version ?? '').length > MAX_VERSION)
    invalidParameter('version', `use at most ${MAX_VERSION} characters`)
  const filter = {
    os: os || undefined,
    arch: arch || undefined,
    channel: channel || undefined,
    version: query.version || undefined,
    app: query.app === undefined ? undefined : app,
  }
  return {
    filter,
    page: readWholeNumber('page', query.page, MAX_PAGE) ?? 1,
    page_size: readWholeNumber('page_size', query.page_size, MAX_PAGE_SIZE) ?? DEFAULT_PAGE_SIZE,
  }
}

function readWholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  invalidParameter(name, `send a whole number from 1 to ${max}`)
}

function withFilterError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) refuse('INVALID_BUILD_FILTER', error.data, error)
    throw error
  }
}

function invalidParameter(field: string, message: string): never {
  refuse('INVALID_BUILD_FILTER', { field }, `${field}: ${message}`)
}
