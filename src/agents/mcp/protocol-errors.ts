import { isParseError } from '../../core/http/text-input.ts'
import type { ErrorName, Refusal } from '../../core/runtime/errors.ts'

/** The codes of JSON-RPC 2.0 for what is not a message at all. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

const codes: Partial<Record<ErrorName, number>> = {
  MALFORMED: INVALID_REQUEST,
  BODY_TOO_LARGE: INVALID_REQUEST,
  UNSUPPORTED_MEDIA_TYPE: INVALID_REQUEST,
}

/**
 * The body of every refusal of a message is a JSON-RPC error, which MCP clients report. Its id is
 * null, because the message is not read before its sender is known. Other refusals than those above
 * have the code of the API, which is in the range that JSON-RPC leaves to applications.
 */
export function protocolFailure(failure: Refusal): object {
  const { refusal, code, message, data } = failure
  const protocol_code = isParseError(failure) ? PARSE_ERROR : (codes[refusal] ?? code)
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: protocol_code, message, data: { ...data, code } },
  }
}
