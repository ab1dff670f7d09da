import type { Route } from '../core/http/route.ts'
import { approvalsPage } from './account/approvals.ts'
import { revokeApp } from './account/apps.ts'
import {
  changeEmailPage,
  changePasswordPage,
  confirmEmailPage,
  submitConfirmEmail,
  submitEmail,
  submitPassword,
} from './account/change-credentials.ts'
import { keysPage, revokeKey, submitKey } from './account/keys.ts'
import { submitLanguage } from './account/language.ts'
import { dismissNotice, hideCopy, libraryPage, removeCopy, showCopy } from './account/library.ts'
import {
  loginPage,
  submitLogin,
  submitLogout,
  submitPasskeyLogin,
  submitSecondStep,
} from './account/login.ts'
import { statementsPage } from './account/moderation.ts'
import {
  forgotPasswordPage,
  newPasswordPage,
  submitForgotPassword,
  submitNewPassword,
} from './account/password.ts'
import {
  deleteAccountPage,
  exportPage,
  submitDeleteAccount,
  submitExport,
} from './account/personal-data.ts'
import {
  profilePage,
  removeProfileImageForm,
  submitProfile,
  submitProfileImage,
} from './account/profile.ts'
import { publishingPage, submitPublishing } from './account/publishing.ts'
import { securityPages } from './account/security/pages.ts'
import { settingsPage, submitDeveloperMode, submitUnlink } from './account/settings.ts'
import { signupPage, submitSignup } from './account/signup.ts'
import { submitTheme } from './account/theme.ts'
import { requestEmailCode, submitEmailCode, verifyPage } from './account/verify.ts'
import { approvalPage, submitApproval } from './agents/approve.ts'
import { consentPage, submitConsent } from './agents/consent.ts'
import { devicePage, submitDevice } from './agents/device.ts'
import { apiReference } from './api-reference.ts'
import { serveAsset } from './assets.ts'
import { brandRoutes } from './brand/routes.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { offlineRoutes } from './offline.ts'
import { operatorPages } from './operator/routes.ts'
import { setupRoutes } from './operator/setup.ts'
import { submitBuy } from './payments/buy.ts'
import { giftPages } from './payments/gift.ts'
import { operatorOrderPages } from './payments/operator-order.ts'
import { operatorOrders } from './payments/operator-orders.ts'
import { invoicePage, orderPage, ordersPage, submitReturn } from './payments/orders.ts'
import { sellerPages } from './payments/seller.ts'
import { submitTerms, termsPage } from './policies/accept-terms.ts'
import { policyPages } from './policies/policy-page.ts'
import { refusalSentence } from './refusal-page.ts'
import { appealPages } from './reports/appeal-form.ts'
import { reportPages } from './reports/report-form.ts'
import { transparencyPage } from './reports/transparency.ts'
import { browsePage } from './store/browse/browse.ts'
import { developerPage } from './store/browse/developer.ts'
import { homePage } from './store/browse/home.ts'
import { suggestionList } from './store/browse/suggestions.ts'
import { submitCurrency } from './store/currency.ts'
import { submitAdultSetting } from './store/listing/adult-gate.ts'
import { modsPage, toolsPage } from './store/listing/children.ts'
import { filePage, reviewsPage } from './store/listing/detail-pages.ts'
import { embedPage } from './store/listing/embed.ts'
import { listingPage, listingRedirect } from './store/listing/listing.ts'
import {
  deleteReview,
  downloadFile,
  submitChannel,
  submitClaim,
} from './store/listing/listing-actions.ts'
import { playerFormRoutes } from './store/listing/player-forms.ts'
import { pressPage, pressPageZip } from './store/listing/press.ts'
import { deletePlayedSaves, playedGamesPage, withdrawSharing } from './store/play/played-games.ts'
import { playerPage } from './store/play/player-page.ts'
import { playSdkRoute } from './store/play/sdk-route.ts'
import { submitSharing } from './store/play/sharing-form.ts'
import { redeemPage, submitRedeem } from './store/redeem.ts'
import { serveCaptions, serveVideo } from './store/trailers/files.ts'
import { uploaderRoute } from './uploader.ts'

/** Every page of the website. */
export const webRoutes: Route[] = [
  serveAsset,
  serveVideo,
  serveCaptions,
  ...brandRoutes,
  ...offlineRoutes,
  apiReference,
  uploaderRoute,
  playSdkRoute,
  submitLanguage,
  submitTheme,
  submitCurrency,
  refusalSentence,

  // Store
  homePage,
  browsePage,
  suggestionList,
  developerPage,
  listingPage,
  modsPage,
  toolsPage,
  reviewsPage,
  pressPage,
  pressPageZip,
  embedPage,
  playerPage,
  submitSharing,
  listingRedirect,
  filePage,
  submitClaim,
  submitBuy,
  submitChannel,
  downloadFile,
  ...playerFormRoutes,
  deleteReview,

  ...policyPages,

  // Account
  loginPage,
  submitLogin,
  submitSecondStep,
  submitPasskeyLogin,
  submitLogout,
  forgotPasswordPage,
  submitForgotPassword,
  newPasswordPage,
  submitNewPassword,
  signupPage,
  submitSignup,
  verifyPage,
  submitEmailCode,
  requestEmailCode,
  libraryPage,
  ordersPage,
  orderPage,
  submitReturn,
  invoicePage,
  ...sellerPages,
  ...giftPages,
  redeemPage,
  submitRedeem,
  hideCopy,
  showCopy,
  removeCopy,
  dismissNotice,
  settingsPage,
  termsPage,
  submitTerms,
  publishingPage,
  submitPublishing,
  changeEmailPage,
  submitEmail,
  confirmEmailPage,
  submitConfirmEmail,
  changePasswordPage,
  submitPassword,
  exportPage,
  submitExport,
  deleteAccountPage,
  submitDeleteAccount,
  playedGamesPage,
  withdrawSharing,
  deletePlayedSaves,
  submitDeveloperMode,
  profilePage,
  submitProfile,
  submitProfileImage,
  removeProfileImageForm,
  submitAdultSetting,
  submitUnlink,
  ...securityPages,
  keysPage,
  submitKey,
  revokeKey,
  revokeApp,
  approvalsPage,
  statementsPage,
  ...reportPages,
  ...appealPages,
  transparencyPage,

  // Dashboard
  ...dashboardRoutes,

  // Operator
  ...operatorPages,
  operatorOrders,
  ...operatorOrderPages,
  ...setupRoutes,

  // Agents
  consentPage,
  submitConsent,
  devicePage,
  submitDevice,
  approvalPage,
  submitApproval,
]
