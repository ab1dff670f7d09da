import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { MAX_VERSION } from '../../listings/fields/versions.ts'
import { readApp, readFilePlatform } from './fields.ts'
import type { BuildFilter } from './queries.ts'

const MAX_PAGE = 10_000
const MAX_PAGE_SIZE = 100
const PAGE_SIZE = 20

type Sent = { [name: string]: string | undefined }

/** The filters and the page of a build list. What an upload would refuse, this refuses too, by its own code. */
export function readBuildQuery(sent: Sent): {
  filter: BuildFilter
  page: number
  page_size: number
} {
  const { os, arch, channel } = asFilter(() => readFilePlatform(sent))
  const { app } = asFilter(() => readApp(sent))
  if ((sent.version ?? '').length > MAX_VERSION)
    invalid('version', `use at most ${MAX_VERSION} characters`)
  const chosen = {
    os: os || undefined,
    arch: arch || undefined,
    channel: channel || undefined,
    version: sent.version || undefined,
  }
  return {
    filter: { ...chosen, app: sent.app === undefined ? undefined : app },
    page: wholeNumber('page', sent.page, MAX_PAGE) ?? 1,
    page_size: wholeNumber('page_size', sent.page_size, MAX_PAGE_SIZE) ?? PAGE_SIZE,
  }
}

function wholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= max ? value : invalid(name, `send a whole number from 1 to ${max}`)
}

function asFilter<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) refuse('INVALID_BUILD_FILTER', error.data, error.message)
    throw error
  }
}

function invalid(field: string, what: string): never {
  refuse('INVALID_BUILD_FILTER', { field }, `${field}: ${what}`)
}
