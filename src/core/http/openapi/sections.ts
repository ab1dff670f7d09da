type Section = { name: string; description: string; urls: RegExp }

/** The first section whose pattern matches an address is its tag in the API description. */
const sections: Section[] = [
  {
    name: 'Editor asset library',
    description: 'What game editors browse and install from. Answers have no envelope.',
    urls: /^\/api\/v1\/public\/asset-(library|store)/,
  },
  {
    name: 'Signed-out downloads',
    description: 'Files of projects that allow downloads without an account.',
    urls: /^\/api\/v1\/public\/downloads/,
  },
  {
    name: 'Ingest',
    description: 'Crash reports and events that games send.',
    urls: /^\/api\/v1\/public\/(crashes|crash-uploads|events)/,
  },
  {
    name: 'Operation',
    description: 'Health of the service, and the API descriptions.',
    urls: /^\/(health|ready|api\/v1\/(public|private)\/openapi\.)/,
  },
  {
    name: 'External-store sign-in',
    description:
      'Players of a build sold on the external store sign in with its tickets; ' +
      'game servers verify their tokens.',
    urls: /^\/api\/v1\/extstore\//,
  },
  {
    name: 'Saves',
    description: 'Saved games in the account of a player, for running games.',
    urls: /^\/api\/v1\/public\/games\/:\w+\/saves/,
  },
  {
    name: 'Catalog',
    description: 'Listings, their pages, media and files.',
    urls: /^\/api\/v1\/public\//,
  },
  {
    name: 'Running games',
    description: 'Bug reports and notices of players inside a game.',
    urls: /^\/api\/v1\/games\//,
  },
  {
    name: 'Build machines',
    description: 'Registration and upload of builds, symbols and images with a deploy key.',
    urls: /^\/api\/v1\/tool\//,
  },
  {
    name: 'Operators',
    description: 'The state of the service and its jobs, for the people who run it.',
    urls: /^\/api\/v1\/private\/operations?\//,
  },
  {
    name: 'Moderation',
    description: 'Decisions of moderators, their statements of reasons, and who moderates.',
    urls: /^\/api\/v1\/private\/moderation\//,
  },
  {
    name: 'External store',
    description: 'Import of listings, settings of player sign-in, linked accounts.',
    urls: /^\/api\/v1\/private\/(steam|games\/:\w+\/steam|account\/extstore)/,
  },
  {
    name: 'Payments',
    description: 'Orders, gifts, refunds, and the account that a developer is paid into.',
    urls: /^\/api\/v1\/private\/(orders|sales|gifts|account\/payments)/,
  },
  {
    name: 'Account',
    description: 'The account of a person: log-in, keys, connected apps, settings and invites.',
    urls: /^\/api\/v1\/private\/(account|settings|invites|approvals|token)/,
  },
  {
    name: 'Players',
    description: 'What players do with their games: library, downloads, reviews, tags.',
    urls: new RegExp(
      '^/api/v1/private/(library|downloads|' +
        'games/:\\w+/(library|play-time|playtime|player-token|channel$|review$|tag-suggestions|' +
        'bug-reports|play-sharing|play-token|saves$))',
    ),
  },
  {
    name: 'Bug tickets',
    description: 'Tickets, the settings of the bug reporter and its webhook deliveries.',
    urls: /^\/api\/v1\/private\/games\/:\w+\/bug/,
  },
  {
    name: 'Launch health and crashes',
    description: 'What games report: launch health, crashes, events and downloads.',
    urls: /^\/api\/v1\/private\/games\/.*(crash|health|event-analytics|download-analytics)/,
  },
  {
    name: 'Builds',
    description: 'Builds, files, channels, symbols and deploy keys of a listing.',
    urls: /^\/api\/v1\/private\/games\/:\w+\/(builds|files|channels|deploy|bundle)/,
  },
  {
    name: 'Listings',
    description: 'The listings of a developer: text, taxonomy, images, prices, people.',
    urls: /^\/api\/v1\/private\//,
  },
  {
    name: 'Agents',
    description: 'Tool servers for agents, the authorization server and its metadata.',
    urls: /^\/(mcp|player|oauth|docs\/agents|\.well-known\/(oauth|openid|mcp|jwks))/,
  },
  {
    name: 'Files',
    description: 'Files behind signed links, images, and the uploader.',
    urls: /^\/(files|media|cli|sdk|assets|crash)/,
  },
  {
    name: 'Crawlers',
    description: 'Sitemaps, feeds and other documents for programs that read the website.',
    urls: /^\//,
  },
]

export const sectionOf = (url: string): string =>
  sections.find(({ urls }) => urls.test(url))?.name ?? 'Operation'

/** The tags of these addresses with their descriptions, by name. */
export function sectionsOf(urls: string[]) {
  const names = new Set(urls.map(sectionOf))
  return sections
    .filter(({ name }) => names.has(name))
    .map(({ name, description }) => ({ name, description }))
    .sort((a, b) => a.name.localeCompare(b.name))
}
