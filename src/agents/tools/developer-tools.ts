import { Type } from 'typebox'
import { Nullable } from '../../core/http/route.ts'
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

const G = '/api/v1/private/games/:uid'
const may = Type.Optional

const accountTools: Tool[] = [
  {
    name: 'get_profile',
    title: 'Who this token acts for',
    description:
      'The account, the scopes of this token, and the one project it is bound to, if it is.',
    calls: ['GET /api/v1/private/token'],
  },
  {
    name: 'get_account',
    title: 'The account',
    description:
      'The same: whose it is, whether its mail address is proven, and what this token may do.',
    calls: ['GET /api/v1/private/token'],
  },
  {
    name: 'get_setup',
    title: 'What is left to set up',
    description: 'The steps from a new account to a public listing, and which are done.',
    calls: ['GET /api/v1/private/token', 'GET /api/v1/private/games'],
    ...setup,
  },
  ...mailTools,
  {
    name: 'list_mcp_keys',
    title: 'Agent keys',
    description:
      'The agent keys of the account by name and beginning, with their scopes; never the keys. They are made and revoked on the website.',
    calls: ['GET /api/v1/private/account/agent-keys'],
  },
  {
    name: 'get_approval',
    title: 'Look at an approval',
    description:
      'Whether a person has approved what you asked for: pending, approved, denied, expired or used.',
    calls: ['GET /api/v1/private/approvals/:uid'],
    names: { approval_id: 'uid' },
  },
  {
    name: 'confirm_approval',
    title: 'Approve with the code of the mail',
    description:
      'Only with the six-digit code that the person read to you from their mail. Then repeat the call that asked.',
    calls: ['POST /api/v1/private/approvals/:uid/confirm'],
    names: { approval_id: 'uid' },
  },
]

const pageTools: Tool[] = [
  {
    name: 'list_games',
    title: 'My listings',
    description: 'The listings you own or help run, with their visibility.',
    calls: ['GET /api/v1/private/games'],
  },
  {
    name: 'get_game',
    title: 'One listing, whole',
    description: 'Everything its page says, drafts included.',
    calls: [`GET ${G}`],
  },
  {
    name: 'create_game',
    title: 'Make a listing',
    description:
      'Makes a draft unless visibility says otherwise; public needs the listing check to pass.',
    calls: ['POST /api/v1/private/games'],
    input: { parent },
  },
  {
    name: 'update_game',
    title: 'Change a listing',
    description:
      'Changes what is given. visibility public publishes, and needs validate_listing to find no errors.',
    calls: [`PATCH ${G}`],
    input: { parent, license_kind: may(Nullable(license_kind)) },
    without: ['price_cents'],
  },
  {
    name: 'validate_listing',
    title: 'Check a listing',
    description:
      'What keeps the page from going public (errors) and what would make it better (warnings).',
    calls: [`GET ${G}/lint`],
  },
  {
    name: 'update_game_taxonomy',
    title: 'Set what a listing is found by',
    description: 'Genres, tags and the like. A field given replaces that field, others stay.',
    calls: [`PUT ${G}/taxonomy`],
    input: taxonomy,
  },
  {
    name: 'set_similar_games',
    title: 'Set similar titles',
    description: 'Replaces the list of similar public games.',
    calls: [`PUT ${G}/similar`],
    input: { games },
  },
  {
    name: 'set_mod_settings',
    title: 'Say how a mod is installed',
    description: 'For mods and plugins. Replaces all three fields.',
    calls: [`PUT ${G}/mod-settings`],
    input: modSettings,
  },
  {
    name: 'list_media',
    title: 'Images of a listing',
    description:
      'Cover, thumbnail and gallery. Images are uploaded on the website or with the uploader, never by agents.',
    calls: [`GET ${G}/media`],
  },
  {
    name: 'order_media',
    title: 'Order the gallery',
    description: 'Names every gallery image once.',
    calls: [`PUT ${G}/media/order`],
    input: { order: Type.Array(Type.String(), { description: 'Uids of gallery images' }) },
  },
  {
    name: 'delete_media',
    title: 'Delete an image',
    description: 'A gallery image by uid, or cover or thumbnail by that name.',
    calls: [`DELETE ${G}/media/:image`],
    destructive: true,
  },
  {
    name: 'get_press_kit',
    title: 'Press kit',
    description: 'What the press page says.',
    calls: [`GET ${G}/press`],
  },
  {
    name: 'set_press_kit',
    title: 'Replace the press kit',
    description: 'The whole kit: what is left out is cleared. Read it first.',
    calls: [`PUT ${G}/press`],
    input: pressKit,
  },
  {
    name: 'list_community_tags',
    title: 'Tags players suggest',
    description: 'With votes, hidden ones included.',
    calls: [`GET ${G}/community-tags`],
  },
  {
    name: 'hide_community_tag',
    title: 'Hide or show a suggested tag',
    description: 'Hides it, keeping its votes; show true shows it again.',
    calls: [`PUT ${G}/community-tags/:tag`],
    input: { uid: Type.String(), tag: Type.String(), show: may(Type.Boolean()) },
    run: hideTag,
  },
  {
    name: 'get_store_links',
    title: 'Links to other stores',
    description: 'And every store with the hosts a link to it may have.',
    calls: [`GET ${G}/store-links`],
  },
  {
    name: 'set_store_links',
    title: 'Replace links to other stores',
    description: 'One link for each store.',
    calls: [`PUT ${G}/store-links`],
    input: { store_links },
  },
  {
    name: 'set_dependencies',
    title: 'Replace all dependencies',
    description: 'What the listing uses, supports or was made with.',
    calls: [`PUT ${G}/dependencies`],
    input: { dependencies },
  },
  {
    name: 'declare_dependency',
    title: 'Add or remove one dependency',
    description: 'Leaves the others as they are.',
    calls: [`PATCH ${G}/dependencies`],
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
    calls: [`GET ${G}`],
    input: { uid: Type.String() },
    ...dependents,
  },
  {
    name: 'declare_engine_compat',
    title: 'Replace engine compatibility',
    description: 'The engine versions a listing works with.',
    calls: [`PUT ${G}/engine-compat`],
    names: { compat: 'ranges' },
    input: { compat: ranges },
  },
  {
    name: 'declare_license',
    title: 'Set the licence kind',
    description: 'Under which kind of licence the listing is offered; null takes it away.',
    calls: [`PATCH ${G}`],
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
    calls: [`GET ${G}/admins`],
  },
]

