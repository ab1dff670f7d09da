import type { Route } from '../../core/http/route.ts'
import { getPage } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { approvalPages } from './approvals.ts'
import { invitationPages } from './invitations.ts'
import { moderationPages } from './moderation.ts'
import { policyEditorRoutes } from './policies.ts'
import { settingsPage, submitSettings } from './settings.ts'

const consoleStart = getPage('/operator', 'The console of operators', {
  auth: consoleOperator,
  handle: ({ reply }) => reply.redirect('/operator/settings', 303),
})

/** Every page for the operators of the store. */
export const operatorPages: Route[] = [
  consoleStart,
  settingsPage,
  submitSettings,
  ...approvalPages,
  ...invitationPages,
  ...policyEditorRoutes,
  ...moderationPages,
]
