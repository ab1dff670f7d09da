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
import { Nullable } from '../../core/http/route.ts'
import { downloadAnalytics } from '../../downloads/routes.ts'
import { grantRoute } from '../../library/copy-routes.ts'
import { listOwnReviews, replyToReview } from '../../library/review-routes.ts'
import { readCommunityTags } from '../../library/tag-routes.ts'
import { deleteEditionRoute, listEditions } from '../../listings/editions/routes.ts'
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
  lintRoute,
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
import {
  dependencies,
  dependency_kind,
  edition,
  games,
  license_kind,
  modSettings,
  pages,
  parent,
  pressKit,
  price_cents,
  ranges,
  store_links,
  taxonomy,
} from './schemas.ts'
import { mailTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

const may = Type.Optional

const accountTools: Tool[] = [
  {
    name: 'get_profile',
    title: 'Who this token acts for',
    description:
      'The account, the scopes of this token, and the one project it is bound to, if it is.',
    calls: [readToken],
  },
  {
    name: 'get_account',
    title: 'The account',
    description:
      'The same: whose it is, whether its mail address is proven, and what this token may do.',
    calls: [readToken],
  },
  {
    name: 'get_setup',
    title: 'What is left to set up',
    description: 'The steps from a new account to a public listing, and which are done.',
    ...setup,
  },
  ...mailTools,
  {
    name: 'list_mcp_keys',
    title: 'Agent keys',
    description:
      'The agent keys of the account by name and beginning, with their scopes; never the keys. They are made and revoked on the website.',
    calls: [agentKeyRoutes.list],
  },
  {
    name: 'get_approval',
    title: 'Look at an approval',
    description:
      'Whether a person has approved what you asked for: pending, approved, denied, expired or used.',
    calls: [readApprovalRoute],
    names: { approval_id: 'uid' },
  },
  {
    name: 'confirm_approval',
    title: 'Approve with the code of the mail',
    description:
      'Only with the six-digit code that the person read to you from their mail. Then repeat the call that asked.',
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
    title: 'One listing, whole',
    description: 'Everything its page says, drafts included.',
    calls: [readMyListing],
  },
  {
    name: 'create_game',
    title: 'Make a listing',
    description:
      'Makes a draft unless visibility says otherwise; public needs the listing check to pass.',
    calls: [createListing],
    input: { parent },
  },
  {
    name: 'update_game',
    title: 'Change a listing',
    description:
      'Changes what is given. visibility public publishes, and needs validate_listing to find no errors.',
    calls: [changeListingRoute],
    input: { parent, license_kind: may(Nullable(license_kind)) },
    without: ['price_cents'],
  },
  {
    name: 'validate_listing',
    title: 'Check a listing',
    description:
      'What keeps the page from going public (errors) and what would make it better (warnings).',
    calls: [lintRoute],
  },
  {
    name: 'update_game_taxonomy',
    title: 'Set what a listing is found by',
    description: 'Genres, tags and the like. A field given replaces that field, others stay.',
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
    title: 'Say how a mod is installed',
    description: 'For mods and plugins. Replaces all three fields.',
    calls: [modSettingsRoute],
    input: modSettings,
  },
  {
    name: 'list_media',
    title: 'Images of a listing',
    description:
      'Cover, thumbnail and gallery. Images are uploaded on the website or with the uploader, never by agents.',
    calls: [readMediaRoute],
  },
  {
    name: 'order_media',
    title: 'Order the gallery',
    description: 'Names every gallery image once.',
    calls: [orderMedia],
    input: { order: Type.Array(Type.String(), { description: 'Uids of gallery images' }) },
  },
  {
    name: 'delete_media',
    title: 'Delete an image',
    description: 'A gallery image by uid, or cover or thumbnail by that name.',
    calls: [deleteMedia],
    destructive: true,
  },
  {
    name: 'get_press_kit',
    title: 'Press kit',
    description: 'What the press page says.',
    calls: [readPressKitRoute],
  },
  {
    name: 'set_press_kit',
    title: 'Replace the press kit',
    description: 'The whole kit: what is left out is cleared. Read it first.',
    calls: [savePressKitRoute],
    input: pressKit,
  },
  {
    name: 'list_community_tags',
    title: 'Tags players suggest',
    description: 'With votes, hidden ones included.',
    calls: [readCommunityTags],
  },
  {
    name: 'hide_community_tag',
    title: 'Hide or show a suggested tag',
    description: 'Hides it, keeping its votes; show true shows it again.',
    input: { uid: Type.String(), tag: Type.String(), show: may(Type.Boolean()) },
    ...hideTag,
  },
  {
    name: 'get_store_links',
    title: 'Links to other stores',
    description: 'And every store with the hosts a link to it may have.',
    calls: [readStoreLinksRoute],
  },
  {
    name: 'set_store_links',
    title: 'Replace links to other stores',
    description: 'One link for each store.',
    calls: [storeLinksRoute],
    input: { store_links },
  },
  {
    name: 'set_dependencies',
    title: 'Replace all dependencies',
    description: 'What the listing uses, supports or was made with.',
    calls: [dependenciesRoute],
    input: { dependencies },
  },
  {
    name: 'declare_dependency',
    title: 'Add or remove one dependency',
    description: 'Leaves the others as they are.',
    calls: [declareDependencyRoute],
    names: { target_uid: 'game' },
    input: {
      target_uid: Type.String({ description: 'The other listing: its uid or vanity name' }),
      kind: dependency_kind,
    },
  },
  {
    name: 'list_dependents',
    title: 'Who uses a listing',
    description: 'Listings that declare this one as a dependency.',
    input: { uid: Type.String() },
    ...dependents,
  },
  {
    name: 'declare_engine_compat',
    title: 'Replace engine compatibility',
    description: 'The engine versions a listing works with.',
    calls: [engineCompatRoute],
    names: { compat: 'ranges' },
    input: { compat: ranges },
  },
  {
    name: 'declare_license',
    title: 'Set the licence kind',
    description: 'Under which kind of licence the listing is offered; null takes it away.',
    calls: [changeListingRoute],
    input: { license_kind: Nullable(license_kind) },
    without: [
      ...[
        'name',
        'tagline',
        'description',
        'vanity_name',
        'demo_url',
        'status',
        'asset_type',
        'visibility',
      ],
      ...['adult', 'indexable', 'parent', 'price_cents'],
    ],
  },
  {
    name: 'list_admins',
    title: 'Who helps run a listing',
    description: 'And who was asked to.',
    calls: [listAdmins],
  },
]

const crashTools: Tool[] = [
  {
    name: 'get_game_analytics',
    title: 'What players do',
    description: 'Counts of events by day, build and name.',
    calls: [eventAnalytics],
  },
  {
    name: 'get_download_analytics',
    title: 'Downloads',
    description: 'Downloads and refused tries by day, system and country.',
    calls: [downloadAnalytics],
  },
  {
    name: 'list_game_crashes',
    title: 'Crash reports',
    description: 'Newest first; of one build or one group if named.',
    calls: [listCrashesRoute],
  },
  {
    name: 'get_crash',
    title: 'One crash report',
    description: 'With its stack, as far as symbols were uploaded.',
    calls: [readCrashRoute],
    names: { crash_id: 'id' },
  },
  {
    name: 'request_crash_download',
    title: 'Link to a dump or log',
    description: 'A link that is good for an hour.',
    calls: [crashDownload],
    names: { crash_id: 'id' },
  },
  {
    name: 'list_crash_groups',
    title: 'Crashes by cause',
    description: 'Reports that crash alike.',
    calls: [listCrashGroups],
  },
  {
    name: 'update_crash_group',
    title: 'Resolve or reopen a crash group',
    description: 'Resolved in a version, it comes back when a later build has it.',
    calls: [changeCrashGroup],
  },
]

const feedbackTools: Tool[] = [
  {
    name: 'list_reviews',
    title: 'Reviews of a listing',
    description:
      'Newest first, with their summary; with unreplied those that you have not answered.',
    calls: [listOwnReviews],
    input: { unreplied: may(Type.Boolean()), ...pages(50) },
  },
  {
    name: 'reply_to_review',
    title: 'Reply to a review',
    description: 'One reply for each review; empty text takes it back.',
    calls: [replyToReview],
    input: { text: Type.String({ maxLength: 2000 }) },
  },
  {
    name: 'list_bug_tickets',
    title: 'Bug tickets',
    description: 'Newest first, of one status if named.',
    calls: [listBugs],
  },
  {
    name: 'get_bug_ticket',
    title: 'One bug ticket',
    description: 'With its log.',
    calls: [readBug],
  },
  {
    name: 'update_bug_ticket',
    title: 'Mark a bug ticket',
    description: 'fixed tells whoever reported it, closed is silent.',
    calls: [changeBug],
  },
  {
    name: 'get_bug_reporter',
    title: 'Bug reporter settings',
    description: 'Settings and the newest deliveries. The signing key is shown to people only.',
    calls: [readBugReporter],
  },
  {
    name: 'set_bug_reporter',
    title: 'Change the bug reporter',
    description: 'What is not named stays.',
    calls: [saveBugReporter],
    input: {
      enabled: may(Type.Boolean()),
      daily_cap: may(Type.Integer({ minimum: 1 })),
      webhook_urls: may(Type.Array(Type.String())),
    },
  },
  {
    name: 'list_bug_deliveries',
    title: 'Webhook deliveries',
    description: 'What was sent where, newest first.',
    calls: [listBugDeliveries],
  },
  {
    name: 'replay_bug_delivery',
    title: 'Send a webhook again',
    description: 'With the body it had.',
    calls: [replayBugDelivery],
  },
]

const moneyTools: Tool[] = [
  {
    name: 'set_game_price',
    title: 'Set the price',
    description: 'In US cents. With active editions, change those instead.',
    calls: [changePriceRoute],
    input: { price_cents },
  },
  {
    name: 'list_skus',
    title: 'Editions',
    description: 'Those not sold now included.',
    calls: [listEditions],
  },
  {
    name: 'upsert_sku',
    title: 'Sell an edition, or change one',
    description:
      'With sku_uid that edition is changed, and what is not named stays. Without, another is sold: it needs slug, name and price_cents, and the listing then costs what its cheapest active edition does.',
    input: {
      uid: Type.String(),
      sku_uid: may(Type.String({ description: 'From list_skus' })),
      ...edition,
    },
    ...upsertEdition,
  },
  {
    name: 'delete_sku',
    title: 'Stop selling an edition',
    description: 'Whoever bought it keeps it.',
    calls: [deleteEditionRoute],
    names: { sku_uid: 'edition_uid' },
    destructive: true,
  },
  {
    name: 'grant_copy',
    title: 'Give somebody a copy',
    description: 'By username.',
    calls: [grantRoute],
  },
]

export const developerTools: Tool[] = [
  ...accountTools,
  ...pageTools,
  ...buildTools,
  ...crashTools,
  ...feedbackTools,
  ...moneyTools,
]
