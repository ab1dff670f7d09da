import type { Route } from '../core/http/route.ts'
import { showApprovals } from './account/approvals.ts'
import { sendAppAway } from './account/apps.ts'
import { sendKey, sendKeyAway, showKeys } from './account/keys.ts'
import { sendNoticeRead, showLibrary } from './account/library.ts'
import { sendLogin, sendLogout, showLogin } from './account/login.ts'
import { sendForgot, sendNewPassword, showForgot, showNewPassword } from './account/password.ts'
import { sendDeveloper, sendUnlink, showSettings } from './account/settings.ts'
import { sendSignup, showSignup } from './account/signup.ts'
import { sendCodeMail, sendVerify, showVerify } from './account/verify.ts'
import { sendApproval, showApproval } from './agents/approve.ts'
import { sendConsent, showConsent } from './agents/consent.ts'
import { apiReference } from './api-reference.ts'
import { serveAsset } from './assets.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { browsePage } from './store/browse/browse.ts'
import { developerPage } from './store/browse/developer.ts'
import { homePage } from './store/browse/home.ts'
import { sendAdult } from './store/listing/adult-gate.ts'
import { modsPage, toolsPage } from './store/listing/children.ts'
import { filePage, reviewsPage } from './store/listing/detail-pages.ts'
import { embedPage } from './store/listing/embed.ts'
import { findListing, listingPage } from './store/listing/listing.ts'
import {
  sendChannel,
  sendClaim,
  sendFile,
  sendReviewAway,
} from './store/listing/listing-actions.ts'
import { sayingRoutes } from './store/listing/player-forms.ts'
import { pressPage } from './store/listing/press.ts'
import { uploaderRoute } from './uploader.ts'

/** Every page for people. */
export const webRoutes: Route[] = [
  serveAsset,
  apiReference,
  uploaderRoute,

  // Store
  homePage,
  browsePage,
  developerPage,
  listingPage,
  modsPage,
  toolsPage,
  reviewsPage,
  pressPage,
  embedPage,
  findListing,
  filePage,
  sendClaim,
  sendChannel,
  sendFile,
  ...sayingRoutes,
  sendReviewAway,

  // Account
  showLogin,
  sendLogin,
  sendLogout,
  showForgot,
  sendForgot,
  showNewPassword,
  sendNewPassword,
  showSignup,
  sendSignup,
  showVerify,
  sendVerify,
  sendCodeMail,
  showLibrary,
  sendNoticeRead,
  showSettings,
  sendDeveloper,
  sendAdult,
  sendUnlink,
  showKeys,
  sendKey,
  sendKeyAway,
  sendAppAway,
  showApprovals,

  // Dashboard
  ...dashboardRoutes,

  // Agents
  showConsent,
  sendConsent,
  showApproval,
  sendApproval,
]
