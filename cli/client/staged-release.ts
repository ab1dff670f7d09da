import { createHash } from 'node:crypto'
import { type Data, isObject } from '../http/api.ts'

/**
 * Whether this install takes a build that a channel delivers to a part of the devices. Its number,
 * from 0 to 100, comes from a random id that never leaves the machine and from the build, so that
 * it is not always the same devices that get builds first. A device that took a build keeps it when
 * the percentage grows.
 */
export function takesStaged(install_id: string, build_id: string, percent: number): boolean {
  const hash = createHash('sha256').update(`${install_id} ${build_id}`).digest()
  return (hash.readUInt32BE(0) / 2 ** 32) * 100 < percent
}

/** The build that an answer of the store means for this install. */
export function chooseBuild(offer: Data, install_id: string): string {
  const { next } = offer
  const is_chosen =
    isObject(next) &&
    typeof next.build_id === 'string' &&
    takesStaged(install_id, next.build_id, Number(next.percent))
  return String(is_chosen ? next.build_id : offer.build_id)
}
