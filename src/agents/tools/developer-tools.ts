import { Type } from 'typebox'
import { confirmApprovalRoute, readApprovalRoute } from '../../accounts/approvals/routes.ts'
import { agentKeyRoutes } from '../../accounts/keys/routes.ts'
import {
  listBugDeliveries,
  readBugReporter,
  replayBugDelivery,
  saveBugReporter,
} from '../../bugs/settings/routes.ts'
import { changeBug, listBugs, readBug } from '../../bugs/tickets/routes.ts'
import { downloadAnalytics } from '../../downloads/routes.ts'
import { grantRoute } from '../../library/copy-routes.ts'
import { listOwnReviews, replyToReview } from '../../library/review-routes.ts'
import { reviewLimits } from '../../library/reviews.ts'
import { readCommunityTags } from '../../library/tag-routes.ts'
import { deleteEditionRoute, listEditions } from '../../listings/editions/routes.ts'
import { patchFields } from '../../listings/fields/fields.ts'
import {
  declareDependencyRoute,
  dependenciesRoute,
  engineCompatRoute,
  modSettingsRoute,
  readStoreLinksRoute,
  similarRoute,
  storeLinksRoute,
  taxonomyRoute,
} from '../../listings/listing/edit-routes.ts'
import {
  dependencies,
  dependency_kind,
  dependencyTarget,
  edition,
  license,
  modSettings,
  price_cents,
  ranges,
  similar,
  store_links,
} from '../../listings/listing/input-schemas.ts'
import {
  changeListingRoute,
  changePriceRoute,
  createListing,
  listListings,
  readMyListing,
} from '../../listings/listing/routes.ts'
import { deleteMedia, orderMedia, readMediaRoute } from '../../listings/media/routes.ts'
import { listAdmins } from '../../listings/people/routes.ts'
import { readPressKitRoute, savePressKitRoute } from '../../press/routes.ts'
import { kitInput } from '../../press/schema.ts'
import {
  changeCrashGroup,
  crashDownload,
  listCrashesRoute,
  listCrashGroups,
  readCrashRoute,
} from '../../telemetry/crashes/read-routes.ts'
import { eventAnalytics } from '../../telemetry/events/routes.ts'
import { readToken } from '../account-routes.ts'
import { buildTools } from './build-tools.ts'
import { dependents, hideTag, setup, upsertEdition } from './composed-tools.ts'
import { validateListing } from './listing-check.ts'
import { listing, newListing, pages, parent, required_license, taxonomy } from './schemas.ts'
import { accountTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

const optional = Type.Optional

const profileTools: Tool[] = [
  {
    name: 'get_profile',
    title: 'Profile',
    description:
      'Reads the account that this token acts for, the scopes of the token, and the one project ' +
      'it is limited to, if any.',
    calls: [readToken],
  },
  {
    name: 'get_account',
    title: 'Account',
    description:
      'Reads the account that this token acts for, whether its email is verified, and the scopes ' +
      'of the token. The same as get_profile.',
    calls: [readToken],
  },
  {
    name: 'get_setup',
    title: 'Setup steps',
    description:
      'Lists the steps from a new account to a public listing, which of them are done, and what ' +
      'to do next.',
    ...setup,
  },
  ...accountTools,
  {
    name: 'list_mcp_keys',
    title: 'Agent keys',
    description:
      'Lists the agent keys of the account: name, prefix and scopes, without the secrets. Keys ' +
      'are created and revoked on the website.',
    calls: [agentKeyRoutes.list],
  },
  {
    name: 'get_approval',
    title: 'Approval status',
    description:
      'Reads an approval that you requested. status is pending (the person has not decided), ' +
      'approved (repeat the call now), denied, expired (after 30 minutes) or used (the call was ' +
      'carried out).',
    calls: [readApprovalRoute],
    names: { approval_id: 'uid' },
  },
  {
    name: 'confirm_approval',
    title: 'Confirm an approval',
    description:
      'Approves a request with the six-digit code that the person read to you from their email. ' +
      'Then repeat the call that needed the approval.',
    calls: [confirmApprovalRoute],
    names: { approval_id: 'uid' },
  },
]

const pageTools: Tool[] = [
  {
    name: 'list_games',
    title: 'My listings',
    description:
      'Lists the listings (games, tools, mods, assets) that the person owns or helps run, with ' +
      'their uid, visibility and role.',
    calls: [listListings],
  },
  {
    name: 'get_game',
    title: 'A listing',
    description:
      'Reads everything on the page of a listing that the person runs, drafts included: texts, ' +
      'taxonomy, images, files, editions, relations.',
    calls: [readMyListing],
  },
  {
    name: 'create_game',
    title: 'Create a listing',
    description:
      'Creates a listing. It is a draft unless visibility is given; public needs the listing ' +
      'check to pass. Answers its uid.',
    calls: [createListing],
    input: { ...newListing, parent },
  },
  {
    name: 'update_game',
    title: 'Update a listing',
    description:
      'Changes the given fields of a listing and keeps the others. Set visibility to public to ' +
      'publish it; validate_listing must report no errors. Answers the whole page.',
    calls: [changeListingRoute],
    input: { ...listing, parent, ...license },
    without: ['price_cents'],
  },
  {
    name: 'validate_listing',
    title: 'Check a listing',
    description:
      'Checks a listing: what prevents publishing (errors), what would improve the page ' +
      '(warnings), what is fine (passes), its current taxonomy and the allowed values with what ' +
      'they mean.',
    input: { uid: Type.String() },
    ...validateListing,
  },
  {
    name: 'update_game_taxonomy',
    title: 'Update the taxonomy',
    description:
      'Changes genres, tags and the other fields by which players find a listing. Given fields ' +
      'are replaced, others stay; null or an empty list clears a field.',
    calls: [taxonomyRoute],
    input: taxonomy,
  },
  {
    name: 'set_similar_games',
    title: 'Set similar titles',
    description: 'Replaces the list of public games that a listing says it is similar to.',
    calls: [similarRoute],
    input: { games: similar },
  },
  {
    name: 'set_mod_settings',
    title: 'Set mod installation',
    description:
      'Sets how a mod or plugin is installed. Replaces all three fields; one that is left out is ' +
      'cleared.',
    calls: [modSettingsRoute],
    input: modSettings,
  },
  {
    name: 'list_media',
    title: 'Images of a listing',
    description:
      'Lists the cover, the thumbnail and the gallery images of a listing with their addresses. ' +
      'Images are uploaded on the website or with the uploader; agents cannot upload.',
    calls: [readMediaRoute],
  },
  {
    name: 'order_media',
    title: 'Reorder the gallery',
    description:
      'Puts the gallery images of a listing into a new order. Takes every gallery image exactly ' +
      'once.',
    calls: [orderMedia],
    input: { order: Type.Array(Type.String(), { description: 'Uids of gallery images' }) },
  },
  {
    name: 'delete_media',
    title: 'Delete an image',
    description:
      'Deletes an image of a listing: a gallery image by its uid, or the cover or the thumbnail ' +
      'by that name. A public listing keeps its cover and thumbnail.',
    calls: [deleteMedia],
    about: { image: 'A uid from list_media, or cover or thumbnail' },
    destructive: true,
  },
  {
    name: 'get_press_kit',
    title: 'Press kit',
    description:
      'Reads the press kit of a listing: release date, links, quotes, awards, credits and ' +
      'history.',
    calls: [readPressKitRoute],
  },
  {
    name: 'set_press_kit',
    title: 'Replace the press kit',
    description:
      'Replaces the whole press kit of a listing: fields that are left out are cleared. Read it ' +
      'with get_press_kit first.',
    calls: [savePressKitRoute],
    input: kitInput,
  },
  {
    name: 'list_community_tags',
    title: 'Community tags',
    description:
      'Lists the tags that players suggest for a listing, with their votes, hidden ones ' +
      'included.',
    calls: [readCommunityTags],
  },
  {
    name: 'hide_community_tag',
    title: 'Hide or show a community tag',
    description:
      'Hides a tag that players suggest from the page of a listing and keeps its votes. Set show ' +
      'to true to show it again.',
    input: { uid: Type.String(), tag: Type.String(), show: optional(Type.Boolean()) },
    about: { tag: 'A tag from list_community_tags', show: 'true shows a hidden tag again' },
    ...hideTag,
  },
  {
    name: 'get_store_links',
    title: 'Store links',
    description:
      'Reads the links from a listing to other stores, and every store with its name and allowed ' +
      'hosts.',
    calls: [readStoreLinksRoute],
  },
  {
    name: 'set_store_links',
    title: 'Replace the store links',
    description: 'Replaces all links from a listing to other stores; one link per store.',
    calls: [storeLinksRoute],
    input: { store_links },
  },
  {
    name: 'set_dependencies',
    title: 'Replace the dependencies',
    description:
      'Replaces the list of other listings that a listing uses, supports or was made with.',
    calls: [dependenciesRoute],
    input: { dependencies },
  },
  {
    name: 'declare_dependency',
    title: 'Add or remove a dependency',
    description:
      'Adds one other listing that a listing uses, supports or was made with, or removes it. The ' +
      'others stay.',
    calls: [declareDependencyRoute],
    names: { target_uid: 'game' },
    about: { remove: 'true removes it' },
    input: {
      target_uid: dependencyTarget,
      kind: dependency_kind,
    },
  },
  {
    name: 'list_dependents',
    title: 'Dependents',
    description: 'Lists the public listings that declare this one as a dependency.',
    input: { uid: Type.String() },
    ...dependents,
  },
  {
    name: 'declare_engine_compat',
    title: 'Replace engine compatibility',
    description: 'Replaces the ranges of engine versions that a listing works with.',
    calls: [engineCompatRoute],
    names: { compat: 'ranges' },
    input: { compat: ranges },
  },
  {
    name: 'declare_license',
    title: 'Set the license',
    description: 'Sets the kind of license of a listing; null removes it.',
    calls: [changeListingRoute],
    input: required_license,
    without: [...patchFields.filter((name) => name !== 'license_kind'), 'parent', 'price_cents'],
  },
  {
    name: 'list_admins',
    title: 'Admins',
    description:
      'Lists the admins of a listing, pending invitations, and whether agents of admins may work ' +
      'on it. People are invited and removed on the website.',
    calls: [listAdmins],
  },
]

const crashTools: Tool[] = [
  {
    name: 'get_game_analytics',
    title: 'Event analytics',
    description:
      'Reads what the builds of a listing report from devices: counts of events by day, build ' +
      'and name.',
    calls: [eventAnalytics],
  },
  {
    name: 'get_download_analytics',
    title: 'Download analytics',
    description:
      'Reads the downloads and refused attempts of a listing in the last 30 days, or of up to a ' +
      'year, by day, source, client and country.',
    calls: [downloadAnalytics],
  },
  {
    name: 'list_game_crashes',
    title: 'Crash reports',
    description:
      'Lists the crash reports of a listing, newest first, of all builds or of one build or ' +
      'crash group.',
    calls: [listCrashesRoute],
  },
  {
    name: 'get_crash',
    title: 'A crash report',
    description:
      'Reads a crash report with its stack, with function names as far as symbols were uploaded.',
    calls: [readCrashRoute],
    names: { crash_id: 'id' },
  },
  {
    name: 'request_crash_download',
    title: 'Crash attachment link',
    description: 'Answers a link to the dump, log or stack of a crash report, valid for one hour.',
    calls: [crashDownload],
    about: { kind: 'dump: a minidump; log: the end of the log; stack: the stack as text' },
    names: { crash_id: 'id' },
  },
  {
    name: 'list_crash_groups',
    title: 'Crash groups',
    description:
      'Lists the crashes of a listing grouped by cause, with counts by build. status is open, ' +
      'resolved, or regressed (resolved and reported again).',
    calls: [listCrashGroups],
  },
  {
    name: 'update_crash_group',
    title: 'Resolve or reopen a crash group',
    description:
      'Marks a crash group as resolved, optionally in a version, or as open again. A resolved ' +
      'group is reopened if a later build reports it.',
    calls: [changeCrashGroup],
    about: { status: 'The new status', version: 'The version that fixes it' },
  },
]

const feedbackTools: Tool[] = [
  {
    name: 'list_reviews',
    title: 'Reviews of a listing',
    description:
      'Lists the reviews that players wrote about a listing and their summary, newest first. Set ' +
      'unreplied to true for those without a reply.',
    calls: [listOwnReviews],
    input: { unreplied: optional(Type.Boolean()), ...pages(50) },
    about: { unreplied: 'true: only reviews without a reply' },
  },
  {
    name: 'reply_to_review',
    title: 'Reply to a review',
    description:
      'Publishes the reply of the developer to a review; there is one per review. Empty text ' +
      'removes it.',
    calls: [replyToReview],
    input: { text: Type.String({ maxLength: reviewLimits.reply, description: 'Markdown' }) },
  },
  {
    name: 'list_bug_tickets',
    title: 'Bug tickets',
    description:
      'Lists the bug reports of players about a listing, newest first, of all statuses or of ' +
      'one.',
    calls: [listBugs],
    about: { status: 'Only tickets with this status' },
  },
  {
    name: 'get_bug_ticket',
    title: 'A bug ticket',
    description:
      'Reads a bug report of a player with its log, its build and the crash it belongs to.',
    calls: [readBug],
  },
  {
    name: 'update_bug_ticket',
    title: 'Update a bug ticket',
    description:
      'Changes the status of a bug report, the build or version that fixes it, or the crash ' +
      'group it belongs to. Setting fixed notifies the reporter; closed does not.',
    calls: [changeBug],
    about: {
      status: 'The new status',
      fixed_build_id: 'The build that fixes it',
      fixed_version: 'The version that fixes it',
      crash_group_uid: 'A uid from list_crash_groups; null removes it',
    },
  },
  {
    name: 'get_bug_reporter',
    title: 'Bug reporter settings',
    description:
      'Reads the settings of the in-game bug reporter of a listing and the newest webhook ' +
      'deliveries, without the signing key.',
    calls: [readBugReporter],
  },
  {
    name: 'set_bug_reporter',
    title: 'Update the bug reporter',
    description:
      'Changes the given settings of the in-game bug reporter of a listing; others stay.',
    calls: [saveBugReporter],
    input: {
      enabled: optional(Type.Boolean({ description: 'Whether games may send reports' })),
      daily_cap: optional(Type.Integer({ minimum: 1, description: 'Reports per player and day' })),
      webhook_urls: optional(
        Type.Array(Type.String(), { description: 'Each new report is sent to all of them' }),
      ),
    },
  },
  {
    name: 'list_bug_deliveries',
    title: 'Webhook deliveries',
    description:
      'Lists the webhook deliveries of bug reports of a listing, newest first, with their ' +
      'attempts.',
    calls: [listBugDeliveries],
    about: { status: 'Only deliveries with this status' },
  },
  {
    name: 'replay_bug_delivery',
    title: 'Replay a webhook delivery',
    description: 'Sends a webhook delivery of a bug report again with the same body.',
    calls: [replayBugDelivery],
  },
]

const moneyTools: Tool[] = [
  {
    name: 'set_game_price',
    title: 'Set the price',
    description:
      'Sets the price of a listing in US cents. If editions are on sale, change those with ' +
      'upsert_sku instead.',
    calls: [changePriceRoute],
    input: { price_cents },
  },
  {
    name: 'list_skus',
    title: 'Editions',
    description: 'Lists all editions of a listing with their prices, including those off sale.',
    calls: [listEditions],
  },
  {
    name: 'upsert_sku',
    title: 'Add or update an edition',
    description:
      'Adds or changes an edition of a listing. With sku_uid, changes the given fields of that ' +
      'edition. Without, adds an edition, which needs slug, name and price_cents. The listing ' +
      'then shows the price of its cheapest active edition.',
    input: {
      uid: Type.String(),
      sku_uid: optional(Type.String()),
      ...edition,
    },
    ...upsertEdition,
  },
  {
    name: 'delete_sku',
    title: 'Retire an edition',
    description:
      'Retires an edition of a listing: it is no longer sold. Players who own it keep it.',
    calls: [deleteEditionRoute],
    names: { sku_uid: 'edition_uid' },
    destructive: true,
  },
  {
    name: 'grant_copy',
    title: 'Give a copy',
    description:
      'Gives a player a copy of a listing, as if they had bought it. Only the owner can.',
    calls: [grantRoute],
    about: { username: 'The name of the player' },
  },
]

export const developerTools: Tool[] = [
  ...profileTools,
  ...pageTools,
  ...buildTools,
  ...crashTools,
  ...feedbackTools,
  ...moneyTools,
]
