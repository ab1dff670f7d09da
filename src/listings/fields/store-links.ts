import { explain } from '../../core/runtime/reasons.ts'
import {
  choice,
  excerptOf,
  type Field,
  httpsUrl,
  invalidField,
  list,
  quoteValue,
  record,
} from './text.ts'

/** The stores, and the only hosts that a link to each may use. */
const table = {
  store_01: { hosts: ['store.steampowered.com'] },
  store_02: { hosts: ['gog.com', 'www.gog.com'] },
  store_03: { hosts: ['store.epicgames.com'] },
  store_04: { hosts: ['itch.io'], subdomains: true },
  store_05: { hosts: ['humblebundle.com', 'www.humblebundle.com'] },
  store_06: {
    hosts: ['xbox.com', 'www.xbox.com', 'apps.microsoft.com', 'microsoft.com', 'www.microsoft.com'],
  },
  store_07: { hosts: ['store.playstation.com'] },
  store_08: {
    hosts: [
      'nintendo.com',
      'www.nintendo.com',
      'ec.nintendo.com',
      'store-jp.nintendo.com',
      ...regional(),
    ],
  },
  store_09: { hosts: ['apps.apple.com'] },
  store_10: { hosts: ['play.google.com'] },
  store_11: { hosts: ['gamejolt.com', 'www.gamejolt.com'] },
} as const satisfies Record<string, { hosts: readonly string[]; subdomains?: boolean }>

export type StorePlatform = keyof typeof table
export type StoreLink = { platform: StorePlatform; label: string; url: string }

export const storePlatforms = Object.keys(table) as StorePlatform[]

/** Every store with its display name and the hosts that a link may use. */
export const stores = storePlatforms.map((platform) => {
  const store: { hosts: readonly string[]; subdomains?: boolean } = table[platform]
  const [label] = store.hosts as [string]
  return {
    platform,
    label,
    hosts: store.subdomains ? [...store.hosts, `*.${label}`] : [...store.hosts],
  }
})

/** Validates the complete list of store links, in the order sent. An empty list clears them. */
export function checkStoreLinks(value: unknown): StoreLink[] {
  const seen = new Map<StorePlatform, number>()
  return list(at('store_links'), value).map((entry, index) => {
    const name = `store_links[${index}]`
    const { platform, url } = record(at(name), entry)
    const link = storeLink(
      choice(at(`${name}.platform`), platform, storePlatforms),
      url,
      at(`${name}.url`),
    )
    const earlier = seen.get(link.platform)
    if (earlier !== undefined)
      invalidField(
        at(`${name}.platform`),
        explain(
          'named_twice',
          `store_links[${earlier}] is for this store already; keep one link for each`,
        ),
      )
    seen.set(link.platform, index)
    return link
  })
}

/**
 * Labels a stored link without validating it again: it was valid when it was saved, even if the
 * hosts of the store have changed since.
 */
export function keptStoreLink({ platform, url }: Pick<StoreLink, 'platform' | 'url'>): StoreLink {
  return {
    platform,
    label: stores.find((store) => store.platform === platform)?.label ?? platform,
    url,
  }
}

/** Validates and normalizes one link, from a request or from another source such as an import. */
export function storeLink(
  platform: StorePlatform,
  value: unknown,
  field: Field = at('url'),
): StoreLink {
  const { label, hosts } = stores.find((store) => store.platform === platform)!
  const url = httpsUrl(field, typeof value === 'string' ? value.split('#')[0] : value)
  const { hostname, port } = new URL(url)
  if (port !== '') invalidField(field, explain('link_port', 'leave the port out of the link'))
  if (!hosts.some((host) => isHost(hostname, host))) {
    const some =
      hosts.length > 6
        ? `${hosts.slice(0, 6).join(', ')} or a regional site of this store`
        : hosts.join(', ')
    invalidField(
      field,
      explain('store_host', `${quoteValue(hostname)} is not this store; its links are on ${some}`, {
        host: excerptOf(hostname),
        hosts: hosts.slice(0, 6).join(', '),
      }),
    )
  }
  return { platform, label, url }
}

function isHost(hostname: string, host: string): boolean {
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
}

/**
 * Lists the country domains one by one, because with a pattern anyone could register a matching
 * domain.
 */
function regional(): string[] {
  // biome-ignore format: a table of words reads better in rows
  const endings = [
    'at', 'be', 'ch', 'co.jp', 'co.kr', 'co.nz', 'co.uk', 'co.za', 'com.au', 'com.hk',
    'de', 'dk', 'es', 'fi', 'fr', 'it', 'nl', 'no', 'pt', 'ru', 'se', 'tw',
  ]
  return endings.flatMap((ending) => [`nintendo.${ending}`, `www.nintendo.${ending}`])
}

function at(field: string): Field {
  return { refusal: 'INVALID_STORE_LINK', field }
}
