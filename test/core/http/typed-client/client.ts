/**
 * A client that takes its types from what openapi-typescript generates. The test compiles programs
 * that use it with the types of both descriptions.
 */

type Parameters<Operation, Place extends string> = Operation extends {
  parameters: { [name in Place]: infer Values }
}
  ? Values
  : undefined
type OptionalParameters<Operation, Place extends string> = Operation extends {
  parameters: { [name in Place]?: infer Values }
}
  ? Values
  : undefined
/** A body with its media type, which is JSON where it is not given. */
type BodyOf<Operation> = Operation extends { requestBody?: infer Sent }
  ? [NonNullable<Sent>] extends [never]
    ? { body?: undefined }
    : NonNullable<Sent> extends { content: infer Content }
      ? { [Type in keyof Content]: TypedBody<Type, Content[Type]> }[keyof Content]
      : never
  : { body?: undefined }
type TypedBody<Type, Body> = Type extends 'application/json'
  ? { type?: Type; body?: Body }
  : { type: Type; body: Body }
type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } }
  ? Json
  : never
type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses]>
  : never

type Input<Operation> = {
  path: Parameters<Operation, 'path'>
  query?: OptionalParameters<Operation, 'query'>
  headers?: Record<string, string>
} & BodyOf<Operation>
type MethodOf<Methods> = {
  [Method in keyof Methods]: Methods[Method] extends { responses: unknown } ? Method : never
}[keyof Methods] &
  string

export const clientOf =
  <Paths extends object>(base_url: string) =>
  async <Path extends keyof Paths & string, Method extends MethodOf<Paths[Path]>>(
    method: Method,
    path: Path,
    input: Input<Paths[Path][Method]>,
  ): Promise<{ status: number; answer: AnswerOf<Paths[Path][Method]> | undefined }> => {
    const { body, type = 'application/json' } = input as { body?: unknown; type?: string }
    const response = await fetch(addressOf(base_url, path, input), {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: {
        // fetch adds the boundary of a form with files.
        ...(body === undefined || type.startsWith('multipart/') ? {} : { 'content-type': type }),
        ...input.headers,
      },
      ...(body === undefined ? {} : { body: encodeBody(type, body) }),
    })
    const is_json = response.headers.get('content-type')?.startsWith('application/json')
    const answer = is_json ? await response.json() : void (await response.arrayBuffer())
    return { status: response.status, answer: answer as AnswerOf<Paths[Path][Method]> | undefined }
  }

/** A body as it is sent. A file is text here, as in the generated types. */
function encodeBody(type: string, body: unknown): string | FormData | URLSearchParams {
  if (type === 'application/json') return JSON.stringify(body)
  if (typeof body === 'string') return body
  const fields = Object.entries(body as Record<string, unknown>).filter(([, value]) => value)
  const form = type.startsWith('multipart/') ? new FormData() : new URLSearchParams()
  for (const [name, value] of fields) form.append(name, String(value))
  return form
}

function addressOf(base_url: string, path: string, input: { path: unknown; query?: unknown }): URL {
  const values = (input.path ?? {}) as Record<string, string>
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!))
  const url = new URL(filled, base_url)
  for (const [name, value] of Object.entries(input.query ?? {}))
    for (const item of [value].flat()) url.searchParams.append(name, String(item))
  return url
}
