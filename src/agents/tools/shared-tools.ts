import { sendEmailCode, verifyEmailRoute } from '../../accounts/people/routes.ts'
import { readSecurity } from '../account-routes.ts'
import type { Tool } from './tool.ts'

/** Tools of both servers, about the account. */
export const accountTools: Tool[] = [
  {
    name: 'request_email_code',
    title: 'Send an email code',
    description:
      'Sends a six-digit code, valid for ten minutes, to the unverified email address of the ' +
      'account.',
    calls: [sendEmailCode],
  },
  {
    name: 'verify_email',
    title: 'Verify the email address',
    description:
      'Verifies the email address of the account with the code that the person read to you from ' +
      'their email.',
    calls: [verifyEmailRoute],
  },
  {
    name: 'get_security_status',
    title: 'Security status',
    description:
      'Reads whether the email address of the account is verified, and how many sessions, keys ' +
      'and connected apps it has.',
    calls: [readSecurity],
  },
]
