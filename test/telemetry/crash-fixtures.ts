import { type Listing, must } from '../support/builders.ts'
import { type BuildOf, CRASHES, fresh, idsOf, type stage } from './fixtures.ts'

export type Stage = Awaited<ReturnType<typeof stage>>
export const MIB = 1024 * 1024
export const code = (answer: { status: number; body: any }) => [
  answer.status,
  answer.body.error?.code,
]
export const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
export const report = ({ post }: Stage, to: BuildOf, body: unknown, headers = {}) =>
  post(CRASHES, body, { headers: { ...idsOf(to), ...fresh(), ...headers } })
export const put = ({ call }: Stage, url: string, bytes: Uint8Array, headers = {}) =>
  call('PUT', url, {
    raw: new Uint8Array(bytes),
    headers: { 'content-type': 'application/octet-stream', ...fresh(), ...headers },
  })
export const read = async ({ get }: Stage, { uid, owner }: Listing, path: string) =>
  must(await get(`/api/v1/private/games/${uid}/${path}`, owner))
