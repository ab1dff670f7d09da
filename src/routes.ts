import {
  approveRoute,
  confirmApprovalRoute,
  denyRoute,
  listApprovalsRoute,
  readApprovalRoute,
} from './accounts/approvals/routes.ts'
import {
  changePasswordRoute,
  confirmEmailChangeRoute,
  startEmailChangeRoute,
} from './accounts/credentials/change-routes.ts'
import { forgotPassword, resetPassword } from './accounts/credentials/reset-routes.ts'
import { undoEmailChangeRoute } from './accounts/credentials/undo-routes.ts'
import { agentKeyRoutes, playerKeyRoutes } from './accounts/keys/routes.ts'
import { passkeyRoutes } from './accounts/passkeys/routes.ts'
import { operatorRoutes } from './accounts/people/operator-routes.ts'
import {
  adultRoute,
  confirmPassword,
  developerRoute,
  languageRoute,
  loginRoute,
  logoutRoute,
  readAccount,
  registerRoute,
  sendEmailCode,
  themeRoute,
  verifyEmailRoute,
} from './accounts/people/routes.ts'
import { acceptTermsRoute } from './accounts/policies/acceptance-routes.ts'
import { policyRoutes } from './accounts/policies/routes.ts'
import { readPublishing, requestPublishing } from './accounts/publishing/routes.ts'
import { secondFactorResetRoutes } from './accounts/second-factor/reset-routes.ts'
import { secondFactorRoutes } from './accounts/second-factor/routes.ts'
import { listOwnEventsRoute } from './accounts/security-events/routes.ts'
import { jwksRoute } from './accounts/sessions/jwks-routes.ts'
import { sessionRoutes } from './accounts/sessions/routes.ts'
import { setupRoute } from './accounts/setup/routes.ts'
import { readSecurity, readToken } from './agents/account-routes.ts'
import { oauthRoutes } from './agents/oauth/routes.ts'
import {
  agentDocsRoute,
  listGameCalls,
  listMyCalls,
  toolReferenceRoute,
  toolRoutes,
} from './agents/routes.ts'
import { editorImage } from './assets/images/routes.ts'
import { configure, downloadAsset, listAssets, readAsset } from './assets/library/routes.ts'
import { storeRoutes } from './assets/store/routes.ts'
import { acknowledgeNoticesRoute, readNoticesRoute } from './bugs/notices/routes.ts'
import { reportBug, reportBugFromStore } from './bugs/reports/routes.ts'
import { readBugScreenshot, serveBugScreenshot } from './bugs/reports/screenshot-routes.ts'
import {
  listBugDeliveries,
  readBugReporter,
  refreshSigningKey,
  replayBugDelivery,
  revealSigningKey,
  saveBugReporter,
} from './bugs/settings/routes.ts'
import { sharedSecretRoutes } from './bugs/shared-secrets/routes.ts'
import { changeBug, listBugs, readBug } from './bugs/tickets/routes.ts'
import { deployInfoRoute } from './builds/builds/deploy-info-routes.ts'
import { toolMediaRoutes } from './builds/builds/deploy-media-routes.ts'
import {
  registerBuildRoute,
  toolBuild,
  toolBuilds,
  toolInfo,
} from './builds/builds/deploy-routes.ts'
import {
  deleteOwnBuild,
  listOwnBuilds,
  readOwnBuild,
  registerOwnBuild,
} from './builds/builds/routes.ts'
import { bundleCheckRoute } from './builds/bundle-check/routes.ts'
import {
  choosePlayerChannelRoute,
  listChannels,
  promoteBuild,
  rollBackChannel,
} from './builds/channels/routes.ts'
import { ownProvenanceRoute, provenanceRoute, publicFiles } from './builds/files/routes.ts'
import { deployKeyRoutes } from './builds/keys/routes.ts'
import { deleteAllSymbols, deleteOneSymbol, listSymbolsRoute } from './builds/symbols/routes.ts'
import {
  publicWithdrawals,
  restoreOwnBuild,
  toolWithdrawalRoutes,
  withdrawOwnBuild,
} from './builds/withdrawals/routes.ts'
import { discoveryRoutes } from './catalog/discovery/routes.ts'
import { exportRoute } from './catalog/export/routes.ts'
import { developerFeed, newFeed, searchFeed, updatedFeed } from './catalog/feeds/routes.ts'
import { searchRoute, suggestRoute } from './catalog/search/routes.ts'
import { readShelfRoute } from './catalog/shelves/routes.ts'
import {
  developerSitemap,
  sitemapJsonRoute,
  sitemapSection,
  sitemapXml,
} from './catalog/sitemap/routes.ts'
import { popularTagsRoute } from './catalog/tags/routes.ts'
import { openapiRoutes } from './core/http/openapi.ts'
import type { Route } from './core/http/route.ts'
import { healthRoutes } from './core/runtime/health.ts'
import {
  downloadAnalytics,
  privateDownload,
  publicDownload,
  publicDownloadRedirect,
  serveFile,
} from './downloads/routes.ts'
import { importRoute, previewImportRoute, resyncRoute } from './extstore/import/routes.ts'
import {
  finishLinkRoute,
  startLinkRoute,
  unlinkAccountRoute,
} from './extstore/linked-accounts/routes.ts'
import {
  authRoute,
  ownershipRoute,
  refreshRoute,
  revokeRoute,
  verifyRoute,
} from './extstore/sign-in/routes.ts'
import { settingsRoutes } from './extstore/sign-in/settings-routes.ts'
import {
  claimRoute,
  grantRoute,
  hideCopyRoute,
  libraryRoute,
  removeCopyRoute,
} from './library/copy-routes.ts'
import { keyRequestRoutes } from './library/keys/request-routes.ts'
import { keyRoutes } from './library/keys/routes.ts'
import { playTimeRoute } from './library/play-time-routes.ts'
import { playerTokenRoute } from './library/player-token-routes.ts'
import {
  deleteReviewRoute,
  listOwnReviews,
  readReviewsRoute,
  replyToReview,
  writeReview,
} from './library/review-routes.ts'
import {
  hideCommunityTag,
  readCommunityTags,
  suggestOneTag,
  suggestTags,
} from './library/tag-routes.ts'
import {
  deleteListingRoute,
  listDeletedRoute,
  restoreListingRoute,
} from './listings/deleted/routes.ts'
import {
  addEdition,
  changeEdition,
  deleteEditionRoute,
  listEditions,
} from './listings/editions/routes.ts'
import {
  anonymousDownloadsRoute,
  declareDependencyRoute,
  dependenciesRoute,
  engineCompatRoute,
  modSettingsRoute,
  readStoreLinksRoute,
  similarRoute,
  storeLinksRoute,
  taxonomyRoute,
} from './listings/listing/edit-routes.ts'
import { savePageRoute } from './listings/listing/page-edit-routes.ts'
import {
  changeListingRoute,
  changePriceRoute,
  createListing,
  lintRoute,
  listListings,
  readMyListing,
} from './listings/listing/routes.ts'
import {
  deleteMedia,
  describeMedia,
  orderMedia,
  readMediaRoute,
  serveImage,
  uploadMedia,
} from './listings/media/routes.ts'
import {
  readChildrenRoute,
  readPublicListing,
  readPublicListingByDeveloper,
  readRelations,
  storeRulesRoute,
} from './listings/page/routes.ts'
import { listListingEventsRoute } from './listings/people/event-routes.ts'
import {
  acceptInviteRoute,
  changeAgentAccess,
  declineInviteRoute,
  inviteAdmin,
  listAdmins,
  listInvites,
  removeAdmin,
} from './listings/people/routes.ts'
import { priceRoutes } from './listings/prices/routes.ts'
import {
  deleteProfileImage,
  readProfileRoute,
  saveProfileRoute,
  uploadProfileImage,
} from './listings/profiles/routes.ts'
import { modCompatRoute } from './listings/relations/mod-compat-routes.ts'
import { serveRendition } from './listings/renditions/routes.ts'
import { storageRoutes } from './listings/storage/routes.ts'
import {
  addOutsideVideoRoute,
  changeTrailerRoute,
  deleteCaptionsRoute,
  deletePosterRoute,
  deleteTrailerRoute,
  orderTrailersRoute,
  readTrailersRoute,
  uploadTrailer,
} from './listings/trailers/routes.ts'
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
import { orderRoutes } from './payments/orders/routes.ts'
import { payoutRoutes } from './payments/payouts/routes.ts'
import { paymentWebhook } from './payments/provider/webhook-routes.ts'
import { salesReportRoutes } from './payments/reports/routes.ts'
import { deleteAccountRoute, exportAccountRoute } from './personal-data/routes.ts'
import { playRoutes } from './play/routes.ts'
import { accountSaveRoutes } from './play/saves/account-routes.ts'
import { saveRoutes } from './play/saves/routes.ts'
import { sharingRoutes } from './play/sharing/routes.ts'
import { readPress, readPressKitRoute, readPressZip, savePressKitRoute } from './press/routes.ts'
import {
  changeCrashGroup,
  crashDownload,
  listCrashesRoute,
  listCrashGroups,
  readCrashRoute,
  serveCrashFile,
} from './telemetry/crashes/read-routes.ts'
import {
  postCrash,
  putCrashUpload,
  readSentReport,
  readSentStack,
} from './telemetry/crashes/routes.ts'
import { eventAnalytics, postEvents, postEventsOlder } from './telemetry/events/routes.ts'
import {
  buildHealth,
  changeSignedEvents,
  healthWarnings,
  readSignedEvents,
} from './telemetry/health/routes.ts'
import { updateRoutes } from './updates/routes.ts'
import { planDeltaUpload } from './uploads/deltas/routes.ts'
import {
  openUploadSession,
  openUploadSessionOnWebsite,
  uploadFile,
  uploadFileOnWebsite,
} from './uploads/routes.ts'
import { uploadSymbols } from './uploads/symbols/routes.ts'
import { webRoutes } from './web/routes.ts'

