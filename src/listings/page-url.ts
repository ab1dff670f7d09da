import type { Addresses } from '../core/config.ts'

/** Where people open a listing's page. */
export const pageUrl = ({ web_url }: Addresses, { owner_username, vanity_name }: { owner_username: string; vanity_name: string }) =>
  `${web_url}/${owner_username}/${vanity_name}`
