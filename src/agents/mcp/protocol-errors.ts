import { type ErrorName, failure, type Refusal } from '../../core/runtime/errors.ts'

/** The codes of JSON-RPC 2.0 for what is not a message at all. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

const codes: Partial<Record<ErrorName, number>> = {
  MALFORMED: PARSE_ERROR,
  BODY_TOO_LARGE: INVALID_REQUEST,
  UNSUPPORTED_MEDIA_TYPE: INVALID_REQUEST,
}

/**
 * A message that cannot be read is a JSON-RPC error, which MCP clients report. Refusals of the
 * caller, such as an invalid token or a rate limit, have the envelope of the API.
 */
export function protocolFailure(refusal: Refusal): object {
  // A batch can be parsed, but this server takes one message at a time.
  const code = refusal.data?.is_batch ? INVALID_REQUEST : codes[refusal.refusal]
  if (code === undefined) return failure(refusal)
  const { message, code: service_code } = refusal
  return { jsonrpc: '2.0', id: null, error: { code, message, data: { code: service_code } } }
}
