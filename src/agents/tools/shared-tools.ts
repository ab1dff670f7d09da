import type { Tool } from './tool.ts'

/** Both servers have these: an account is an account. */
export const mailTools: Tool[] = [
  {
    name: 'request_email_code',
    title: 'Send a code to the mail address',
    description:
      'Six digits, good for ten minutes, to the address of the account while it is not proven.',
    calls: ['POST /api/v1/private/account/email-code'],
  },
  {
    name: 'verify_email',
    title: 'Prove the mail address',
    description: 'With the code that the person read to you from their mail.',
    calls: ['POST /api/v1/private/account/verify-email'],
  },
  {
    name: 'get_security_status',
    title: 'What opens the account',
    description:
      'Whether the mail address is proven, and how many sessions, keys and apps there are.',
    calls: ['GET /api/v1/private/account/security'],
  },
]
