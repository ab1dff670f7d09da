import type { Answer } from '../support/app.ts'

const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'
type RequestOptions = { headers?: Record<string, string>; raw?: string }
type Fields = Record<string, string | string[]>

/** A browser without script: it keeps cookies, sends an origin, and follows redirects of forms. */
export function browser({ url }: { url: string }) {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

  async function request(
    method: string,
    path: string,
    { headers = {}, raw }: RequestOptions = {},
  ): Promise<Answer> {
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: { accept: ACCEPT, ...(jar.size ? { cookie: cookies() } : {}), ...headers },
      body: raw,
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = cookie.match(/^(\w+)=([^;]*)/)!
      if (value) jar.set(name!, value)
      else jar.delete(name!)
    }
    const text = await response.text()
    const is_json = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: is_json && text ? JSON.parse(text) : text,
    }
  }

  const send = (path: string, fields: Fields = {}, headers: Record<string, string> = {}) => {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(fields))
      for (const item of [value].flat()) form.append(name, item)
    return request('POST', path, {
      raw: form.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: url,
        ...headers,
      },
    })
  }

  return {
    jar,
    open: (path: string, headers: Record<string, string> = {}) => request('GET', path, { headers }),
    /** Submits a form as a page of this site does. */
    send,
    /** Submits a form that must succeed, and follows its redirect. */
    async submit(path: string, fields: Fields = {}): Promise<Answer> {
      const answer = await send(path, fields)
      if (answer.status !== 303)
        throw new Error(
          `expected a redirect, got ${answer.status}: ${errorsOf(answer.body).join(' · ')}`,
        )
      return request('GET', answer.headers.location!)
    },
    as: (token: string) => void jar.set('svc_session', token),
  }
}

/** The errors that a page shows. */
export const errorsOf = (body: string) =>
  [...body.matchAll(/class="(?:error-text|notice notice-bad)"[^>]*>(.*?)<\/p>/gs)].map((match) =>
    match[1]!.replace(/<[^>]+>/g, ''),
  )
