import { confirmApprovalRoute, readApprovalRoute } from '../../accounts/approvals/routes.ts'
import { agentKeyRoutes } from '../../accounts/keys/routes.ts'
import { readToken } from '../account-routes.ts'
import { setup } from './composed-tools.ts'
import { accountTools } from './shared-tools.ts'
import type { Tool } from './tool.ts'

/** The account that an agent works for, and what it was allowed to do. */
export const profileTools: Tool[] = [
  {
    name: 'get_profile',
    title: 'Profile',
    description:
      'Reads the account that this token acts for, the scopes of the token, and the one project ' +
      'it is limited to, if any.',
    calls: [readToken],
  },
  {
    name: 'get_account',
    title: 'Account',
    description:
      'Reads the account that this token acts for, whether its email is verified, and the scopes ' +
      'of the token. The same as get_profile.',
    calls: [readToken],
  },
  {
    name: 'get_setup',
    title: 'Setup steps',
    description:
      'Lists the steps from a new account to a public listing, which of them are done, and what ' +
      'to do next.',
    ...setup,
  },
  ...accountTools,
  {
    name: 'list_mcp_keys',
    title: 'Agent keys',
    description:
      'Lists the agent keys of the account: name, prefix and scopes, without the secrets. Keys ' +
      'are created and revoked on the website.',
    calls: [agentKeyRoutes.list],
  },
  {
    name: 'get_approval',
    title: 'Approval status',
    description:
      'Reads an approval that you requested. status is pending (the person has not decided), ' +
      'approved (repeat the call now), denied, expired (after 30 minutes) or used (the call was ' +
      'carried out).',
    calls: [readApprovalRoute],
    names: { approval_id: 'uid' },
  },
  {
    name: 'confirm_approval',
    title: 'Confirm an approval',
    description:
      'Approves a request with the six-digit code that the person read to you from their email. ' +
      'Then repeat the call that needed the approval.',
    calls: [confirmApprovalRoute],
    names: { approval_id: 'uid' },
  },
]
