import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { KIB, MIB } from '../../../src/core/runtime/units.ts'
import { applyDifference } from '../../../src/updates/patches/apply-difference.ts'
import {
  findDifference,
  indexPieces,
  packDifference,
} from '../../../src/updates/patches/difference.ts'
import { BadPatch } from '../../../src/updates/patches/format.ts'
import { fc } from '../../support/property.ts'

const LEVEL = 3
const pack = (old: Buffer, next: Buffer) =>
  packDifference(findDifference(indexPieces(old), next), LEVEL)

/** Code that calls other code by addresses, all of which are elsewhere after a change. */
function program(instructions: Buffer, moved_by: number): Buffer {
  const bytes = Buffer.from(instructions)
  for (let at = 0; at + 4 <= bytes.length; at += 20)
    bytes.writeUInt32LE((bytes.readUInt32LE(at) % 2 ** 24) + moved_by, at)
  return bytes
}

test('a program whose addresses moved is corrected by few bytes', () => {
  const instructions = randomBytes(MIB)
  const old = program(instructions, 0)
  const inserted = randomBytes(48)
  const moved = program(instructions, 48)
  const next = Buffer.concat([moved.subarray(0, 300_000), inserted, moved.subarray(300_000)])
  const frame = pack(old, next)
  assert.ok(applyDifference(frame, old, next.length).equals(next))
  const by_dictionary = zstdCompressSync(next, { dictionary: old }).length
  assert.ok(frame.length * 3 < by_dictionary, `${frame.length} of ${by_dictionary} bytes`)
})

/** Parts of the old bytes, some of them corrected, and new ones. */
const partArb = fc.oneof(
  fc.record({ from: fc.nat(4000), length: fc.nat(2000), corrected: fc.nat(40) }),
  fc.uint8Array({ maxLength: 200 }),
)

test('property: any bytes are made of any others, equal, similar or not', () => {
  const oldArb = fc.oneof(
    fc.uint8Array({ maxLength: 5000, size: 'max' }),
    // Bytes that repeat have many places that are as good as others.
    fc.record({ byte: fc.nat(2), length: fc.nat(5000) }),
  )
  fc.assert(
    fc.property(oldArb, fc.array(partArb, { maxLength: 12 }), (old_spec, parts) => {
      const old =
        old_spec instanceof Uint8Array
          ? Buffer.from(old_spec)
          : Buffer.alloc(old_spec.length, old_spec.byte)
      const next = Buffer.concat(
        parts.map((part) => {
          if (part instanceof Uint8Array) return Buffer.from(part)
          const copy = Buffer.from(old.subarray(part.from, part.from + part.length))
          for (let i = 0; i < part.corrected && copy.length; i++)
            copy[(i * 37) % copy.length]! ^= i + 1
          return copy
        }),
      )
      assert.ok(applyDifference(pack(old, next), old, next.length).equals(next))
    }),
  )
})

test('zeros and patterns that repeat take linear time', () => {
  const zeros = Buffer.alloc(4 * MIB)
  const pattern = Buffer.alloc(4 * MIB, 'abcdefghijklmnop')
  const mixed = Buffer.concat([pattern.subarray(5), zeros.subarray(0, MIB), pattern])
  for (const [old, next] of [
    [zeros, mixed],
    [mixed, zeros],
    [pattern, mixed],
    [mixed, pattern],
  ] as const)
    assert.ok(applyDifference(pack(old, next), old, next.length).equals(next))
})

test('property: a damaged difference makes other bytes or a refusal, never more', () => {
  const old = randomBytes(20 * KIB)
  const next = Buffer.concat([old.subarray(9000), randomBytes(300), old.subarray(100, 8000)])
  const frame = pack(old, next)
  fc.assert(
    fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(frame)
      damaged[at]! ^= change
      try {
        assert.equal(applyDifference(damaged, old, next.length).length, next.length)
      } catch (error) {
        assert.ok(error instanceof BadPatch, String(error))
      }
    }),
  )
})

test('a difference for another size or a shorter base is refused', () => {
  const old = randomBytes(4 * KIB)
  const next = Buffer.concat([old, randomBytes(100)])
  const frame = pack(old, next)
  for (const size of [0, next.length - 1, next.length + 1])
    assert.throws(() => applyDifference(frame, old, size), BadPatch)
  assert.throws(() => applyDifference(frame, old.subarray(1), next.length), BadPatch)
  for (const length of [0, 23, 24, 40])
    assert.throws(() => applyDifference(frame.subarray(0, length), old, next.length), BadPatch)
})
