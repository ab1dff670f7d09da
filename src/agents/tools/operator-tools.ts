import { moderationTools } from './operator/moderation-tools.ts'
import { peopleTools } from './operator/people-tools.ts'
import { storeTools } from './operator/store-tools.ts'
import type { Tool } from './tool.ts'

/** The scope of operators decides who is offered these tools. */
const tools: Tool[] = [...storeTools, ...peopleTools, ...moderationTools]
const readsOnly = ({ calls }: Tool) => calls.every(({ method }) => method === 'GET')

/** What operators see, and then what they do; each of those needs the approval of the operator. */
export const operatorTools: Tool[] = [
  ...tools.filter(readsOnly),
  ...tools.filter((tool) => !readsOnly(tool)),
]
