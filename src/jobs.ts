import {
  mailApproval,
  mailCode,
  mailEmailChange,
  mailEmailChanged,
  mailLostRole,
  mailNewDevice,
  mailPasswordChanged,
  mailReset,
  mailSecondFactor,
  mailSecondFactorReset,
  resetSecondFactors,
  sweep,
} from './accounts/jobs.ts'
import { mailPublishingDecision, mailPublishingRequest } from './accounts/publishing/jobs.ts'
import { sweepGrants } from './agents/oauth/jobs.ts'
import { sweepRenditions } from './assets/images/jobs.ts'
import {
  deliverBugs,
  mailDisabled,
  rescheduleDeliveries,
  retryBugs,
  sweepBugs,
} from './bugs/deliveries/jobs.ts'
import { sweepScreenshots } from './bugs/reports/jobs.ts'
import { endChannelsJob, removeObjects, sweepObjects, sweepRejected } from './builds/builds/jobs.ts'
import type { Job } from './core/jobs/index.ts'
import { emptyTrashJob, renewOwner } from './core/storage/jobs.ts'
import { sweepDownloadAttempts, updatePopularityJob } from './downloads/jobs.ts'
import { sweepSessions } from './extstore/sign-in/jobs.ts'
import { mailKeyRequest } from './library/keys/jobs.ts'
import {
  endGrace,
  joinListingChanges,
  purgeDeletedListings,
  sweepFormerNamesJob,
  sweepListingChanges,
} from './listings/listing/grace-jobs.ts'
import { removeImages, sweepImages } from './listings/media/jobs.ts'
import { mailHeldRelease, mailReleaseDecision } from './listings/publishing/jobs.ts'
import { makeRenditionsJob } from './listings/renditions/jobs.ts'
import { countStorage } from './listings/storage/jobs.ts'
import { sweepTrailers } from './listings/trailers/jobs.ts'
import { mailAppeal } from './moderation/appeals/jobs.ts'
import { mailStatement } from './moderation/jobs.ts'
import {
  forgetReporters,
  mailReport,
  mailReportDecided,
  mailTeam,
} from './moderation/reports/jobs.ts'
import { runSweep } from './moderation/sweeps/jobs.ts'
import { deliverReportsJob, sweepReportDeliveries } from './moderation/webhook/jobs.ts'
import { sweepBrandImages } from './operator/branding/jobs.ts'
import { checkStore } from './operator/console/jobs.ts'
import { sweepMailsJob } from './operator/mail/jobs.ts'
import { scrubDamagedObject, scrubStorage } from './operator/storage/jobs.ts'
import { checkAccountJob } from './payments/accounts/jobs.ts'
import { mailGift, mailGiftAnswer, mailGiftTaken } from './payments/gifts/jobs.ts'
import { verifyLedgerJob } from './payments/ledger/jobs.ts'
import { reconcileOrders, sweepEvents, syncOrderJob } from './payments/orders/jobs.ts'
import {
  mailDispute,
  mailReceipt,
  mailRefund,
  mailRefundByHand,
  mailRefundDeclined,
  mailRefundRequest,
  mailSale,
} from './payments/receipts/jobs.ts'
import { mailRefundFailed, mailRefundOperator, sendRefund } from './payments/refunds/jobs.ts'
import { sweepSaves } from './play/saves/jobs.ts'
import { removeBytes, scanFile, scanTrailer } from './scan/jobs.ts'
import { checkSignatures, mailRejected, rescan, rescanFile } from './scan/rescan/jobs.ts'
import { checkWebBuilds } from './scan/web-builds/jobs.ts'
import { sweepCrashes, walkAgain, walkCrash } from './telemetry/crashes/jobs.ts'
import { rotateEventDays } from './telemetry/events/jobs.ts'
import { mailHealthDrop, startHealthDay, updateHealth } from './telemetry/health/jobs.ts'
import {
  improvePatch,
  improvePatches,
  makePatchJob,
  planPatches,
  sweepPatches,
} from './updates/patches/jobs.ts'
import { sweepUploads } from './uploads/sessions/jobs.ts'

/** Every job of the service. Modules enqueue them by name. */
export const jobs: Job[] = [
  mailCode,
  mailReset,
  mailPasswordChanged,
  mailNewDevice,
  mailLostRole,
  mailSecondFactor,
  mailSecondFactorReset,
  resetSecondFactors,
  mailEmailChange,
  mailEmailChanged,
  mailApproval,
  mailStatement,
  mailAppeal,
  mailPublishingRequest,
  mailPublishingDecision,
  mailHeldRelease,
  mailReleaseDecision,
  mailKeyRequest,
  mailReport,
  mailReportDecided,
  mailTeam,
  forgetReporters,
  deliverReportsJob,
  sweepReportDeliveries,
  runSweep,
  sweepGrants,
  sweepMailsJob,
  checkStore,
  scrubStorage,
  scrubDamagedObject,
  sweep,
  endGrace,
  sweepListingChanges,
  joinListingChanges,
  sweepFormerNamesJob,
  purgeDeletedListings,
  sweepImages,
  removeImages,
  makeRenditionsJob,
  sweepTrailers,
  countStorage,
  sweepBrandImages,
  scanFile,
  removeBytes,
  scanTrailer,
  checkSignatures,
  rescan,
  rescanFile,
  checkWebBuilds,
  mailRejected,
  sweepUploads,
  planPatches,
  makePatchJob,
  improvePatch,
  improvePatches,
  sweepPatches,
  removeObjects,
  sweepRejected,
  sweepObjects,
  endChannelsJob,
  deliverBugs,
  retryBugs,
  mailDisabled,
  rescheduleDeliveries,
  sweepBugs,
  sweepScreenshots,
  sweepSaves,
  updatePopularityJob,
  sweepDownloadAttempts,
  sweepSessions,
  sweepRenditions,
  updateHealth,
  startHealthDay,
  mailHealthDrop,
  rotateEventDays,
  walkCrash,
  walkAgain,
  sweepCrashes,
  syncOrderJob,
  reconcileOrders,
  sweepEvents,
  sendRefund,
  checkAccountJob,
  verifyLedgerJob,
  mailReceipt,
  mailSale,
  mailRefund,
  mailRefundByHand,
  mailRefundRequest,
  mailRefundDeclined,
  mailRefundFailed,
  mailRefundOperator,
  mailDispute,
  mailGift,
  mailGiftAnswer,
  mailGiftTaken,
  renewOwner,
  emptyTrashJob,
]
