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
import { MAX_PLAYERS } from '../../listings/fields/fields.ts'
import { operatingSystems } from '../../listings/fields/versions.ts'
import { readChildrenRoute, readPublicListing } from '../../listings/page/routes.ts'
import { readPress } from '../../press/routes.ts'
import { readToken } from '../account-routes.ts'
import { saveReview, trust } from './composed-tools.ts'
import { installBuild } from './install-build.ts'
import { pages, review } from './schemas.ts'
import { accountTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

const names = { uid: 'game_id' }
const optional = Type.Optional

export const playerTools: Tool[] = [
  {
    name: 'get_account',
    title: 'Account',
    description: 'The account and the scopes of this token.',
    calls: [readToken],
  },
  ...accountTools,
  {
    name: 'search_catalog',
    title: 'Search the catalog',
    description:
      'Full-text search with filters. Separate several values of a filter by commas; unknown ' +
      'values are ignored.',
    calls: [searchRoute],
    without: ['search', 'type'],
    input: {
      ...pages(50),
      players: optional(Type.Integer({ minimum: 1, maximum: MAX_PLAYERS })),
    },
  },
  {
    name: 'get_shelf',
    title: 'Shelf',
    description: 'A daily selection of listings, such as tonight or unheard_of.',
    calls: [readShelfRoute],
  },
  {
    name: 'list_popular_tags',
    title: 'Popular tags',
    description: 'The most used tags with the number of listings.',
    calls: [popularTagsRoute],
  },
  {
    name: 'get_game_details',
    title: 'Listing details',
    description: 'The whole page of a listing: files, scans, editions, relations, changelog.',
    calls: [readPublicListing],
    names,
  },
  {
    name: 'list_game_addons',
    title: 'Mods and tools of a game',
    description: 'Public mods and tools made for a game.',
    calls: [readChildrenRoute],
    names: { ...names, limit: 'page_size' },
    input: {
      limit: optional(Type.Integer({ minimum: 1, maximum: 100 })),
      page: optional(Type.Integer({ minimum: 1 })),
    },
  },
  {
    name: 'list_reviews',
    title: 'Reviews',
    description: 'Reviews and their summary, newest first.',
    calls: [readReviewsRoute],
    names,
  },
  {
    name: 'get_press_kit',
    title: 'Press factsheet',
    description: 'Facts, quotes and images for articles about a listing.',
    calls: [readPress],
    names,
  },
  {
    name: 'why_should_i_trust_this',
    title: 'Trust facts about a download',
    description:
      'Provenance of the files, every scan, launch health, reviews and cautions. It never says ' +
      'that a file is safe.',
    input: { uid: Type.String() },
    ...trust,
  },
  {
    name: 'get_file_provenance',
    title: 'File provenance',
    description: 'Who uploaded the file and how, its checksum and every scan.',
    calls: [provenanceRoute],
    names,
  },
  {
    name: 'get_library',
    title: 'My library',
    description: 'Your copies, with play time.',
    calls: [libraryRoute],
  },
  {
    name: 'claim_free_game',
    title: 'Claim a free game',
    description: 'Adds a free listing to your library. Paid ones are bought on the website.',
    calls: [claimRoute],
  },
  {
    name: 'get_download_link',
    title: 'Download link',
    description: 'A link to a file, valid for five minutes.',
    calls: [privateDownload],
    names: { file_id: 'file_uid' },
    without: ['source'],
  },
  {
    name: 'install_build',
    title: 'Install a build',
    description:
      'The newest clean file that matches the system, build or channel (default: stable), with a ' +
      'link that is valid for five minutes.',
    ...installBuild,
  },
  {
    name: 'set_channel',
    title: 'Join or leave the beta',
    description: 'Chooses beta or stable; stable leaves the beta.',
    calls: [choosePlayerChannelRoute],
  },
  {
    name: 'write_review',
    title: 'Write a review',
    description:
      'Writes or replaces your review of a game you own; set delete to true to delete it. Write ' +
      'only what the player said.',
    input: { uid: Type.String(), ...review, delete: optional(Type.Boolean()) },
    destructive: true,
    ...saveReview,
  },
  {
    name: 'suggest_tag',
    title: 'Suggest a tag',
    description:
      'Adds one of up to five tags; set remove to true to remove it. Needs an hour of play time.',
    calls: [suggestOneTag],
    input: { tag: Type.String() },
  },
  {
    name: 'suggest_tags',
    title: 'Suggest tags',
    description:
      'Replaces the tags you suggest for a game; an empty list removes them. Needs an hour of ' +
      'play time.',
    calls: [suggestTags],
    input: { tags: Type.Array(Type.String(), { maxItems: tagLimits.suggestions }) },
  },
  {
    name: 'report_bug',
    title: 'Report a bug',
    description:
      'Sends a bug report to the developer of a game you own, even if its in-game reporter is ' +
      'off.',
    calls: [reportBugFromStore],
    input: {
      message: Type.String({
        minLength: 1,
        maxLength: MAX_MESSAGE,
        description: 'What happened, and what was expected',
      }),
      client_version: optional(Type.String()),
      os: optional(Type.String()),
      arch: optional(Type.String()),
      build_id: optional(Type.String()),
      log: optional(Type.String({ description: 'The end of a log, up to 512 KiB' })),
      include_dump: optional(
        Type.Boolean({
          description:
            'Announces a dump: the answer has an address that accepts one PUT within 24 hours. ' +
            'Needs build_id',
        }),
      ),
      include_log: optional(
        Type.Boolean({ description: 'Announces a whole log in the same way. Needs build_id' }),
      ),
    },
  },
]
