import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { waitForLock } from '../client/lock.ts'
import { exits, Failure } from '../errors.ts'
import { t } from '../messages.ts'
import type { StoreSettings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'
import {
  badAnswer,
  createAuthorizationServer,
  type DeviceCodes,
  type Endpoints,
  type Tokens,
} from './oauth.ts'
import { loginFile, readLogin, removeLogin, type StoredLogin, writeLogin } from './stored-login.ts'

/** A token that ends sooner is renewed before it is used. */
const RENEW_MS = 60_000
/** What a store adds to the wait of a client that asks too often (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5

export type LoginContext = {
  settings: StoreSettings
  ui: Ui
  signal: AbortSignal
  env: NodeJS.ProcessEnv
}

/** The token that requests to the store are sent with. */
export type TokenSource = {
  /** Undefined for somebody who is signed out; `refused` is a token that the store refused. */
  token: (refused?: string) => Promise<string | undefined>
}

/** The key of the environment, or the sign-in that is stored for this store. */
export function tokenSource(context: LoginContext): TokenSource {
  const { settings, env } = context
  if (settings.token) return { token: async () => settings.token }
  const path = loginFile(env, settings.api_url)
  let current: Promise<StoredLogin | undefined> | undefined
  return {
    async token(refused) {
      current ??= readHidden(context, path)
      const known = current
      const login = await known
      if (!login) return undefined
      const is_due =
        login.access_token === refused || Date.parse(login.expires_at) - Date.now() < RENEW_MS
      // Several downloads may find out at once; one of them renews it.
      if (is_due && current === known) current = renew(context, path, login)
      return (await current)?.access_token
    },
  }
}

async function readHidden(
  { settings, ui }: LoginContext,
  path: string,
): Promise<StoredLogin | undefined> {
  const login = await readLogin(path, settings.api_url)
  if (login) for (const secret of [login.access_token, login.refresh_token]) ui.hide(secret)
  return login
}

/**
 * Exchanges the refresh token for new tokens. A refresh token that is used twice ends the sign-in,
 * so other programs wait, and use what this one got.
 */
async function renew(
  context: LoginContext,
  path: string,
  used: StoredLogin,
): Promise<StoredLogin | undefined> {
  const { settings, ui, signal } = context
  const release = await waitForLock(path)
  const server = createAuthorizationServer(settings, ui, signal)
  try {
    const login = await readHidden(context, path)
    if (!login || login.refresh_token !== used.refresh_token) return login
    const answer = await server.renew(login.token_endpoint, login.refresh_token)
    if ('tokens' in answer) {
      const renewed = { ...login, ...storedTokens(answer.tokens) }
      await writeLogin(path, renewed)
      return renewed
    }
    if (answer.error !== 'invalid_grant') {
      // A proxy may have refused, or the store has moved. Free games need no sign-in.
      ui.warn(badAnswer(answer.status).message)
      ui.note(t('login-bad-answer-hint'))
      return undefined
    }
    await removeLogin(path)
    ui.warn(t('login-ended', { store: hostOf(settings) }))
    return undefined
  } finally {
    server.close()
    release()
  }
}

const hostOf = ({ api_url }: StoreSettings) => new URL(api_url).host

const storedTokens = ({ access_token, refresh_token, expires_in }: Tokens) => ({
  access_token,
  refresh_token,
  expires_at: new Date(Date.now() + expires_in * 1000).toISOString(),
})

/** Signs in: shows a code, and waits until the person has answered on the website. */
export async function signIn(
  context: LoginContext,
  showCodes: (codes: DeviceCodes) => void,
  usernameOf: (access_token: string) => Promise<string>,
): Promise<StoredLogin> {
  const { settings, ui, signal, env } = context
  const path = loginFile(env, settings.api_url)
  const server = createAuthorizationServer(settings, ui, signal)
  try {
    const before = await readHidden(context, path)
    const endpoints = await server.endpoints()
    const codes = await server.requestCodes(
      endpoints.device_authorization_endpoint,
      hostname().slice(0, 40),
    )
    showCodes(codes)
    const tokens = await waitForAnswer(context, endpoints, codes)
    const { token_endpoint, revocation_endpoint } = endpoints
    const login: StoredLogin = {
      format: 1,
      store: settings.api_url,
      username: await usernameOf(tokens.access_token),
      ...storedTokens(tokens),
      token_endpoint,
      revocation_endpoint,
    }
    await writeLogin(path, login)
    // The sign-in before is of no more use. The new one counts even if that cannot be reached.
    if (before) await server.revoke(before.revocation_endpoint, before.refresh_token).catch(noop)
    return login
  } finally {
    server.close()
  }
}

const noop = () => {}

async function waitForAnswer(
  { settings, ui, signal }: LoginContext,
  { token_endpoint }: Endpoints,
  { device_code, interval, expires_in }: DeviceCodes,
): Promise<Tokens> {
  const server = createAuthorizationServer(settings, ui, signal)
  const ends_at = performance.now() + expires_in * 1000
  let seconds = interval
  try {
    while (performance.now() < ends_at) {
      await pause(seconds * 1000, undefined, { signal })
      const answer = await server.poll(token_endpoint, device_code)
      if ('tokens' in answer) return answer.tokens
      if (answer.error === 'slow_down') seconds += SLOW_DOWN_SECONDS
      else if (answer.error === 'access_denied')
        throw new Failure(exits.refused, t('login-denied'), t('login-again'))
      else if (!answer.error) throw badAnswer(answer.status)
      else if (answer.error !== 'authorization_pending') break
    }
    throw new Failure(exits.refused, t('login-expired'), t('login-again'))
  } finally {
    server.close()
  }
}

/** Signs out. The sign-in is removed here even if the store cannot be reached. */
export async function signOut(
  context: LoginContext,
): Promise<{ login: StoredLogin | undefined; error: Failure | undefined }> {
  const { settings, ui, signal, env } = context
  const path = loginFile(env, settings.api_url)
  const release = await waitForLock(path)
  const server = createAuthorizationServer(settings, ui, signal)
  try {
    const login = await readHidden(context, path)
    await removeLogin(path)
    if (!login) return { login, error: undefined }
    const error = await server.revoke(login.revocation_endpoint, login.refresh_token).then(
      () => undefined,
      (problem) => {
        if (problem instanceof Failure) return problem
        throw problem
      },
    )
    return { login, error }
  } finally {
    server.close()
    release()
  }
}
