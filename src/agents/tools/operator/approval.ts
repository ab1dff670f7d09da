import type { ApprovalRequest } from '../../../accounts/approvals/approvals.ts'
import type { Arguments } from '../tool.ts'

/** The end of the description of every tool of operators that changes something. */
export const APPROVAL =
  'A person has to approve: the first call sends them an email and answers code 4214.'

export const PERSON_UID = 'A uid from list_people'

type Argument = [name: string, value: unknown]
const byName = ([a]: Argument, [b]: Argument) => (a < b ? -1 : 1)

type Description = Pick<ApprovalRequest, 'action' | 'describe'>

/** The approval of a call for the whole store, which is identified by its arguments. */
export const storeApproval = (args: Arguments, { action, describe }: Description) => ({
  game_uid: null,
  action,
  subject: { arguments: JSON.stringify(Object.entries(args).sort(byName)) },
  describe,
})
