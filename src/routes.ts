import { approvalRoutes } from './accounts/approvals/routes.ts'
import { credentialChangeRoutes } from './accounts/credentials/change-routes.ts'
import { passwordResetRoutes } from './accounts/credentials/reset-routes.ts'
import { undoEmailChangeRoute } from './accounts/credentials/undo-routes.ts'
import { agentKeyRoutes, playerKeyRoutes } from './accounts/keys/routes.ts'
import { passkeyRoutes } from './accounts/passkeys/routes.ts'
import { operatorRoutes } from './accounts/people/operator-routes.ts'
import { accountRoutes } from './accounts/people/routes.ts'
import { acceptTermsRoute } from './accounts/policies/acceptance-routes.ts'
import { policyRoutes } from './accounts/policies/routes.ts'
import { publishingRoutes } from './accounts/publishing/routes.ts'
import { secondFactorResetRoutes } from './accounts/second-factor/reset-routes.ts'
import { secondFactorRoutes } from './accounts/second-factor/routes.ts'
import { listOwnEventsRoute } from './accounts/security-events/routes.ts'
import { jwksRoute } from './accounts/sessions/jwks-routes.ts'
import { sessionRoutes } from './accounts/sessions/routes.ts'
import { setupRoute } from './accounts/setup/routes.ts'
import { agentAccountRoutes } from './agents/account-routes.ts'
import { oauthRoutes } from './agents/oauth/routes.ts'
import { toolCallRoutes, toolRoutes } from './agents/routes.ts'
import { editorImage } from './assets/images/routes.ts'
import { assetLibraryRoutes } from './assets/library/routes.ts'
import { storeRoutes } from './assets/store/routes.ts'
import { noticeRoutes } from './bugs/notices/routes.ts'
import { bugReportRoutes } from './bugs/reports/routes.ts'
import { bugScreenshotRoutes } from './bugs/reports/screenshot-routes.ts'
import { bugReporterRoutes } from './bugs/settings/routes.ts'
import { sharedSecretRoutes } from './bugs/shared-secrets/routes.ts'
import { bugRoutes } from './bugs/tickets/routes.ts'
import { deployInfoRoute } from './builds/builds/deploy-info-routes.ts'
import { toolMediaRoutes } from './builds/builds/deploy-media-routes.ts'
import { deployBuildRoutes } from './builds/builds/deploy-routes.ts'
import { buildRoutes } from './builds/builds/routes.ts'
import { bundleCheckRoute } from './builds/bundle-check/routes.ts'
import { channelRoutes } from './builds/channels/routes.ts'
import { buildFileRoutes } from './builds/files/routes.ts'
import { deployKeyRoutes } from './builds/keys/routes.ts'
import { symbolRoutes } from './builds/symbols/routes.ts'
import { toolWithdrawalRoutes, withdrawalRoutes } from './builds/withdrawals/routes.ts'
import { discoveryRoutes } from './catalog/discovery/routes.ts'
import { exportRoute } from './catalog/export/routes.ts'
import { feedRoutes } from './catalog/feeds/routes.ts'
import { searchRoutes } from './catalog/search/routes.ts'
import { readShelfRoute } from './catalog/shelves/routes.ts'
import { sitemapRoutes } from './catalog/sitemap/routes.ts'
import { popularTagsRoute } from './catalog/tags/routes.ts'
import { openapiRoutes } from './core/http/openapi/openapi.ts'
import type { Route } from './core/http/route.ts'
import { healthRoutes } from './core/runtime/health.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { importRoutes } from './extstore/import/routes.ts'
import { linkedAccountRoutes } from './extstore/linked-accounts/routes.ts'
import { playerSignInRoutes } from './extstore/sign-in/routes.ts'
import { settingsRoutes } from './extstore/sign-in/settings-routes.ts'
import { copyRoutes } from './library/copy-routes.ts'
import { keyRequestRoutes } from './library/keys/request-routes.ts'
import { keyRoutes } from './library/keys/routes.ts'
import { playTimeRoute } from './library/play-time-routes.ts'
import { playerTokenRoute } from './library/player-token-routes.ts'
import { reviewRoutes } from './library/review-routes.ts'
import { communityTagRoutes } from './library/tag-routes.ts'
import { deletedListingRoutes } from './listings/deleted/routes.ts'
import { editionRoutes } from './listings/editions/routes.ts'
import { listingEditRoutes } from './listings/listing/edit-routes.ts'
import { savePageRoute } from './listings/listing/page-edit-routes.ts'
import { listingRoutes } from './listings/listing/routes.ts'
import { mediaRoutes } from './listings/media/routes.ts'
import { listingPageRoutes } from './listings/page/routes.ts'
import { listListingEventsRoute } from './listings/people/event-routes.ts'
import { listingPeopleRoutes } from './listings/people/routes.ts'
import { priceRoutes } from './listings/prices/routes.ts'
import { profileRoutes } from './listings/profiles/routes.ts'
import { modCompatRoute } from './listings/relations/mod-compat-routes.ts'
import { serveRendition } from './listings/renditions/routes.ts'
import { storageRoutes } from './listings/storage/routes.ts'
import { trailerRoutes } from './listings/trailers/routes.ts'
import { appealRoutes } from './moderation/appeals/routes.ts'
import { logRoutes } from './moderation/log/routes.ts'
import { queueRoutes } from './moderation/queue/routes.ts'
import { reportRoutes } from './moderation/reports/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { sweepRoutes } from './moderation/sweeps/routes.ts'
import { targetRoutes } from './moderation/targets/routes.ts'
import { moderationFiguresRoute } from './moderation/transparency/routes.ts'
import { reportsWebhookRoutes } from './moderation/webhook/routes.ts'
import { brandingRoutes } from './operator/branding/routes.ts'
import { listAuditRoute } from './operator/console/audit-routes.ts'
import { operatorListingRoutes } from './operator/console/listing-routes.ts'
import { readOverviewRoute } from './operator/console/overview-routes.ts'
import { operatorPeopleRoutes } from './operator/console/people-routes.ts'
import { personDataRoutes } from './operator/console/person-data-routes.ts'
import { listEventsRoute } from './operator/console/security-event-routes.ts'
import { personSessionRoutes } from './operator/console/session-routes.ts'
import { fileRoutes } from './operator/files/routes.ts'
import { invitationRoutes } from './operator/invitations/routes.ts'
import { outboxRoutes } from './operator/mail/outbox-routes.ts'
import { mailRoutes } from './operator/mail/routes.ts'
import { publisherRoutes } from './operator/publishers/routes.ts'
import { quotaRoutes } from './operator/quotas/routes.ts'
import { releaseRoutes } from './operator/releases/routes.ts'
import { settingRoutes } from './operator/settings/routes.ts'
import { confirmStorageRoute } from './operator/storage/routes.ts'
import { paymentAccountRoutes } from './payments/accounts/routes.ts'
import { couponRoutes } from './payments/coupons/routes.ts'
import { giftRoutes } from './payments/gifts/routes.ts'
import { orderOperationRoutes } from './payments/operations/routes.ts'
import { orderRoutes } from './payments/orders/routes.ts'
import { payoutRoutes } from './payments/payouts/routes.ts'
import { paymentWebhook } from './payments/provider/webhook-routes.ts'
import { salesReportRoutes } from './payments/reports/routes.ts'
import { personalDataRoutes } from './personal-data/routes.ts'
import { playRoutes } from './play/routes.ts'
import { accountSaveRoutes } from './play/saves/account-routes.ts'
import { saveRoutes } from './play/saves/routes.ts'
import { sharingRoutes } from './play/sharing/routes.ts'
import { pressRoutes } from './press/routes.ts'
import { crashReadRoutes } from './telemetry/crashes/read-routes.ts'
import { crashRoutes } from './telemetry/crashes/routes.ts'
import { eventRoutes } from './telemetry/events/routes.ts'
import { buildHealthRoutes } from './telemetry/health/routes.ts'
import { updateRoutes } from './updates/routes.ts'
import { planDeltaUpload } from './uploads/deltas/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { uploadSymbols } from './uploads/symbols/routes.ts'
import { webRoutes } from './web/routes.ts'

