import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createLocalStorage } from '../../core/storage/local.ts'
import { createS3Storage } from '../../core/storage/s3.ts'
import { unpack } from '../zip/entry.ts'
import { type ComposedZip, type ComposeTask, composeZip, TooLarge, WrongBytes } from './compose.ts'
import { InvalidDelta } from './header-rules.ts'
import { signatureOf } from './signature.ts'
import { asBaseGone, BaseGone, openStoredFiles, type StoredFile } from './stored-files.ts'

/** Signs entries of stored files until the signatures have this many bytes. */
export type SignTask = {
  entries: { file: StoredFile; path: string }[]
  max_entries: number
  max_bytes: number
}
export type ThreadStorage = {
  s3_url: string | undefined
  s3_public_url: string | undefined
  data_dir: string
}
export type ThreadData = { storage: ThreadStorage } & (
  | { sign: SignTask }
  | { compose: ComposeTask }
)

export type ThreadFailure = 'wrong_bytes' | 'base_gone' | 'invalid' | 'too_large'
export type ThreadMessage =
  /** The signature of the entry with this index. */
  | { index: number; signature: Uint8Array }
  /** Which files the delta refers to; the answer is what is stored of them. */
  | { resolve: string[] }
  | { composed: ComposedZip }
  | { signed: true }
  | { failure: ThreadFailure; message: string }
export type ThreadReply = (StoredFile | null)[]

/** Below the threads that answer requests. */
const PRIORITY = 10

const port = parentPort!
const post = (message: ThreadMessage) => port.postMessage(message)

const failures: [new (message?: string) => Error, ThreadFailure][] = [
  [WrongBytes, 'wrong_bytes'],
  [BaseGone, 'base_gone'],
  [InvalidDelta, 'invalid'],
  [TooLarge, 'too_large'],
]

async function openStorage({ s3_url, s3_public_url, data_dir }: ThreadStorage) {
  return s3_url
    ? createS3Storage(s3_url, s3_public_url)
    : createLocalStorage(join(data_dir, 'objects'), { read_only: true })
}

async function sign(storage: ThreadStorage, { entries, max_entries, max_bytes }: SignTask) {
  const find = openStoredFiles(await openStorage(storage), max_entries)
  let bytes = 0
  for (const [index, { file, path }] of entries.entries()) {
    const { source, entry, end } = await find(file, path)
    const signature = await asBaseGone(() => signatureOf(unpack(entry, end, source)))
    bytes += signature.length
    if (bytes > max_bytes) break
    post({ index, signature })
  }
}

const resolve = (uids: string[]) =>
  new Promise<ThreadReply>((answered) => {
    port.once('message', answered)
    post({ resolve: uids })
  })

async function run(data: ThreadData) {
  try {
    // On Linux this is the priority of the thread alone.
    if (process.platform === 'linux') setPriority(PRIORITY)
  } catch {
    // Some containers forbid it.
  }
  if ('sign' in data) {
    await sign(data.storage, data.sign)
    post({ signed: true })
  } else
    post({ composed: await composeZip(await openStorage(data.storage), data.compose, resolve) })
}

try {
  await run(workerData as ThreadData)
} catch (error) {
  const known = failures.find(([kind]) => error instanceof kind)
  if (!known) throw error
  post({ failure: known[1], message: (error as Error).message })
} finally {
  port.close()
}