/** Every route of the service, by section of the interface. */
export const routes: Route[] = [
  // 4.1 Operation and description
  ...healthRoutes,
  ...operatorRoutes,
  ...settingRoutes,
  ...invitationRoutes,
  ...publisherRoutes,
  ...releaseRoutes,
  readPublishing,
  requestPublishing,
  ...policyRoutes,
  ...moderationRoutes,
  ...logRoutes,
  ...sweepRoutes,
  ...mailRoutes,
  ...reportRoutes,
  ...appealRoutes,
  moderationFiguresRoute,
  ...reportsWebhookRoutes,
  ...queueRoutes,
  ...targetRoutes,
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
  ...openapiRoutes,

  // 4.2 Editor asset library
  configure,
  listAssets,
  readAsset,
  downloadAsset,
  editorImage,
  ...storeRoutes,

  // 4.3 Catalog
  readShelfRoute,
  searchRoute,
  suggestRoute,
  popularTagsRoute,
  sitemapJsonRoute,
  exportRoute,
  readPublicListing,
  readPublicListingByDeveloper,
  readRelations,
  readChildrenRoute,
  readPress,
  readPressZip,
  storeRulesRoute,
  readReviewsRoute,

  // 4.6, 2.11 Telemetry
  postEvents,
  postEventsOlder,
  eventAnalytics,
  buildHealth,
  healthWarnings,
  readSignedEvents,
  changeSignedEvents,
  modCompatRoute,
  bundleCheckRoute,
  postCrash,
  putCrashUpload,
  readSentReport,
  readSentStack,
  listCrashesRoute,
  readCrashRoute,
  crashDownload,
  serveCrashFile,
  listCrashGroups,
  changeCrashGroup,

  // Discovery, for machines
  ...discoveryRoutes,
  newFeed,
  updatedFeed,
  searchFeed,
  developerFeed,
  sitemapXml,
  sitemapSection,
  developerSitemap,

  // 5 Accounts
  setupRoute,
  ...secondFactorRoutes,
  ...secondFactorResetRoutes,
  listOwnEventsRoute,
  ...passkeyRoutes,
  ...sessionRoutes,
  undoEmailChangeRoute,
  registerRoute,
  loginRoute,
  logoutRoute,
  confirmPassword,
  readAccount,
  sendEmailCode,
  verifyEmailRoute,
  forgotPassword,
  resetPassword,
  changePasswordRoute,
  startEmailChangeRoute,
  confirmEmailChangeRoute,
  exportAccountRoute,
  deleteAccountRoute,
  developerRoute,
  adultRoute,
  readProfileRoute,
  saveProfileRoute,
  uploadProfileImage,
  deleteProfileImage,
  languageRoute,
  themeRoute,
  acceptTermsRoute,
  ...Object.values(playerKeyRoutes),
  ...Object.values(agentKeyRoutes),
  jwksRoute,
  listApprovalsRoute,
  readApprovalRoute,
  approveRoute,
  denyRoute,
  confirmApprovalRoute,

  // 2.2, 4.7 Listings
  createListing,
  listListings,
  readMyListing,
  changeListingRoute,
  changePriceRoute,
  deleteListingRoute,
  listDeletedRoute,
  restoreListingRoute,
  lintRoute,
  taxonomyRoute,
  modSettingsRoute,
  similarRoute,
  dependenciesRoute,
  declareDependencyRoute,
  engineCompatRoute,
  savePageRoute,
  readStoreLinksRoute,
  storeLinksRoute,
  readPressKitRoute,
  savePressKitRoute,
  anonymousDownloadsRoute,
  readMediaRoute,
  uploadMedia,
  orderMedia,
  describeMedia,
  deleteMedia,
  ...storageRoutes,
  readTrailersRoute,
  uploadTrailer,
  addOutsideVideoRoute,
  orderTrailersRoute,
  changeTrailerRoute,
  deleteTrailerRoute,
  deletePosterRoute,
  deleteCaptionsRoute,
  serveImage,
  serveRendition,
  listEditions,
  addEdition,
  changeEdition,
  deleteEditionRoute,
  ...priceRoutes,
  ...couponRoutes,
  ...salesReportRoutes,
  ...keyRoutes,
  ...keyRequestRoutes,
  listListingEventsRoute,
  listAdmins,
  inviteAdmin,
  removeAdmin,
  changeAgentAccess,
  listInvites,
  acceptInviteRoute,
  declineInviteRoute,

  // 2.5, 2.15 Players and their games
  claimRoute,
  libraryRoute,
  hideCopyRoute,
  removeCopyRoute,
  grantRoute,
  playTimeRoute,
  playerTokenRoute,
  suggestTags,
  suggestOneTag,
  readCommunityTags,
  hideCommunityTag,
  writeReview,
  deleteReviewRoute,
  listOwnReviews,
  replyToReview,

  // 4.8 Builds and uploads
  uploadSymbols,
  listSymbolsRoute,
  deleteAllSymbols,
  deleteOneSymbol,
  publicFiles,
  publicWithdrawals,
  provenanceRoute,
  ownProvenanceRoute,
  publicDownload,
  publicDownloadRedirect,
  ...paymentAccountRoutes,
  ...payoutRoutes,
  ...orderRoutes,
  ...giftRoutes,
  paymentWebhook,

  ...playRoutes,
  ...updateRoutes,
  ...saveRoutes,
  ...accountSaveRoutes,
  ...sharingRoutes,
  privateDownload,
  serveFile,
  downloadAnalytics,
  listOwnBuilds,
  registerOwnBuild,
  readOwnBuild,
  deleteOwnBuild,
  withdrawOwnBuild,
  restoreOwnBuild,
  listChannels,
  promoteBuild,
  rollBackChannel,
  choosePlayerChannelRoute,
  planDeltaUpload,
  openUploadSession,
  openUploadSessionOnWebsite,
  uploadFile,
  uploadFileOnWebsite,
  ...deployKeyRoutes,
  deployInfoRoute,
  registerBuildRoute,
  ...toolMediaRoutes,
  toolInfo,
  toolBuilds,
  toolBuild,
  ...toolWithdrawalRoutes,

  // 4.10 Bug reporter
  reportBug,
  readNoticesRoute,
  acknowledgeNoticesRoute,
  reportBugFromStore,
  listBugs,
  readBug,
  changeBug,
  readBugScreenshot,
  serveBugScreenshot,
  readBugReporter,
  saveBugReporter,
  revealSigningKey,
  refreshSigningKey,
  listBugDeliveries,
  replayBugDelivery,
  ...sharedSecretRoutes,

  // 5 Agents
  ...toolRoutes,
  ...oauthRoutes,
  readToken,
  readSecurity,
  toolReferenceRoute,
  agentDocsRoute,
  listMyCalls,
  listGameCalls,

  // 4.9 Sign-in through the external store
  authRoute,
  refreshRoute,
  verifyRoute,
  revokeRoute,
  ownershipRoute,
  previewImportRoute,
  importRoute,
  resyncRoute,
  ...settingsRoutes,
  startLinkRoute,
  finishLinkRoute,
  unlinkAccountRoute,

  // Pages for people
  ...webRoutes,
]
