import { createHash } from 'node:crypto'
import { PASSWORD } from './people.ts'

export type Person = { uid: string; username: string; token: string }
type Options = { token?: string; headers?: Record<string, string>; form?: FormData }

const STEP_UP_CODE = 4032

let requests = 0
/** Networks of several countries, so that downloads come from all of them. */
const networks = [
  '81.2.69.',
  '85.214.132.',
  '8.8.8.',
  '133.242.0.',
  '200.147.3.',
  '163.172.10.',
  '194.71.11.',
  '203.2.218.',
]

/** A new client address each time, so that the demo stays below the rate limits. */
const newAddress = () => `${networks[++requests % networks.length]}${requests % 250}`

/** Calls the public API. An error response ends the demo and names the call. */
export function api(url: string) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    { token, headers = {}, form }: Options = {},
  ) {
    const send = () =>
      fetch(new URL(path, url), {
        method,
        redirect: 'manual',
        headers: {
          'x-forwarded-for': newAddress(),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
      })
    let response = await send()
    let text = await response.text()
    // On a slow machine, the sign-ins of the demo are no longer recent when it makes keys.
    if (token && response.status === 403 && JSON.parse(text).error.code === STEP_UP_CODE) {
      await call(
        'POST',
        '/api/v1/private/account/confirm-password',
        { password: PASSWORD },
        { token },
      )
      response = await send()
      text = await response.text()
    }
    if (response.status >= 400)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return text.startsWith('{') ? JSON.parse(text).data : text
  }
  return {
    get: (path: string, options?: Options) => call('GET', path, undefined, options),
    post: (path: string, body?: unknown, options?: Options) => call('POST', path, body, options),
    put: (path: string, body?: unknown, options?: Options) => call('PUT', path, body, options),
    patch: (path: string, body?: unknown, options?: Options) => call('PATCH', path, body, options),
  }
}
export type Api = ReturnType<typeof api>

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export function formOf(
  fields: Record<string, string>,
  files: { name: string; filename: string; bytes: Uint8Array }[],
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { name, filename, bytes } of files)
    form.append(name, new Blob([new Uint8Array(bytes)]), filename)
  return form
}
