import { type Listing, must } from '../support/builders.ts'
import { type BuildOf, CRASHES, fresh, idsOf, type startTelemetryApp } from './fixtures.ts'

export type TelemetryApp = Awaited<ReturnType<typeof startTelemetryApp>>
export const MIB = 1024 * 1024
export const code = (answer: { status: number; body: any }) => [
  answer.status,
  answer.body.error?.code,
]
export const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
export const report = ({ post }: TelemetryApp, to: BuildOf, body: unknown, headers = {}) =>
  post(CRASHES, body, { headers: { ...idsOf(to), ...fresh(), ...headers } })
export const put = ({ call }: TelemetryApp, url: string, bytes: Uint8Array, headers = {}) =>
  call('PUT', url, {
    raw: new Uint8Array(bytes),
    headers: { 'content-type': 'application/octet-stream', ...fresh(), ...headers },
  })
export const read = async ({ get }: TelemetryApp, { uid, owner }: Listing, path: string) =>
  must(await get(`/api/v1/private/games/${uid}/${path}`, owner))
