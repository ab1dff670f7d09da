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
  changeListingRoute,
  changePriceRoute,
  createListing,
  listListings,
  readMyListing,
} from '../../listings/listing/routes.ts'
import { deleteMedia, orderMedia, readMediaRoute } from '../../listings/media/routes.ts'
import { listAdmins } from '../../listings/people/routes.ts'
import { readPressKitRoute, savePressKitRoute } from '../../press/routes.ts'
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
import {
  dependencies,
  dependency_kind,
  edition,
  games,
  license,
  modSettings,
  pages,
  parent,
  pressKit,
  price_cents,
  ranges,
  required_license,
  store_links,
  taxonomy,
} from './schemas.ts'
import { accountTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

const optional = Type.Optional

const profileTools: Tool[] = [
  {
    name: 'get_profile',
    title: 'Profile',
    description: 'The account, the scopes of this token, and the project it is limited to, if any.',
    calls: [readToken],
  },
  {
    name: 'get_account',
    title: 'Account',
    description:
      'The same as get_profile: the account, whether its email is verified, and the scopes.',
    calls: [readToken],
  },
  {
    name: 'get_setup',
    title: 'Setup steps',
    description: 'The steps from a new account to a public listing, and which are done.',
    ...setup,
  },
  ...accountTools,
  {
    name: 'list_mcp_keys',
    title: 'Agent keys',
    description:
      'The agent keys of the account: name, prefix and scopes, without the secrets. Keys are ' +
      'created and revoked on the website.',
    calls: [agentKeyRoutes.list],
  },
  {
    name: 'get_approval',
    title: 'Approval status',
    description:
      'The state of an approval you requested: pending, approved, denied, expired or used.',
    calls: [readApprovalRoute],
    names: { approval_id: 'uid' },
  },
  {
    name: 'confirm_approval',
    title: 'Confirm an approval',
    description:
      'Takes the six-digit code that the person read to you from their email. Then repeat the ' +
      'call that needed approval.',
    calls: [confirmApprovalRoute],
    names: { approval_id: 'uid' },
  },
]

const pageTools: Tool[] = [
  {
    name: 'list_games',
    title: 'My listings',
    description: 'The listings you own or help run, with their visibility.',
    calls: [listListings],
  },
  {
    name: 'get_game',
    title: 'A listing',
    description: 'Everything on the page of one of your listings, drafts included.',
    calls: [readMyListing],
  },
  {
    name: 'create_game',
    title: 'Create a listing',
    description:
      'Creates a draft unless visibility is given. Public needs the listing check to pass.',
    calls: [createListing],
    input: { parent },
  },
  {
    name: 'update_game',
    title: 'Update a listing',
    description:
      'Changes the given fields. Set visibility to public to publish; validate_listing must ' +
      'report no errors.',
    calls: [changeListingRoute],
    input: { parent, ...license },
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
      'Genres, tags and the other discovery fields. Given fields are replaced, others stay.',
    calls: [taxonomyRoute],
    input: taxonomy,
  },
  {
    name: 'set_similar_games',
    title: 'Set similar titles',
    description: 'Replaces the list of similar public games.',
    calls: [similarRoute],
    input: { games },
  },
  {
    name: 'set_mod_settings',
    title: 'Set mod installation',
    description: 'How a mod or plugin is installed. Replaces all three fields.',
    calls: [modSettingsRoute],
    input: modSettings,
  },
  {
    name: 'list_media',
    title: 'Images of a listing',
    description:
      'Cover, thumbnail and gallery. Images are uploaded on the website or with the uploader; ' +
      'agents cannot upload.',
    calls: [readMediaRoute],
  },
  {
    name: 'order_media',
    title: 'Reorder the gallery',
    description: 'Takes every gallery image exactly once, in the new order.',
    calls: [orderMedia],
    input: { order: Type.Array(Type.String(), { description: 'Uids of gallery images' }) },
  },
  {
    name: 'delete_media',
    title: 'Delete an image',
    description: 'Deletes a gallery image by its uid, or the cover or thumbnail by that name.',
    calls: [deleteMedia],
    destructive: true,
  },
  {
    name: 'get_press_kit',
    title: 'Press kit',
    description: 'The press kit of a listing.',
    calls: [readPressKitRoute],
  },
  {
    name: 'set_press_kit',
    title: 'Replace the press kit',
    description: 'Replaces the whole kit: omitted fields are cleared. Read it first.',
    calls: [savePressKitRoute],
    input: pressKit,
  },
  {
    name: 'list_community_tags',
    title: 'Community tags',
    description: 'Tags that players suggest, with votes, hidden ones included.',
    calls: [readCommunityTags],
  },
  {
    name: 'hide_community_tag',
    title: 'Hide or show a community tag',
    description:
      'Hides a tag from the page and keeps its votes. Set show to true to show it again.',
    input: { uid: Type.String(), tag: Type.String(), show: optional(Type.Boolean()) },
    ...hideTag,
  },
  {
    name: 'get_store_links',
    title: 'Store links',
    description: 'Links to other stores, and every store with its allowed hosts.',
    calls: [readStoreLinksRoute],
  },
  {
    name: 'set_store_links',
    title: 'Replace the store links',
    description: 'Replaces all links to other stores; one link per store.',
    calls: [storeLinksRoute],
    input: { store_links },
  },
  {
    name: 'set_dependencies',
    title: 'Replace the dependencies',
    description: 'Replaces what the listing uses, supports or was made with.',
    calls: [dependenciesRoute],
    input: { dependencies },
  },
  {
    name: 'declare_dependency',
    title: 'Add or remove a dependency',
    description: 'Adds one dependency, or removes it. The others stay.',
    calls: [declareDependencyRoute],
    names: { target_uid: 'game' },
    input: {
      target_uid: Type.String({ description: 'The other listing: its uid or vanity name' }),
      kind: dependency_kind,
    },
  },
  {
    name: 'list_dependents',
    title: 'Dependents',
    description: 'Listings that declare this one as a dependency.',
    input: { uid: Type.String() },
    ...dependents,
  },
  {
    name: 'declare_engine_compat',
    title: 'Replace engine compatibility',
    description: 'Replaces the engine versions that a listing works with.',
    calls: [engineCompatRoute],
    names: { compat: 'ranges' },
    input: { compat: ranges },
  },
  {
    name: 'declare_license',
    title: 'Set the license',
    description: 'The kind of license of the listing. null removes it.',
    calls: [changeListingRoute],
    input: required_license,
    without: [...patchFields.filter((name) => name !== 'license_kind'), 'parent', 'price_cents'],
  },
  {
    name: 'list_admins',
    title: 'Admins',
    description: 'The admins of a listing and pending invitations.',
    calls: [listAdmins],
  },
]

const crashTools: Tool[] = [
  {
    name: 'get_game_analytics',
    title: 'Event analytics',
    description: 'Event counts by day, build and name.',
    calls: [eventAnalytics],
  },
  {
    name: 'get_download_analytics',
    title: 'Download analytics',
    description: 'Downloads and refused attempts by day, source and country.',
    calls: [downloadAnalytics],
  },
  {
    name: 'list_game_crashes',
    title: 'Crash reports',
    description: 'Crash reports, newest first; optionally of one build or group.',
    calls: [listCrashesRoute],
  },
  {
    name: 'get_crash',
    title: 'A crash report',
    description: 'A report with its stack, resolved as far as symbols were uploaded.',
    calls: [readCrashRoute],
    names: { crash_id: 'id' },
  },
  {
    name: 'request_crash_download',
    title: 'Crash attachment link',
    description: 'A link to the dump, log or stack of a report, valid for one hour.',
    calls: [crashDownload],
    names: { crash_id: 'id' },
  },
  {
    name: 'list_crash_groups',
    title: 'Crash groups',
    description: 'Crash reports grouped by cause.',
    calls: [listCrashGroups],
  },
  {
    name: 'update_crash_group',
    title: 'Resolve or reopen a crash group',
    description: 'A group that is resolved in a version is reopened if a later build reports it.',
    calls: [changeCrashGroup],
  },
]

const feedbackTools: Tool[] = [
  {
    name: 'list_reviews',
    title: 'Reviews of a listing',
    description:
      'Reviews and their summary, newest first. Set unreplied for those without a reply.',
    calls: [listOwnReviews],
    input: { unreplied: optional(Type.Boolean()), ...pages(50) },
  },
  {
    name: 'reply_to_review',
    title: 'Reply to a review',
    description: 'One reply per review. Empty text removes it.',
    calls: [replyToReview],
    input: { text: Type.String({ maxLength: reviewLimits.reply }) },
  },
  {
    name: 'list_bug_tickets',
    title: 'Bug tickets',
    description: 'Bug tickets, newest first; optionally of one status.',
    calls: [listBugs],
  },
  {
    name: 'get_bug_ticket',
    title: 'A bug ticket',
    description: 'A ticket with its log.',
    calls: [readBug],
  },
  {
    name: 'update_bug_ticket',
    title: 'Update a bug ticket',
    description: 'fixed notifies the reporter; closed does not.',
    calls: [changeBug],
  },
  {
    name: 'get_bug_reporter',
    title: 'Bug reporter settings',
    description: 'Settings and the newest deliveries, without the signing key.',
    calls: [readBugReporter],
  },
  {
    name: 'set_bug_reporter',
    title: 'Update the bug reporter',
    description: 'Changes the given settings; others stay.',
    calls: [saveBugReporter],
    input: {
      enabled: optional(Type.Boolean()),
      daily_cap: optional(Type.Integer({ minimum: 1 })),
      webhook_urls: optional(Type.Array(Type.String())),
    },
  },
  {
    name: 'list_bug_deliveries',
    title: 'Webhook deliveries',
    description: 'Webhook deliveries, newest first.',
    calls: [listBugDeliveries],
  },
  {
    name: 'replay_bug_delivery',
    title: 'Replay a webhook delivery',
    description: 'Sends the delivery again with the same body.',
    calls: [replayBugDelivery],
  },
]

const moneyTools: Tool[] = [
  {
    name: 'set_game_price',
    title: 'Set the price',
    description: 'Sets the price in US cents. If editions are on sale, change those instead.',
    calls: [changePriceRoute],
    input: { price_cents },
  },
  {
    name: 'list_skus',
    title: 'Editions',
    description: 'All editions of a listing, including those off sale.',
    calls: [listEditions],
  },
  {
    name: 'upsert_sku',
    title: 'Add or update an edition',
    description:
      'With sku_uid, changes the given fields of that edition. Without, adds an edition, which ' +
      'needs slug, name and price_cents. The listing then shows the price of its cheapest active ' +
      'edition.',
    input: {
      uid: Type.String(),
      sku_uid: optional(Type.String({ description: 'From list_skus' })),
      ...edition,
    },
    ...upsertEdition,
  },
  {
    name: 'delete_sku',
    title: 'Retire an edition',
    description: 'The edition is no longer sold. Players who own it keep it.',
    calls: [deleteEditionRoute],
    names: { sku_uid: 'edition_uid' },
    destructive: true,
  },
  {
    name: 'grant_copy',
    title: 'Give a copy',
    description: 'Gives a player, by username, a copy of the listing.',
    calls: [grantRoute],
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
