import { type Listing, must, newAddress } from '../support/builders.ts'
import { type BuildOf, CRASHES, idsOf, type startTelemetryApp } from './fixtures.ts'

export type TelemetryApp = Awaited<ReturnType<typeof startTelemetryApp>>
export const report = ({ post }: TelemetryApp, to: BuildOf, body: unknown, headers = {}) =>
  post(CRASHES, body, { headers: { ...idsOf(to), ...newAddress(), ...headers } })
export const put = ({ call }: TelemetryApp, url: string, bytes: Uint8Array, headers = {}) =>
  call('PUT', url, {
    raw: new Uint8Array(bytes),
    headers: { 'content-type': 'application/octet-stream', ...newAddress(), ...headers },
  })
export const read = async ({ get }: TelemetryApp, { uid, owner }: Listing, path: string) =>
  must(await get(`/api/v1/private/games/${uid}/${path}`, owner))
