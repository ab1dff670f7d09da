import { Type } from 'typebox'
import { MAX_MESSAGE } from '../../bugs/reports/report-fields.ts'
import { reportBugFromStore } from '../../bugs/reports/routes.ts'
import { choosePlayerChannelRoute } from '../../builds/channels/routes.ts'
import { provenanceRoute } from '../../builds/files/routes.ts'
import { searchRoute } from '../../catalog/search/routes.ts'
import { readShelfRoute } from '../../catalog/shelves/routes.ts'
import { popularTagsRoute } from '../../catalog/tags/routes.ts'
import { OneOf } from '../../core/http/route.ts'
import { privateDownload } from '../../downloads/routes.ts'
import { tagLimits } from '../../library/community-tags.ts'
import { claimRoute, libraryRoute } from '../../library/copy-routes.ts'
import { readReviewsRoute } from '../../library/review-routes.ts'
import { suggestOneTag, suggestTags } from '../../library/tag-routes.ts'
import { operatingSystems } from '../../listings/fields/versions.ts'
import { readChildrenRoute, readPublicListing } from '../../listings/page/routes.ts'
import { readPress } from '../../press/routes.ts'
import { readToken } from '../account-routes.ts'
import { installBuild, saveReview, trust } from './composed-tools.ts'
import { pages, review } from './schemas.ts'
import { mailTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

const names = { uid: 'game_id' }
const may = Type.Optional

export const playerTools: Tool[] = [
  {
    name: 'get_account',
    title: 'Who this token acts for',
    description: 'The account and the scopes of this token.',
    calls: [readToken],
  },
  ...mailTools,
  {
    name: 'search_catalog',
    title: 'Search the catalog',
    description:
      'Words and filters. What is not known is ignored; several values of a filter by commas.',
    calls: [searchRoute],
    without: ['search', 'type'],
    input: { ...pages(50), players: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })) },
  },
  {
    name: 'get_shelf',
    title: 'A shelf of listings',
    description: 'Chosen anew every day, such as tonight or unheard_of.',
    calls: [readShelfRoute],
  },
  {
    name: 'list_popular_tags',
    title: 'Popular tags',
    description: 'With how many listings use them.',
    calls: [popularTagsRoute],
  },
  {
    name: 'get_game_details',
    title: 'One listing',
    description: 'Everything its page says: files, scans, editions, relations, changelog.',
    calls: [readPublicListing],
    names,
  },
  {
    name: 'list_game_addons',
    title: 'Mods and tools of a game',
    description: 'Public ones.',
    calls: [readChildrenRoute],
    names: { ...names, limit: 'page_size' },
    input: {
      limit: may(Type.Integer({ minimum: 1, maximum: 100 })),
      page: may(Type.Integer({ minimum: 1 })),
    },
  },
  {
    name: 'list_reviews',
    title: 'Reviews',
    description: 'Newest first, with their summary.',
    calls: [readReviewsRoute],
    names,
  },
  {
    name: 'get_press_kit',
    title: 'Press factsheet',
    description: 'Facts, quotes and images for writing about it.',
    calls: [readPress],
    names,
  },
  {
    name: 'why_should_i_trust_this',
    title: 'What is known about a download',
    description:
      'Where the files came from, every scan, launch health, reviews and cautions. Never says that something is safe.',
    input: { uid: Type.String() },
    ...trust,
  },
  {
    name: 'get_file_provenance',
    title: 'Where a file came from',
    description: 'Who uploaded it how, its checksum and every scan.',
    calls: [provenanceRoute],
    names,
  },
  {
    name: 'get_library',
    title: 'My library',
    description: 'What you hold a copy of, with play time.',
    calls: [libraryRoute],
  },
  {
    name: 'claim_free_game',
    title: 'Add a free listing to the library',
    description: 'What costs something is bought on the website.',
    calls: [claimRoute],
  },
  {
    name: 'get_download_link',
    title: 'Download link',
    description: 'A link to one file, good for five minutes.',
    calls: [privateDownload],
    names: { file_id: 'file_uid' },
    without: ['source'],
  },
  {
    name: 'install_build',
    title: 'The right download',
    description:
      'The newest file that was found clean and fits the system, build or channel asked for (stable unless said), with a link to it that is good for five minutes.',
    input: {
      uid: Type.String(),
      build_id: may(Type.String()),
      os: may(OneOf(operatingSystems)),
      arch: may(Type.String()),
      channel: may(Type.String()),
    },
    ...installBuild,
  },
  {
    name: 'set_channel',
    title: 'Join or leave the beta',
    description: 'stable leaves it.',
    calls: [choosePlayerChannelRoute],
  },
  {
    name: 'write_review',
    title: 'Write your review',
    description:
      'One for each game you own; replaces the one before, and with delete true takes it back. Only what the player said.',
    input: { uid: Type.String(), ...review, delete: may(Type.Boolean()) },
    destructive: true,
    ...saveReview,
  },
  {
    name: 'suggest_tag',
    title: 'Suggest a tag',
    description: 'One more, or with remove true one less; up to five. Needs an hour of play.',
    calls: [suggestOneTag],
    input: { tag: Type.String() },
  },
  {
    name: 'suggest_tags',
    title: 'Suggest tags',
    description:
      'All tags you suggest for a game; an empty list takes them back. Needs an hour of play.',
    calls: [suggestTags],
    input: { tags: Type.Array(Type.String(), { maxItems: tagLimits.suggestions }) },
  },
  {
    name: 'report_bug',
    title: 'Report a bug',
    description:
      'To the developer of a game you hold a copy of, also when the reporter in the game is off.',
    calls: [reportBugFromStore],
    input: {
      message: Type.String({
        minLength: 1,
        maxLength: MAX_MESSAGE,
        description: 'What happened, and what was expected',
      }),
      client_version: may(Type.String()),
      os: may(Type.String()),
      arch: may(Type.String()),
      build_id: may(Type.String()),
      log: may(Type.String({ description: 'The last of a log, up to 512 KiB' })),
      include_dump: may(
        Type.Boolean({
          description:
            'A dump follows: the answer has an address that takes it by PUT, once, for 24 hours. Needs build_id',
        }),
      ),
      include_log: may(
        Type.Boolean({ description: 'A whole log follows in the same way. Needs build_id' }),
      ),
    },
  },
]
