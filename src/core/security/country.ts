import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Reader } from 'mmdb-lib'
import type { Core } from '../runtime/core.ts'
import { once } from '../runtime/once.ts'
import { isPublicAddress } from './address-guard.ts'

/** Databases of different vendors use one of these two forms. */
type Row = { country_code?: string; country?: { iso_code?: string } }

const bundledDatabase = (family: 'ipv4' | 'ipv6') =>
  fileURLToPath(
    import.meta.resolve(
      `@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country-${family}.mmdb`,
    ),
  )

/** Databases are loaded on first use, so that an idle service stays small. */
const readers = new Map<string, () => Promise<Reader<never>>>()

async function load(path: string): Promise<Reader<never>> {
  const { Reader } = await import('mmdb-lib')
  return new Reader(await readFile(path))
}

/** The two-letter country of an address, or null if unknown. The address itself is not kept. */
export async function countryOf(
  { config, log }: Pick<Core, 'config' | 'log'>,
  address: string,
): Promise<string | null> {
  if (!isPublicAddress(address)) return null
  try {
    const path = config.country_database ?? bundledDatabase(isIPv4(address) ? 'ipv4' : 'ipv6')
    const reader = readers.get(path) ?? once(() => load(path))
    readers.set(path, reader)
    const row = (await reader()).get(address) as Row | null
    const code = row?.country_code ?? row?.country?.iso_code ?? ''
    return /^[A-Z]{2}$/.test(code) ? code : null
  } catch (error) {
    // A missing statistic must not prevent a download.
    log.warn(
      { error: (error as Error).message },
      'the country database could not be read; check COUNTRY_DATABASE',
    )
    return null
  }
}