const crashTools: Tool[] = [
  {
    name: 'get_game_analytics',
    title: 'What players do',
    description: 'Counts of events by day, build and name.',
    calls: [`GET ${G}/event-analytics`],
  },
  {
    name: 'get_download_analytics',
    title: 'Downloads',
    description: 'Downloads and refused tries by day, system and country.',
    calls: [`GET ${G}/download-analytics`],
  },
  {
    name: 'list_game_crashes',
    title: 'Crash reports',
    description: 'Newest first; of one build or one group if named.',
    calls: [`GET ${G}/crashes`],
  },
  {
    name: 'get_crash',
    title: 'One crash report',
    description: 'With its stack, as far as symbols were uploaded.',
    calls: [`GET ${G}/crashes/:id`],
    names: { crash_id: 'id' },
  },
  {
    name: 'request_crash_download',
    title: 'Link to a dump or log',
    description: 'A link that is good for an hour.',
    calls: [`GET ${G}/crashes/:id/download`],
    names: { crash_id: 'id' },
  },
  {
    name: 'list_crash_groups',
    title: 'Crashes by cause',
    description: 'Reports that crash alike.',
    calls: [`GET ${G}/crash-groups`],
  },
  {
    name: 'update_crash_group',
    title: 'Resolve or reopen a crash group',
    description: 'Resolved in a version, it comes back when a later build has it.',
    calls: [`PATCH ${G}/crash-groups/:group_uid`],
  },
]

const feedbackTools: Tool[] = [
  {
    name: 'list_reviews',
    title: 'Reviews of a listing',
    description:
      'Newest first, with their summary; with unreplied those that you have not answered.',
    calls: [`GET ${G}/reviews`],
    input: { unreplied: may(Type.Boolean()), ...pages(50) },
  },
  {
    name: 'reply_to_review',
    title: 'Reply to a review',
    description: 'One reply for each review; empty text takes it back.',
    calls: [`PUT ${G}/reviews/:review_uid/reply`],
    input: { text: Type.String({ maxLength: 2000 }) },
  },
  {
    name: 'list_bug_tickets',
    title: 'Bug tickets',
    description: 'Newest first, of one status if named.',
    calls: [`GET ${G}/bugs`],
  },
  {
    name: 'get_bug_ticket',
    title: 'One bug ticket',
    description: 'With its log.',
    calls: [`GET ${G}/bugs/:bug_uid`],
  },
  {
    name: 'update_bug_ticket',
    title: 'Mark a bug ticket',
    description: 'fixed tells whoever reported it, closed is silent.',
    calls: [`PATCH ${G}/bugs/:bug_uid`],
  },
  {
    name: 'get_bug_reporter',
    title: 'Bug reporter settings',
    description: 'Settings and the newest deliveries. The signing key is shown to people only.',
    calls: [`GET ${G}/bug-reporter`],
  },
  {
    name: 'set_bug_reporter',
    title: 'Change the bug reporter',
    description: 'What is not named stays.',
    calls: [`PUT ${G}/bug-reporter`],
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
    calls: [`GET ${G}/bug-reporter/deliveries`],
  },
  {
    name: 'replay_bug_delivery',
    title: 'Send a webhook again',
    description: 'With the body it had.',
    calls: [`POST ${G}/bug-reporter/deliveries/:delivery_uid/replay`],
  },
]

const moneyTools: Tool[] = [
  {
    name: 'set_game_price',
    title: 'Set the price',
    description: 'In US cents. With active editions, change those instead.',
    calls: [`PUT ${G}/price`],
    input: { price_cents },
  },
  {
    name: 'list_skus',
    title: 'Editions',
    description: 'Those not sold now included.',
    calls: [`GET ${G}/editions`],
  },
  {
    name: 'upsert_sku',
    title: 'Sell an edition, or change one',
    description:
      'With sku_uid that edition is changed, and what is not named stays. Without, another is sold: it needs slug, name and price_cents, and the listing then costs what its cheapest active edition does.',
    calls: [`POST ${G}/editions`, `PATCH ${G}/editions/:edition_uid`],
    input: {
      uid: Type.String(),
      sku_uid: may(Type.String({ description: 'From list_skus' })),
      ...edition,
    },
    run: upsertEdition,
  },
  {
    name: 'delete_sku',
    title: 'Stop selling an edition',
    description: 'Whoever bought it keeps it.',
    calls: [`DELETE ${G}/editions/:edition_uid`],
    names: { sku_uid: 'edition_uid' },
    destructive: true,
  },
  {
    name: 'grant_copy',
    title: 'Give somebody a copy',
    description: 'By username.',
    calls: [`POST ${G}/licences`],
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