/** Every route of the service, by section of the interface. */
export const routes: Route[] = [
  // 4.1 Operation and description
  ...healthRoutes,
  ...openapiRoutes,

  // Operators
  ...operatorRoutes,
  ...settingRoutes,
  ...invitationRoutes,
  ...publisherRoutes,
  ...releaseRoutes,
  ...mailRoutes,
  readOverviewRoute,
  confirmStorageRoute,
  ...operatorPeopleRoutes,
  ...personSessionRoutes,
  ...personDataRoutes,
  ...quotaRoutes,
  ...brandingRoutes,
  ...fileRoutes,
  ...operatorListingRoutes,
  listAuditRoute,
  listEventsRoute,
  ...outboxRoutes,

  // Moderation
  ...moderationRoutes,
  ...logRoutes,
  ...sweepRoutes,
  ...reportRoutes,
  ...appealRoutes,
  moderationFiguresRoute,
  ...reportsWebhookRoutes,
  ...queueRoutes,
  ...targetRoutes,

  // 4.2 Editor asset library
  ...assetLibraryRoutes,
  editorImage,
  ...storeRoutes,

  // 4.3 Catalog
  readShelfRoute,
  ...searchRoutes,
  popularTagsRoute,
  ...sitemapRoutes,
  exportRoute,
  ...listingPageRoutes,
  ...pressRoutes,

  // 4.6, 2.11 Telemetry
  ...eventRoutes,
  ...buildHealthRoutes,
  modCompatRoute,
  bundleCheckRoute,
  ...crashRoutes,
  ...crashReadRoutes,

  // Discovery, for machines
  ...discoveryRoutes,
  ...feedRoutes,

  // 5 Accounts
  setupRoute,
  ...secondFactorRoutes,
  ...secondFactorResetRoutes,
  listOwnEventsRoute,
  ...passkeyRoutes,
  ...sessionRoutes,
  undoEmailChangeRoute,
  ...accountRoutes,
  ...passwordResetRoutes,
  ...credentialChangeRoutes,
  ...personalDataRoutes,
  ...profileRoutes,
  ...publishingRoutes,
  ...policyRoutes,
  acceptTermsRoute,
  ...Object.values(playerKeyRoutes),
  ...Object.values(agentKeyRoutes),
  jwksRoute,
  ...approvalRoutes,

  // 2.2, 4.7 Listings
  ...listingRoutes,
  ...deletedListingRoutes,
  ...listingEditRoutes,
  savePageRoute,
  ...mediaRoutes,
  ...storageRoutes,
  ...trailerRoutes,
  serveRendition,
  ...editionRoutes,
  listListingEventsRoute,
  ...listingPeopleRoutes,

  // Prices, keys and payments
  ...priceRoutes,
  ...couponRoutes,
  ...keyRoutes,
  ...keyRequestRoutes,
  ...paymentAccountRoutes,
  ...payoutRoutes,
  ...orderRoutes,
  ...orderOperationRoutes,
  ...giftRoutes,
  paymentWebhook,
  ...salesReportRoutes,

  // 2.5, 2.15 Players and their games
  ...copyRoutes,
  playTimeRoute,
  playerTokenRoute,
  ...communityTagRoutes,
  ...reviewRoutes,
  ...playRoutes,
  ...saveRoutes,
  ...accountSaveRoutes,
  ...sharingRoutes,

  // 4.8 Builds and uploads
  uploadSymbols,
  ...symbolRoutes,
  ...buildFileRoutes,
  ...withdrawalRoutes,
  ...downloadRoutes,
  ...updateRoutes,
  ...buildRoutes,
  ...channelRoutes,
  planDeltaUpload,
  ...uploadRoutes,
  ...deployKeyRoutes,
  deployInfoRoute,
  ...deployBuildRoutes,
  ...toolMediaRoutes,
  ...toolWithdrawalRoutes,

  // 4.10 Bug reporter
  ...bugReportRoutes,
  ...noticeRoutes,
  ...bugRoutes,
  ...bugScreenshotRoutes,
  ...bugReporterRoutes,
  ...sharedSecretRoutes,

  // 5 Agents
  ...toolRoutes,
  ...oauthRoutes,
  ...agentAccountRoutes,
  ...toolCallRoutes,

  // 4.9 Sign-in through the external store
  ...playerSignInRoutes,
  ...importRoutes,
  ...settingsRoutes,
  ...linkedAccountRoutes,

  // Pages for people
  ...webRoutes,
]
