import type { FastifyRequest } from 'fastify'
import { logCall, resolveListing } from '../../accounts/keys/call-log.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { asOneCall, type CallResult, callRoute } from '../../core/http/call.ts'
import type { Route } from '../../core/http/route.ts'
import { checkValue } from '../../core/http/validate.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, errors } from '../../core/runtime/errors.ts'
import {
  type Arguments,
  addressed,
  type CallApi,
  type ReadyTool,
  routeName,
} from '../tools/tool.ts'

export type Caller = { core: Core; request: FastifyRequest; who: Identity; token: string }

/** Runs a tool as its caller and writes it down, once, whatever it called and however it ended. */
export async function callTool(
  caller: Caller,
  tool: ReadyTool,
  args: Arguments,
): Promise<CallResult> {
  const { core, who } = caller
  const answer = await asOneCall(tool.name, () => run(caller, tool, args))
  const [{ method, url: path }] = tool.routes as [Route]
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

async function run(caller: Caller, tool: ReadyTool, args: Arguments): Promise<CallResult> {
  const problem = checkValue(tool.input_schema, args, 'arguments')
  if (problem) return refusal('MALFORMED', problem)
  const { idempotency_key, ...asked } = args
  const headers: Record<string, string> =
    typeof idempotency_key === 'string' ? { 'idempotency-key': idempotency_key } : {}
  const call: CallApi = (named, given) => callOne(caller, tool, named, given, headers)
  if (tool.run) return tool.run(call, asked, caller.core.addresses)
  const renamed = Object.entries(asked).map(([name, value]) => [tool.names?.[name] ?? name, value])
  return call(tool.calls[0], { ...tool.fixed, ...Object.fromEntries(renamed) })
}

async function callOne(
  caller: Caller,
  tool: ReadyTool,
  named: string,
  args: Arguments,
  headers: Record<string, string>,
): Promise<CallResult> {
  const route = tool.routes.find((one) => routeName(one) === named)!
  const target = addressed(route, args)
  if (!target) return refusal('NOT_FOUND')
  const token = tool.signed_out ? undefined : caller.token
  const { url, body } = target
  return callRoute(caller.request, { ...route, url }, { body, token, headers })
}

function refusal(name: ErrorName, message?: string): CallResult {
  const [code, status, text] = errors[name]
  return { ok: false, status, code, message: message ?? text, details: {} }
}
