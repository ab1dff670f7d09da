import { job } from '../../core/jobs/index.ts'
import { checkAccount } from './check.ts'

export const checkAccountJob = job<{ user_uid: string }>({
  name: 'payments.check-account',
  handle: ({ core, data: { user_uid } }) => checkAccount(core, user_uid),
})
