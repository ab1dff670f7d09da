import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { openFileSink } from '../../src/uploads/receive/file-sink.ts'
import { isStorageFailure } from '../../src/uploads/receive/part-files.ts'
import { temporaryFolder } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { sha256 } from './zips.ts'

test('writes and hashes every byte from the given offset, whatever the chunk sizes', async (t) => {
  const path = join(temporaryFolder(t), 'x')
  const content = randomBytes(6 * MIB)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 2 * MIB }), { maxLength: 12 }),
      fc.integer({ min: 0, max: content.length }),
      async (cuts, resume) => {
        const hash = createHash('sha256')
        for (const [from, to] of [
          [0, resume],
          [resume, content.length],
        ] as const) {
          const sink = await openFileSink(path, {
            offset: from,
            hash: from === 0 ? hash : hash.copy(),
          })
          let at = from
          for (const cut of [...cuts, to]) {
            const end = Math.min(to, at + cut)
            if (end > at) await sink.write(content.subarray(at, end))
            at = end
          }
          if (at < to) await sink.write(content.subarray(at, to))
          await sink.finish()
          await sink.close()
          assert.equal(sink.written, to - from)
          if (to === content.length) assert.equal(sink.hash.copy().digest('hex'), sha256(content))
        }
        assert.ok(readFileSync(path).equals(content))
        rmSync(path)
      },
    ),
    { numRuns: loopCount({ short: 8, full: 20 }) },
  )
})

test('a full disk is reported as a temporary error', async (t) => {
  const folder = temporaryFolder(t)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status !== 0)
    return t.skip('needs the right to mount')
  cleanup(t, () => spawnSync('umount', ['-l', folder]))
  const path = join(folder, 'x')
  const sink = await openFileSink(path)
  const sending = async () => {
    for (let i = 0; i < 4; i++) await sink.write(randomBytes(MIB))
    await sink.finish()
  }
  await assert.rejects(sending, isStorageFailure)
  await sink.close()
  rmSync(path)
  const again = await openFileSink(path)
  await again.write(randomBytes(MIB))
  await again.finish()
  await again.close()
})
