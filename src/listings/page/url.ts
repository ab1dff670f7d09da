import type { Addresses } from '../../core/runtime/config.ts'

type Named = { owner_username: string; vanity_name: string }

/** The URL of the page of a listing. */
export const pageUrl = ({ web_url }: Addresses, { owner_username, vanity_name }: Named) =>
  `${web_url}/${owner_username}/${vanity_name}`

export const pressUrl = (addresses: Addresses, listing: Named) =>
  `${pageUrl(addresses, listing)}/press`

/** The URL of the page that shows all listings of a developer. */
export const developerUrl = ({ web_url }: Addresses, username: string) => `${web_url}/${username}`
