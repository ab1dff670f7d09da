// Signs and composes in a process of its own. Threads of the service would not do: what unpacks and
// compresses runs in the pool that all of them share, with the priority of requests.
import { join } from 'node:path'
import { createLocalStorage } from '../../core/storage/local.ts'
import { createS3Storage } from '../../core/storage/s3.ts'
import { unpack } from '../zip/entry.ts'
import { type ComposedZip, type ComposeTask, composeZip, TooLarge, WrongBytes } from './compose.ts'
import { InvalidDelta } from './header-rules.ts'
import type { FileRequest, ResolvedFile } from './recorded-copies.ts'
import { signatureOf } from './signature.ts'
import { asBaseGone, BaseGone, openStoredFiles, type StoredFile } from './stored-files.ts'

/** Signs entries of stored files until the signatures have this many bytes. */
export type SignTask = {
  entries: { file: StoredFile; path: string }[]
  max_entries: number
  max_bytes: number
}
export type ProgramStorage = {
  s3_url: string | undefined
  s3_public_url: string | undefined
  data_dir: string
}
export type ProgramTask = { storage: ProgramStorage } & (
  | { sign: SignTask }
  | { compose: ComposeTask }
)

export type ProgramFailure = 'wrong_bytes' | 'base_gone' | 'invalid' | 'too_large'
export type ProgramMessage =
  /** The signature of the entry with this index. */
  | { index: number; signature: Uint8Array }
  /** Which files the delta refers to; the answer is what is stored of them. */
  | { resolve: FileRequest[] }
  | { composed: ComposedZip }
  | { signed: true }
  | { failure: ProgramFailure; message: string }
  /** Something else went wrong; storage that cannot be reached is known by the code. */
  | { error: string; code: string | undefined }
export type ProgramReply = ResolvedFile[]

const post = (message: ProgramMessage) => void process.send!(message)

const failures: [new (message?: string) => Error, ProgramFailure][] = [
  [WrongBytes, 'wrong_bytes'],
  [BaseGone, 'base_gone'],
  [InvalidDelta, 'invalid'],
  [TooLarge, 'too_large'],
]

async function openStorage({ s3_url, s3_public_url, data_dir }: ProgramStorage) {
  return s3_url
    ? createS3Storage(s3_url, s3_public_url)
    : createLocalStorage(join(data_dir, 'objects'), { read_only: true })
}

async function sign(storage: ProgramStorage, { entries, max_entries, max_bytes }: SignTask) {
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

const resolve = (files: FileRequest[]) =>
  new Promise<ProgramReply>((answered) => {
    process.once('message', answered)
    post({ resolve: files })
  })

async function run(data: ProgramTask) {
  if ('sign' in data) {
    await sign(data.storage, data.sign)
    post({ signed: true })
  } else
    post({ composed: await composeZip(await openStorage(data.storage), data.compose, resolve) })
}

// The service ended, so nobody waits for the result.
process.once('disconnect', () => process.exit())
process.once('message', async (task: ProgramTask) => {
  try {
    await run(task)
  } catch (error) {
    const known = failures.find(([kind]) => error instanceof kind)
    const { message, stack, code } = error as NodeJS.ErrnoException
    post(known ? { failure: known[1], message } : { error: stack ?? message, code })
  }
})
