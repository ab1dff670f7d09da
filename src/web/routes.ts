import type { Route } from '../core/route.ts'
import { sendLogin, sendLogout, showLogin } from './account/login.ts'
import { sendSignup, showSignup } from './account/signup.ts'
import { apiReference } from './api-reference.ts'
import { serveAsset } from './assets.ts'
import { uploaderRoute } from './uploader.ts'

/** Every page for people. */
export const webRoutes: Route[] = [
  serveAsset,
  apiReference,
  uploaderRoute,

  // Account
  showLogin,
  sendLogin,
  sendLogout,
  showSignup,
  sendSignup,
]
