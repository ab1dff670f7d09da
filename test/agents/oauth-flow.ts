import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Person } from '../support/builders.ts'

export const CALLBACK = 'http://127.0.0.1:4567/callback'

/**
 * A minimal browser with cookies and forms that does not follow redirects. It sends every request
 * to `url`, whatever public address the service redirects to.
 */
export function browser(url: string, session?: string) {
  const names = session ? ['svc_session', '__Host-svc_session'] : []
  const jar = new Map<string, string>(names.map((name) => [name, session!]))
  async function go(
    path: string,
    form?: Record<string, string | string[]>,
    headers: Record<string, string> = {},
  ) {
    const body =
      form &&
      new URLSearchParams(
        Object.entries(form).flatMap(([name, value]) =>
          [value].flat().map((item) => [name, item] as [string, string]),
        ),
      )
    const { pathname, search } = new URL(path, url)
    const response = await fetch(new URL(`${pathname}${search}`, url), {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        accept: 'text/html',
        ...(form ? { 'sec-fetch-site': 'same-origin' } : {}),
        ...headers,
      },
      body,
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/)!
      if (value && !/expires=Thu, 01 Jan 1970/i.test(cookie)) jar.set(name!, value)
      else jar.delete(name!)
    }
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      headers: response.headers,
      text: await response.text(),
    }
  }
  return { go, jar }
}

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export async function register(url: string, metadata: object = {}) {
  const response = await fetch(new URL('/oauth/register', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], client_name: 'A helpful app', ...metadata }),
  })
  return { status: response.status, body: (await response.json()) as any }
}

export async function token(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(new URL('/oauth/token', url), {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  })
  return { status: response.status, body: (await response.json()) as any }
}

export const authorizeUrl = (
  client_id: string,
  challenge: string,
  more: Record<string, string> = {},
) =>
  `/oauth/authorize?${new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  })}`

/** The fields that exchange an authorization code for tokens. */
export const codeFields = (client_id: string, code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  client_id,
})

/** The value that ties a consent form to the page that showed it. */
export const consentMark = (html: string) => html.match(/name="mark" value="([^"]+)"/)?.[1] ?? ''

type Choice = { scopes?: string[]; game_uid?: string; allow?: boolean }

/** Completes sign-in and consent, and returns the parameters of the redirect to the client. */
export async function consent(url: string, person: Person, path: string, choice: Choice = {}) {
  const { go } = browser(url, person.token)
  const authorization = await go(path)
  assert.equal(authorization.status, 303, authorization.text)
  const page = await go(authorization.location)
  assert.equal(page.status, 200, page.text)
  const offered = [...page.text.matchAll(/name="scopes" value="([^"]+)"/g)].map(
    (match) => match[1]!,
  )
  const form = {
    mark: consentMark(page.text),
    scopes: choice.scopes ?? offered,
    ...(choice.game_uid ? { game_uid: choice.game_uid } : {}),
    ...(choice.allow === false ? {} : { allow: 'yes' }),
  }
  const sent = await go(authorization.location, form)
  assert.equal(sent.status, 303, sent.text)
  const back = await go(sent.location)
  assert.equal(back.status, 303, back.text)
  return {
    offered,
    page,
    answer: Object.fromEntries(new URL(back.location).searchParams) as Record<string, string>,
    location: back.location,
  }
}

type GrantOptions = {
  /** Parameters of the authorization request. */
  parameters?: Record<string, string>
  choice?: Choice
}

/** Gets an authorization code and returns the fields that exchange it for tokens. */
export async function authorizedFields(
  url: string,
  person: Person,
  client_id: string,
  { parameters = {}, choice = {} }: GrantOptions = {},
) {
  const { verifier, challenge } = pkce()
  const path = authorizeUrl(client_id, challenge, parameters)
  const { answer } = await consent(url, person, path, choice)
  return { ...codeFields(client_id, answer.code!), code_verifier: verifier }
}

/** Performs a complete grant: registration unless a client is named, consent and tokens. */
export async function grantedTokens(
  url: string,
  person: Person,
  options: GrantOptions & { client_id?: string } = {},
) {
  const client_id: string = options.client_id ?? (await register(url)).body.client_id
  const fields = await authorizedFields(url, person, client_id, options)
  const { status, body } = await token(url, fields)
  assert.equal(status, 200, JSON.stringify(body))
  return { client_id, ...body } as {
    client_id: string
    access_token: string
    refresh_token: string
    scope: string
    expires_in: number
    token_type: string
  }
}
