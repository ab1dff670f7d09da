import { mailApproval, mailCode, mailPasswordChanged, mailReset, sweep } from './accounts/jobs.ts'
import { sweepGrants } from './agents/jobs.ts'
import { sweepRenditions } from './assets/jobs.ts'
import { deliverBugs, mailDisabled, mendBugs, retryBugs, sweepBugs, sweepScreenshots } from './bugs/jobs.ts'
import { endChannelsJob, removeObjects, sweepObjects, sweepRejected } from './builds/jobs.ts'
import type { Job } from './core/jobs.ts'
import { sweepSessions } from './extstore/jobs.ts'
import { endGrace, joinListingChanges, sweepListingChanges } from './listings/grace-jobs.ts'
import { removeImages, sweepImages } from './listings/jobs.ts'
import { removeBytes, scanFile } from './scan/jobs.ts'
import { sweepCrashes, walkAgain, walkCrash } from './telemetry/crash-jobs.ts'
import { health, turnDay, warn } from './telemetry/health-jobs.ts'
import { turnEventDays } from './telemetry/jobs.ts'
import { sweepUploads } from './uploads/jobs.ts'

/** Every job of the service. Rooms enqueue them by name. */
export const jobs: Job[] = [
  mailCode,
  mailReset,
  mailPasswordChanged,
  mailApproval,
  sweepGrants,
  sweep,
  endGrace,
  sweepListingChanges,
  joinListingChanges,
  sweepImages,
  removeImages,
  scanFile,
  removeBytes,
  sweepUploads,
  removeObjects,
  sweepRejected,
  sweepObjects,
  endChannelsJob,
  deliverBugs,
  retryBugs,
  mailDisabled,
  mendBugs,
  sweepBugs,
  sweepScreenshots,
  sweepSessions,
  sweepRenditions,
  health,
  turnDay,
  warn,
  turnEventDays,
  walkCrash,
  walkAgain,
  sweepCrashes,
]
