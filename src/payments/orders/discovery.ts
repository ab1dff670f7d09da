/**
 * How the buyer came to the listing. Orders have nothing else about it: no address of a page, and
 * no name of a site.
 */
export const discoveryChannels = [
  'search',
  'home',
  'tag',
  'developer',
  'listing',
  'external',
  'direct',
  'other',
  'app',
] as const
export type Discovery = (typeof discoveryChannels)[number]

export const isDiscovery = (text: string): text is Discovery =>
  discoveryChannels.some((channel) => channel === text)
