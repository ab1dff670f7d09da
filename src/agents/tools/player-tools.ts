import { Type } from 'typebox'
import { MAX_MESSAGE } from '../../bugs/reports/report-limits.ts'
import { reportBugFromStore } from '../../bugs/reports/routes.ts'
import { choosePlayerChannelRoute } from '../../builds/channels/routes.ts'
import { provenanceRoute } from '../../builds/files/routes.ts'
import { readShelfRoute } from '../../catalog/shelves/routes.ts'
import { shelfKinds } from '../../catalog/shelves/shelf-rules.ts'
import { SHELF_MAX } from '../../catalog/shelves/shelves.ts'
import { popularTagsRoute } from '../../catalog/tags/routes.ts'
import { OneOf } from '../../core/http/route.ts'
import { privateDownload } from '../../downloads/routes.ts'
import { tagLimits } from '../../library/community-tags.ts'
import { claimRoute, libraryRoute } from '../../library/copy-routes.ts'
import { readReviewsRoute } from '../../library/review-routes.ts'
import { suggestOneTag, suggestTags } from '../../library/tag-routes.ts'
import { readChildrenRoute, readPublicListing } from '../../listings/page/routes.ts'
import { readPress } from '../../press/routes.ts'
import { readToken } from '../account-routes.ts'
import { saveReview, trust } from './composed-tools.ts'
import { installBuild } from './install-build.ts'
import { os, review } from './schemas.ts'
import { searchCatalog } from './search-catalog.ts'
import { accountTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

const names = { uid: 'game_id' }
const optional = Type.Optional

export const playerTools: Tool[] = [
  {
    name: 'get_account',
    title: 'Account',
    description:
      'Reads the account that this token acts for, whether its email is verified, and the scopes ' +
      'of the token.',
    calls: [readToken],
  },
  ...accountTools,
  {
    name: 'search_catalog',
    title: 'Search the catalog',
    description:
      'Searches the games, tools, mods and assets of the store by words and filters. Values of ' +
      'one filter are alternatives; filters are combined. ignored_values in the answer names ' +
      'values that the search does not know.',
    ...searchCatalog,
  },
  {
    name: 'get_shelf',
    title: 'Shelf',
    description: 'Reads a selection of listings of the store that changes daily.',
    calls: [readShelfRoute],
    input: {
      kind: OneOf(shelfKinds, {
        description:
          'tonight: short games that start well; unheard_of: new and hardly known; community: ' +
          'with the most reviews and tags; the others say what they are',
      }),
      os,
      limit: optional(Type.Integer({ minimum: 1, maximum: SHELF_MAX, description: 'Entries' })),
    },
  },
  {
    name: 'list_popular_tags',
    title: 'Popular tags',
    description: 'Lists the most used tags of the store with the number of listings.',
    calls: [popularTagsRoute],
  },
  {
    name: 'get_game_details',
    title: 'Listing details',
    description:
      'Reads the whole public page of a listing: texts, taxonomy, files, scans, editions, ' +
      'relations, changelog.',
    calls: [readPublicListing],
    names,
  },
  {
    name: 'list_game_addons',
    title: 'Mods and tools of a game',
    description: 'Lists the public mods and tools that were made for a game.',
    calls: [readChildrenRoute],
    names: { ...names, limit: 'page_size' },
    input: {
      kind: optional(OneOf(['mods', 'tools'], { description: 'Both by default' })),
      limit: optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Entries per page' })),
      page: optional(Type.Integer({ minimum: 1 })),
    },
    accepts: { kind: OneOf(['mods', 'tools', '']) },
  },
  {
    name: 'list_reviews',
    title: 'Reviews',
    description:
      'Lists the reviews that players wrote about a listing and their summary, newest first.',
    calls: [readReviewsRoute],
    names,
  },
  {
    name: 'get_press_kit',
    title: 'Press factsheet',
    description: 'Reads facts, quotes and images for articles about a listing.',
    calls: [readPress],
    names,
  },
  {
    name: 'why_should_i_trust_this',
    title: 'Trust facts about a download',
    description:
      'Collects the known facts about the downloads of a listing: provenance of the files, every ' +
      'virus scan, launch health, reviews and cautions. It never says that a file is safe.',
    input: { uid: Type.String() },
    ...trust,
  },
  {
    name: 'get_file_provenance',
    title: 'File provenance',
    description:
      'Reads who uploaded a file of a listing and how, its checksum and the state of every virus ' +
      'scan.',
    calls: [provenanceRoute],
    names,
  },
  {
    name: 'get_library',
    title: 'My library',
    description: 'Lists the games that the player has a copy of, with play time.',
    calls: [libraryRoute],
  },
  {
    name: 'claim_free_game',
    title: 'Claim a free game',
    description:
      'Adds a free listing to the library of the player. Paid ones are bought on the website.',
    calls: [claimRoute],
  },
  {
    name: 'get_download_link',
    title: 'Download link',
    description: 'Answers a link to a file of a listing, valid for five minutes.',
    calls: [privateDownload],
    names: { file_id: 'file_uid' },
    about: { file_id: 'The uid of a file, from get_game_details' },
    without: ['source'],
  },
  {
    name: 'install_build',
    title: 'Install a build',
    description:
      'Finds the clean file that a channel of a listing points at, or of one build, for a ' +
      'system, and answers a link to it that is valid for five minutes. Without a system it ' +
      'takes the newest build of all systems. It installs nothing.',
    ...installBuild,
  },
  {
    name: 'set_channel',
    title: 'Join or leave the beta',
    description: 'Joins or leaves the beta of a game: beta joins, stable leaves.',
    calls: [choosePlayerChannelRoute],
    about: { channel: 'The channel to get builds from' },
  },
  {
    name: 'write_review',
    title: 'Write a review',
    description:
      'Publishes or replaces the review of the player for a game they own; set delete to true to ' +
      'delete it. Write only what the player said.',
    input: { uid: Type.String(), ...review, delete: optional(Type.Boolean()) },
    about: { delete: 'true deletes the review' },
    destructive: true,
    ...saveReview,
  },
  {
    name: 'suggest_tag',
    title: 'Suggest a tag',
    description:
      'Suggests one of up to five tags of the player for a game; set remove to true to withdraw ' +
      'it. Needs an hour of play time.',
    calls: [suggestOneTag],
    input: { tag: Type.String() },
    about: { tag: 'Lowercase words with dashes', remove: 'true withdraws it' },
  },
  {
    name: 'suggest_tags',
    title: 'Suggest tags',
    description:
      'Replaces the tags that the player suggests for a game; an empty list withdraws them. ' +
      'Needs an hour of play time.',
    calls: [suggestTags],
    input: { tags: Type.Array(Type.String(), { maxItems: tagLimits.suggestions }) },
    about: { tags: 'Lowercase words with dashes' },
  },
  {
    name: 'report_bug',
    title: 'Report a bug',
    description:
      'Sends a bug report to the developer of a game that the player owns, even if its in-game ' +
      'reporter is off.',
    calls: [reportBugFromStore],
    input: {
      message: Type.String({
        minLength: 1,
        maxLength: MAX_MESSAGE,
        description: 'What happened, and what was expected',
      }),
      client_version: optional(Type.String({ description: 'The version of the game' })),
      os: optional(Type.String({ description: 'The system it runs on, such as linux' })),
      arch: optional(Type.String({ description: 'Its architecture, such as x86_64' })),
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
