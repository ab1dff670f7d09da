import type { Route } from '../../core/http/route.ts'
import { approvalPages } from './approvals.ts'
import { filePages } from './files.ts'
import { invitationPages } from './invitations.ts'
import { jobsPage, replayJobs } from './jobs.ts'
import { listingHistoryPage } from './listings/history.ts'
import { listingsPage } from './listings/list.ts'
import { mailPages } from './mail.ts'
import { appealQueuePages } from './moderation/appeals.ts'
import { decisionPages } from './moderation/decisions.ts'
import { findPage } from './moderation/find.ts'
import { partsPage } from './moderation/parts.ts'
import { queuePage } from './moderation/queue.ts'
import { targetPages } from './moderation/target.ts'
import { confirmStorageForm, overviewPage } from './overview.ts'
import { personForms } from './people/forms.ts'
import { peoplePage } from './people/list.ts'
import { personPage } from './people/person.ts'
import { policyEditorRoutes } from './policies.ts'
import { quotaPages } from './quotas/pages.ts'
import { reportsWebhookPages } from './reports-webhook/pages.ts'
import { saleEventPages } from './sale-events.ts'
import { salesReportPages } from './sales-report.ts'
import { operatorEventsPage } from './security/events.ts'
import { personSessionForms } from './security/sessions.ts'
import { settingPages } from './settings.ts'
import { sweepPages } from './sweeps/pages.ts'

/** Every page for the operators of the store. */
export const operatorPages: Route[] = [
  overviewPage,
  confirmStorageForm,
  ...settingPages,
  ...reportsWebhookPages,
  ...approvalPages,
  ...invitationPages,
  ...saleEventPages,
  ...salesReportPages,
  ...policyEditorRoutes,
  queuePage,
  findPage,
  partsPage,
  ...decisionPages,
  ...targetPages,
  ...sweepPages,
  ...appealQueuePages,
  peoplePage,
  personPage,
  ...personForms,
  ...personSessionForms,
  operatorEventsPage,
  listingsPage,
  listingHistoryPage,
  ...filePages,
  ...quotaPages,
  jobsPage,
  replayJobs,
  ...mailPages,
]
