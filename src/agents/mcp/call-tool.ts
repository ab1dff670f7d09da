import type { FastifyRequest } from 'fastify'
import { consumeApproval, requireApproval } from '../../accounts/approvals/approvals.ts'
import { logCall, resolveListing } from '../../accounts/keys/call-log.ts'
import { scopesCover } from '../../accounts/keys/scopes.ts'
import { isOperator } from '../../accounts/people/operator-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { asOneCall, type CallResult, callRoute } from '../../core/http/call.ts'
import { checkValue } from '../../core/http/validate.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, errors, Refusal } from '../../core/runtime/errors.ts'
import { type Arguments, type CallApi, type ReadyTool, routeCall } from '../tools/tool.ts'

export type Caller = { core: Core; request: FastifyRequest; who: Identity; token: string }

/** Runs a tool as its caller and logs it as one call, whatever routes it calls. */
export async function callTool(
  caller: Caller,
  tool: ReadyTool,
  args: Arguments,
): Promise<CallResult> {
  const { core, who } = caller
  const answer = await asOneCall(tool.name, () => runTool(caller, tool, args))
  const [{ method, url: path }] = tool.calls
  const game_uid = typeof args.uid === 'string' ? await resolveListing(core, args.uid) : null
  const code = answer.ok ? null : answer.code
  await logCall(core, who, {
    tool: tool.name,
    game_uid,
    method,
    path,
    status: answer.status,
    code,
  })
  return answer
}

async function runTool(caller: Caller, tool: ReadyTool, args: Arguments): Promise<CallResult> {
  const problem = checkValue(tool.check_schema, args, 'arguments')
  if (problem) return refusal('MALFORMED', problem.message)
  const { idempotency_key, ...rest } = args
  const headers: Record<string, string> =
    typeof idempotency_key === 'string' ? { 'idempotency-key': idempotency_key } : {}
  const unapproved = await takeApproval(caller, tool, rest, headers)
  if (unapproved) return unapproved
  const { request, token } = caller
  const call: CallApi = async (route, route_args) => {
    const input = routeCall(route, route_args)
    if (!input) return refusal('NOT_FOUND')
    // The schema of the tool was checked above; the route checks its own.
    return callRoute(request, route, { ...input, token, headers } as never)
  }
  if (tool.run) return tool.run(call, rest, caller.core.addresses)
  const fields = Object.entries(rest).map(([name, value]) => [tool.names?.[name] ?? name, value])
  return call(tool.calls[0], Object.fromEntries(fields))
}

/** Whether a tool is listed for a token. A call of an unlisted tool is refused by its route. */
export const mayCall = ({ scopes }: ReadyTool, who: Identity) =>
  scopes.every((options) => options.some((scope) => scopesCover(who.scopes, scope)))

/**
 * Uses the approval of a call before the call is made, so that it allows one call. Returns the
 * refusal while there is none. A caller whom the route refuses asks nobody.
 */
async function takeApproval(
  { core, who }: Caller,
  tool: ReadyTool,
  args: Arguments,
  headers: Record<string, string>,
): Promise<CallResult<never> | undefined> {
  if (!tool.approved || !mayCall(tool, who) || !(await isOperator(core.sql, who.user_uid)))
    return undefined
  try {
    const approval = await requireApproval(core, who, { headers }, tool.approved(core, args))
    await consumeApproval(core.sql, approval)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, code, message, data = {} } = error
    return { ok: false, status, code, message, details: data }
  }
}

function refusal(name: ErrorName, message?: string): CallResult<never> {
  const [code, status, text] = errors[name]
  return { ok: false, status, code, message: message ?? text, details: {} }
}
