/**
 * Counts bits with the vector instructions of the processor, which JavaScript cannot use and
 * WebAssembly can. Counting the filters of a search page over a large catalog is the slowest part
 * of the page; a loop in JavaScript takes several times as long (bench/search.ts, facet counts).
 *
 * ```
 * (module
 *   (memory (export "memory") 1)
 *   (func (export "countShared") (param $a i32) (param $b i32) (param $end i32) (result i32)
 *     (local $sums v128)
 *     (block $done
 *       (loop $next
 *         (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
 *         (local.set $sums (i32x4.add (local.get $sums)
 *           (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt
 *             (v128.and (v128.load (local.get $a)) (v128.load (local.get $b))))))))
 *         (local.set $a (i32.add (local.get $a) (i32.const 16)))
 *         (local.set $b (i32.add (local.get $b) (i32.const 16)))
 *         (br $next)))
 *     (i32.add
 *       (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
 *       (i32.add
 *         (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums))))))
 * ```
 */
const loop = [
  [0x02, 0x40, 0x03, 0x40], // block, loop
  [0x20, 0, 0x20, 2, 0x4f, 0x0d, 1], // leave the block when $a reaches $end
  [0x20, 3, 0x20, 0, 0xfd, 0x00, 4, 0, 0x20, 1, 0xfd, 0x00, 4, 0], // $sums, 16 bytes of each
  [0xfd, 0x4e, 0xfd, 0x62, 0xfd, 0x7d, 0xfd, 0x7f, 0xfd, 0xae, 0x01, 0x21, 3], // and, count, add
  [0x20, 0, 0x41, 16, 0x6a, 0x21, 0, 0x20, 1, 0x41, 16, 0x6a, 0x21, 1], // the next 16 bytes
  [0x0c, 0, 0x0b, 0x0b], // repeat; end of loop and block
]
const laneSum = [
  [0x20, 3, 0xfd, 0x1b, 0, 0x20, 3, 0xfd, 0x1b, 1, 0x6a],
  [0x20, 3, 0xfd, 0x1b, 2, 0x20, 3, 0xfd, 0x1b, 3, 0x6a, 0x6a, 0x0b],
]
/** A part with its length, which is below 128 for all of ours. */
const sized = (...bytes: number[]) => [bytes.length, ...bytes]
const named = (name: string, ...kind: number[]) => [...sized(...Buffer.from(name)), ...kind]
const program = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, ...sized(1, 0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7f)], // one type: three numbers to one
  ...[3, ...sized(1, 0)], // one function of that type
  ...[5, ...sized(1, 0, 1)], // a memory of one page
  ...[7, ...sized(2, ...named('memory', 2, 0), ...named('countShared', 0, 0))],
  ...[10, ...sized(1, ...sized(1, 1, 0x7b, ...loop.flat(), ...laneSum.flat()))],
])

type Exports = {
  memory: { buffer: ArrayBuffer; grow: (pages: number) => number }
  countShared: (a: number, b: number, end: number) => number
}
/** The types of the compiler that we use do not include WebAssembly. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: Exports }
}
const { memory, countShared } = new WebAssembly.Instance(new WebAssembly.Module(program)).exports

const PAGE_BYTES = 65_536
const VECTOR_WORDS = 4

/** Two bitsets in the memory of the program, and how many blocks each has. */
let operands = { words: 0, left: new Int32Array(0), right: new Int32Array(0) }

/**
 * Two bitsets of this many blocks, for the caller to fill. They are valid until the next call of
 * this function.
 */
export function reserveOperands(words: number): { left: Int32Array; right: Int32Array } {
  const padded = Math.ceil(words / VECTOR_WORDS) * VECTOR_WORDS
  if (operands.words !== padded) {
    const pages = Math.ceil((2 * padded * 4) / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES
    if (pages > 0) memory.grow(pages)
    const at = (word: number) => new Int32Array(memory.buffer, word * 4, padded)
    operands = { words: padded, left: at(0), right: at(padded) }
  }
  const { left, right } = operands
  left.fill(0, words)
  return { left, right }
}

/** How many bits the two operands share. Blocks of `right` beyond the reserved ones do not count. */
export const countOperands = () => countShared(0, operands.words * 4, operands.words * 4)
