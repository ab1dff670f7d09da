import { sendEmailCode, verifyEmailRoute } from '../../accounts/people/routes.ts'
import { readSecurity } from '../account-routes.ts'
import type { Tool } from './tool.ts'

/** Both servers have these: an account is an account. */
export const mailTools: Tool[] = [
  {
    name: 'request_email_code',
    title: 'Send a code to the mail address',
    description:
      'Six digits, good for ten minutes, to the address of the account while it is not proven.',
    calls: [sendEmailCode],
  },
  {
    name: 'verify_email',
    title: 'Prove the mail address',
    description: 'With the code that the person read to you from their mail.',
    calls: [verifyEmailRoute],
  },
  {
    name: 'get_security_status',
    title: 'What opens the account',
    description:
      'Whether the mail address is proven, and how many sessions, keys and apps there are.',
    calls: [readSecurity],
  },
]
