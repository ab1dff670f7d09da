/** What a path parameter names, by the segment before it. */
const bySegment: Record<string, string> = {
  'games/:uid': 'The listing: its uid or vanity name',
  'invites/:uid': 'The uid of an invite',
  'approvals/:uid': 'The uid of an approval',
  'player-keys/:uid': 'The uid of a player key',
  'agent-keys/:uid': 'The uid of an agent key',
  'agent-access/:uid': 'The uid of a connected app',
  'auth/:uid': 'The uid of an authorization',
  'crashes/:id': 'The uid of a crash',
  'shelves/:kind': 'The shelf',
  'images/:name': 'The name of the image, as in its address',
  'editor/:name': 'The name of the image, as in its address',
  'renditions/:name': 'The name of the rendition, as in its address',
  'media/:image': 'The uid of a gallery image, or `cover` or `thumbnail`',
  'trailers/:trailer': 'The uid of a trailer',
  'captions/:language': 'The BCP 47 code of the captions',
  'crash-uploads/:token': 'The token of the upload link',
  'crash-files/:id': 'The uid of a crash',
  'policies/:policy': 'terms, privacy, rules, imprint or about',
  'sitemaps/:file': 'The name of the file, as in the index',
  ':bug_uid/:name': 'The name of the image, as in its address',
}

/** What a query parameter means, by the last segment of the address. */
const byAddress: Record<string, string> = {
  'children?kind': 'Only mods or only tools; both by default',
  'configure?type': 'project for the categories of templates, otherwise those of add-ons',
  'download?file': 'The uid of a file of the package; the best for the editor by default',
  'download?kind': 'Which file of the crash',
  'tags?featured_only': 'true for the most common tags only',
  'query?query': 'Words that occur in the package',
  'query?require_release': 'Accepted for compatibility; every package has a release',
  'query?type': '0 for add-ons, 1 for templates; both by default',
  'query?sort': 'The order, such as relevance or updated_desc',
  'query?compatibility': 'major.minor of the editor',
  ':slug?compatibility': 'major.minor of the editor',
  ':slug?stable_only': 'Accepted for compatibility; every version is a release',
  'download-analytics?days': 'How many days to count, ending today',
  'event-analytics?days': 'How many days to count, ending today; older events may be deleted',
  ':policy?version': 'The number of a version; the one in effect by default',
  'reviews?unreplied': 'Only reviews without a reply',
  'rollback?app': 'The program of the project; the main one by default',
  'bugs?status': 'Only tickets with this status',
  'deliveries?status': 'Only deliveries with this status',
  ':name?Expires': 'The expiry of the link, as signed',
  ':name?Signature': 'The signature of the link',
  'callback?state': 'The state of the link that was started',
}

/** Parameters that mean the same on every route. */
const byName: Record<string, string> = {
  game_id: 'The listing: its uid or vanity name',
  game_uid: 'The listing: its uid or vanity name',
  uid: 'The uid',
  build_id: 'The uid of a build',
  file_uid: 'The uid of a file',
  filename: 'The name of the file',
  symbol_uid: 'The uid of a symbol file',
  bug_uid: 'The uid of a bug ticket',
  delivery_uid: 'The uid of a webhook delivery',
  group_uid: 'The uid of a crash group',
  crash_uid: 'The uid of a crash',
  review_uid: 'The uid of a review',
  edition_uid: 'The uid of an edition',
  user_uid: 'The uid of a person',
  key_uid: 'The uid of a key',
  user_id: 'The uid or username of the developer',
  report_id: 'The id that the service returned for the report',
  extstore_id: 'The 64-bit account ID of a player at the external store',
  asset_id: 'The number of the package',
  publisher: 'The username of the developer',
  slug: 'The vanity name of the listing',
  username: 'The username of the developer',
  vanity_name: 'The vanity name of the listing',
  channel: 'The name of a channel',
  tag: 'A tag',
  page: 'Page number, from 1',
  page_size: 'Entries per page',
  limit: 'The largest number of entries',
  cursor: 'The cursor of an earlier response, to continue after it',
  source: 'Where the download was started, for the statistics of the developer',
  expires: 'The expiry of the link, as signed',
  signature: 'The signature of the link',
  godot_version: 'major.minor of the editor',
}

/** What a parameter of this address means. Descriptions in schemas win over these. */
export function describeParameter(url: string, name: string): string | undefined {
  const segment = url.match(new RegExp(`[^/]+/:${name}\\b`))?.[0] ?? ''
  const last = url.split('/').at(-1)
  return bySegment[segment] ?? byAddress[`${last}?${name}`] ?? byName[name]
}
