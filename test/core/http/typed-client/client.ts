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
type BodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : undefined
type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } }
  ? Json
  : never
type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses]>
  : never

type Input<Operation> = {
  path: Parameters<Operation, 'path'>
  query?: OptionalParameters<Operation, 'query'>
  body?: BodyOf<Operation>
  headers?: Record<string, string>
}
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
    const response = await fetch(addressOf(base_url, path, input), {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: {
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...input.headers,
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    })
    const is_json = response.headers.get('content-type')?.startsWith('application/json')
    const answer = is_json ? await response.json() : void (await response.arrayBuffer())
    return { status: response.status, answer: answer as AnswerOf<Paths[Path][Method]> | undefined }
  }

function addressOf(base_url: string, path: string, input: { path: unknown; query?: unknown }): URL {
  const values = (input.path ?? {}) as Record<string, string>
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!))
  const url = new URL(filled, base_url)
  for (const [name, value] of Object.entries(input.query ?? {}))
    for (const item of [value].flat()) url.searchParams.append(name, String(item))
  return url
}
