import type { FastifyRequest } from 'fastify'
import { logCall, resolveListing } from '../../accounts/keys/call-log.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { asOneCall, type CallResult, callRoute } from '../../core/http/call.ts'
import { checkValue } from '../../core/http/validate.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, errors } from '../../core/runtime/errors.ts'
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

function refusal(name: ErrorName, message?: string): CallResult<never> {
  const [code, status, text] = errors[name]
  return { ok: false, status, code, message: message ?? text, details: {} }
}
