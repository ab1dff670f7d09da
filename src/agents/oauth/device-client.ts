import type { Core } from '../../core/runtime/core.ts'
import { DAY, MINUTE } from '../../core/runtime/units.ts'

/** The program of players, which is part of every store and has no secret. */
const DEVICE_CLIENT_ID = 'slipway'
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** All that a device gets: the library, and what the person may download. */
export const DEVICE_SCOPE = 'player:read'
export const DEVICE_CODE_SECONDS = 10 * MINUTE
/** Games are kept current in the background, so a device stays signed in for longer than an app. */
export const DEVICE_GRANT_SECONDS = 180 * DAY
/** How long a device waits between two requests; every one that comes earlier adds as much. */
export const POLL_SECONDS = 5
/** 20 consonants to the power of 8, and a person has ten attempts in 15 minutes. */
export const USER_CODE_MASK = '****-****'
const USER_CODE_LENGTH = USER_CODE_MASK.length - 1

export const isDeviceClient = (client_id: string | undefined) => client_id === DEVICE_CLIENT_ID

export const deviceClient = {
  client_id: DEVICE_CLIENT_ID,
  client_name: 'Slipway',
  grant_types: [DEVICE_CODE_GRANT, 'refresh_token'],
  response_types: [],
  redirect_uris: [],
}

/** The letters of a code, however it was typed. */
export const normalizeUserCode = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, USER_CODE_LENGTH + 1)

/** What a code is stored as. It is short, so a hash without a key could be guessed. */
export const userCodeHash = ({ secrets }: Pick<Core, 'secrets'>, typed: string): Buffer =>
  secrets.mac('oauth user code', normalizeUserCode(typed))

/** The code in two groups, as the device shows it. */
export function showUserCode(code: string): string {
  const half = USER_CODE_LENGTH / 2
  return code.length > half ? `${code.slice(0, half)}-${code.slice(half)}` : code
}

const MAX_DEVICE_NAME = 40

/** What a device calls itself, without what could make it look like something else. */
export const deviceName = (sent: unknown): string =>
  typeof sent === 'string'
    ? sent
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, MAX_DEVICE_NAME)
    : ''
