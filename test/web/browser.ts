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
      const [, name, value] = cookie.match(/^([\w-]+)=([^;]*)/)!
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
    // URLSearchParams takes ten times as long for long values.
    const form = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(item)}`),
    )
    return request('POST', path, {
      raw: form.join('&'),
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

const FIELD_ERROR = 'class="error-text"[^>]*>(.*?)</p>'
const FORM_ERROR = String.raw`class="notice notice-bad"[^>]*>\s*(?:<div>(.*?)</ul>|(.*?)</p>)`
const ERROR = new RegExp(`${FIELD_ERROR}|${FORM_ERROR}`, 'gs')

/** The errors that a page shows. */
export const errorsOf = (body: string) =>
  [...body.matchAll(ERROR)].map(([, field, list, form]) =>
    (field ?? list ?? form)!.replace(/<[^>]+>/g, ''),
  )

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescaped = (text: string) => text.replace(/&(#39|\w+);/g, (_, name) => entities[name] ?? '')
const attribute = (tag: string, name: string) => {
  const value = tag.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1]
  return value === undefined ? undefined : unescaped(value)
}

const CONTROL =
  /<input[^>]*>|<textarea[^>]*>\n?([^<]*)<\/textarea>|<select[^>]*>(.*?)<\/select>|<button[^>]*>/gs

/** The forms of a page: where each is sent, and what a browser sends for it as it is. */
export function formsOf(body: string): { action: string; names: string[]; fields: Fields }[] {
  return [...body.matchAll(/(<form[^>]*>)(.*?)<\/form>/gs)].map(([, tag, content]) => {
    const fields: Record<string, string[]> = {}
    const names: string[] = []
    for (const [control, text, options] of content!.matchAll(CONTROL)) {
      const name = attribute(control, 'name')
      if (!name) continue
      names.push(name)
      const value = controlValue(control, text, options)
      if (value !== undefined) fields[name] = [...(fields[name] ?? []), value]
    }
    return { action: attribute(tag!, 'action') ?? '', names: [...new Set(names)], fields }
  })
}

function controlValue(control: string, text?: string, options?: string): string | undefined {
  if (control.startsWith('<textarea')) return unescaped(text ?? '')
  if (control.startsWith('<select')) {
    const tags = [...options!.matchAll(/<option[^>]*>/g)].map(([tag]) => tag)
    return attribute(tags.find((tag) => tag.includes(' selected')) ?? tags[0] ?? '', 'value')
  }
  if (control.startsWith('<button')) return undefined
  const is_choice = ['checkbox', 'radio'].includes(attribute(control, 'type') ?? '')
  return is_choice && !/\schecked[\s>]/.test(control)
    ? undefined
    : (attribute(control, 'value') ?? '')
}

/** What a browser sends for a form of a page after these fields were changed. */
export function filledForm(body: string, action: string, changes: Fields): Fields {
  const form = formsOf(body).find((candidate) => candidate.action === action)
  if (!form) throw new Error(`the page has no form for ${action}`)
  return { ...form.fields, ...changes }
}
