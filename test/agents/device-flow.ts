import assert from 'node:assert/strict'
import type { DeviceCodes } from '../../cli/login/oauth.ts'
import type { Person } from '../support/builders.ts'
import { browser, token } from './oauth-flow.ts'

export const DEVICE_CLIENT = 'slipway'
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Asks for the codes of a device. */
export async function requestDevice(url: string, fields: Record<string, string> = {}) {
  const response = await fetch(new URL('/oauth/device', url), {
    method: 'POST',
    body: new URLSearchParams({ client_id: DEVICE_CLIENT, ...fields }),
  })
  return { status: response.status, body: (await response.json()) as any }
}

export async function deviceCodes(
  url: string,
  fields: Record<string, string> = {},
): Promise<DeviceCodes> {
  const { status, body } = await requestDevice(url, fields)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export const poll = (url: string, device_code: string) =>
  token(url, { grant_type: DEVICE_CODE_GRANT, client_id: DEVICE_CLIENT, device_code })

/** Answers a device on its page. */
export const decide = (
  url: string,
  person: Person,
  user_code: string,
  decision: 'allow' | 'deny' = 'allow',
) => browser(url, person.token).go('/device', { user_code, decision })

/** The tokens of a device that a person allowed. */
export async function deviceTokens(url: string, person: Person, fields = {}) {
  const { device_code, user_code } = await deviceCodes(url, fields)
  const page = await decide(url, person, user_code)
  assert.equal(page.status, 303, page.text)
  const { status, body } = await poll(url, device_code)
  assert.equal(status, 200, JSON.stringify(body))
  return body as { access_token: string; refresh_token: string; scope: string; expires_in: number }
}
