import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

/** What is left is read at once when the search has come down to so many bytes. */
const BLOCK_BYTES = 4096
/** More than a line has: 40 digits, a colon, a count and the end of the line. */
const LINE_BYTES = 80
const HASH_LENGTH = 40

/**
 * Whether a file in the order of its SHA-1 hashes, one `HASH:count` per line, has the password. The
 * file of all known ones has about 40 GB, so it is searched on disk: a lookup reads some 25 blocks.
 */
export async function isInHashFile(path: string, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  const file = await open(path)
  try {
    return await findHash(file, hash)
  } finally {
    await file.close()
  }
}

async function findHash(file: FileHandle, hash: string): Promise<boolean> {
  // The line of the hash, if there is one, starts at `low` or later, and before `high`.
  let low = 0
  let high = (await file.stat()).size
  while (high - low > BLOCK_BYTES) {
    const middle = Math.floor((low + high) / 2)
    const text = await readText(file, middle, 2 * LINE_BYTES)
    const start = text.indexOf('\n') + 1
    const next = text.slice(start, start + HASH_LENGTH).toUpperCase()
    if (start > 0 && middle + start < high && next <= hash) low = middle + start
    else high = middle + 1
  }
  const lines = (await readText(file, low, high - low + LINE_BYTES)).split('\n')
  return lines.some((line) => line.slice(0, HASH_LENGTH).toUpperCase() === hash)
}

async function readText(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.toString('latin1', 0, bytesRead)
}

/** Refuses a new password that was found in the data of another service. */
export async function checkNotBreached(
  { config, log }: Pick<Core, 'config' | 'log'>,
  password: string,
): Promise<void> {
  if (!config.breached_passwords) return
  const is_breached = await isInHashFile(config.breached_passwords, password).catch((error) => {
    // The file was readable at start. People must be able to change their password without it.
    log.error({ err: error }, 'the file of BREACHED_PASSWORDS could not be read')
    return false
  })
  if (is_breached)
    refuse(
      'MALFORMED',
      { field: 'password' },
      explain(
        'password_breached',
        'body.password: this password became public in a data breach; choose another',
      ),
    )
}
