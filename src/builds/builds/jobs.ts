import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { endChannels } from '../channels/queries.ts'
import { forgetRejected, knownUids } from './queries.ts'

const DAY_MS = 86_400_000
const KEYS_A_QUERY = 1000

/** Bytes whose records went: sent in the transaction that deleted them. */
export const removeObjects = job<{ keys: string[] }>({
  name: 'builds.remove-objects',
  expire_seconds: 600,
  async handle({ core, data: { keys } }) {
    for (const key of keys) await core.storage.remove(key)
  },
})

/** Rejected uploads are told of for a month. */
export const sweepRejected = job({
  name: 'builds.sweep-rejected',
  schedule: '41 3 * * *',
  handle: ({ finish }) => finish(forgetRejected),
})

/** A channel that was promoted for a time hides itself; this tells those who keep a copy of what it showed. */
export const endChannelsJob = job({
  name: 'builds.end-channels',
  schedule: '* * * * *',
  handle: ({ finish }) => finish(endChannels),
})

/** Bytes that no record knows: a crash came between the two, or a whole listing was deleted. Younger than a day, the record may still come. */
export const sweepObjects = job({
  name: 'builds.sweep-objects',
  schedule: '11 4 * * *',
  expire_seconds: 3600,
  async handle({ core, signal }) {
    for (const prefix of ['builds/', 'symbols/']) await sweepUnder(core, prefix, signal)
  },
})

async function sweepUnder(
  { storage, sql }: Core,
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  let keys: string[] = []
  const sweepKeys = async () => {
    const known = await knownUids(sql, keys.map(uidOf))
    for (const key of keys) if (!known.has(uidOf(key))) await storage.remove(key)
    keys = []
  }
  for await (const { key } of storage.list(prefix)) {
    signal.throwIfAborted()
    if (Date.now() - madeAt(uidOf(key)) > DAY_MS) keys.push(key)
    if (keys.length >= KEYS_A_QUERY) await sweepKeys()
  }
  await sweepKeys()
}

const uidOf = (key: string) => key.split('/').at(-1)!.slice(0, 36)
/** The first 48 bits of a uid are when it was made. */
const madeAt = (uid: string) => Number.parseInt(uid.replaceAll('-', '').slice(0, 12), 16)
