import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { analyzeDump, type FrameView, type SymbolPaths } from '../../src/telemetry/dump/analyze.ts'
import { DumpError, readMinidump } from '../../src/telemetry/dump/minidump.ts'
import { createUnwinder, walkThread } from '../../src/telemetry/dump/unwind.ts'
import { temporaryFolder } from '../support/app.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { BASE, crashedGame, DEBUG_ID, game, minidump, SYMBOLS } from './dumps.ts'

function symbols(t: TestContext, text = SYMBOLS): SymbolPaths {
  const path = join(temporaryFolder(t), 'x.sym')
  writeFileSync(path, text)
  return { [DEBUG_ID]: path }
}
const brief = (frames: FrameView[]) =>
  frames.map(
    ({ function: name, module, offset, trust }) => `${name ?? `${module}+${offset}`} ${trust}`,
  )

test('walks a stack by CFI rules down to source lines', (t) => {
  const { analysis, stack, missing_symbols } = analyzeDump(crashedGame(), symbols(t))
  assert.deepEqual(
    [analysis.crash_reason, analysis.crash_address, analysis.os, analysis.arch],
    ['SIGSEGV / SEGV_MAPERR', '0x10', 'linux', 'x86_64'],
  )
  assert.deepEqual(analysis.frames, [
    {
      module: 'game',
      offset: '0x1010',
      function: 'World::explode(int)',
      file: 'src/world.cpp',
      line: 11,
      trust: 'context',
    },
    {
      module: 'game',
      offset: '0x2020',
      function: 'World::tick()',
      file: 'src/world.cpp',
      line: 42,
      trust: 'cfi',
    },
    {
      module: 'game',
      offset: '0x3030',
      function: 'main',
      file: 'src/main.cpp',
      line: 7,
      trust: 'cfi',
    },
    { module: 'game', offset: '0x5010', function: '_start', trust: 'cfi' },
  ])
  assert.equal(missing_symbols, false)
  assert.match(stack, / {2}0 {2}game!World::explode\(int\) \[src\/world\.cpp : 11\] {2}\(context\)/)
})

test('applies a rule from its address on, and attributes a final call to its function', (t) => {
  const start = 0x7fff0000n
  const dump = minidump({
    modules: [game],
    // The crash is before explode has built its frame, so its return address is on top of the
    // stack. tick ends with the call.
    registers: { $rip: BASE + 0x1002n, $rsp: start, $rbp: 0n },
    stack: { start, words: [BASE + 0x2100n, 0n, BASE + 0x3030n, 0n, BASE + 0x5010n, 0n, 0n] },
  })
  assert.deepEqual(brief(analyzeDump(dump, symbols(t)).analysis.frames).slice(0, 3), [
    'World::explode(int) context',
    'World::tick() cfi',
    'main cfi',
  ])
})

test('without symbols frames state their lower trust', () => {
  const { analysis, missing_symbols } = analyzeDump(crashedGame(), {})
  assert.equal(missing_symbols, true)
  // The rbp chain skips the two functions without frame pointers.
  assert.deepEqual(brief(analysis.frames).slice(0, 2), [
    'game+0x1010 context',
    'game+0x5010 frame_pointer',
  ])
  const lost = crashedGame({ registers: { $rip: BASE + 0x1010n, $rsp: 0x7fff0000n, $rbp: 5n } })
  const scanned = analyzeDump(lost, {}).analysis
  assert.deepEqual(brief(scanned.frames).slice(0, 3), [
    'game+0x1010 context',
    'game+0x5004 scan',
    'game+0x2020 scan',
  ])
  assert.match(scanned.note!, /only found on the stack/)
})

test('ignores symbols of another build of a module', (t) => {
  const [path] = Object.values(symbols(t))
  assert.equal(
    analyzeDump(crashedGame(), { [`${DEBUG_ID.slice(0, -1)}2`]: path! }).analysis.frames[0]!
      .function,
    undefined,
  )
})

test('walks arm64 stacks by rules, link register and frame pointers', (t) => {
  const start = 0x7fff0000n
  const word = (index: number) => start + BigInt(index) * 8n
  const rules = SYMBOLS.replace('$rsp 8 + .ra: .cfa -8 + ^', 'sp 0 + .ra: x30')
    .replace('STACK CFI 1004 .cfa: $rsp 32 +\n', '')
    .split('STACK CFI INIT 2000')[0]!
  const dump = (registers: Record<string, bigint>) =>
    minidump({
      arch: 'arm64',
      modules: [game],
      registers,
      stack: { start, words: [word(4), BASE + 0x3030n, 0n, 0n, 0n, BASE + 0x5010n] },
    })
  const registers = { pc: BASE + 0x1010n, sp: word(0), x29: word(0), x30: BASE + 0x2020n }
  assert.deepEqual(brief(analyzeDump(dump(registers), symbols(t, rules)).analysis.frames), [
    'World::explode(int) context',
    'World::tick() cfi',
    'main frame_pointer',
    '_start frame_pointer',
  ])
  assert.deepEqual(brief(analyzeDump(dump(registers), {}).analysis.frames), [
    'game+0x1010 context',
    'game+0x2020 link_register',
    'game+0x3030 frame_pointer',
    'game+0x5010 frame_pointer',
  ])
})

test('ignores a link register that points just before the program counter', () => {
  const start = 0x7fff0000n
  const walked = (behind: bigint) =>
    brief(
      analyzeDump(
        minidump({
          arch: 'arm64',
          modules: [game],
          stack: { start, words: [0n, BASE + 0x3030n, 0n] },
          registers: { pc: BASE + 0x1100n, sp: start, x29: start, x30: BASE + 0x1100n - behind },
        }),
        {},
      ).analysis.frames,
    )
  for (const behind of [0n, 4n, 63n])
    assert.deepEqual(walked(behind).slice(0, 2), [
      'game+0x1100 context',
      'game+0x3030 frame_pointer',
    ])
  for (const behind of [64n, -4n]) assert.match(walked(behind)[1]!, /link_register$/)
})

test('walks 32-bit Windows stacks by frame data programs', (t) => {
  const text = `MODULE windows x86 ${DEBUG_ID} game.exe
FUNC 1000 100 0 inner
FUNC 2000 100 0 outer
STACK WIN 4 1000 100 0 0 0 0 8 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + =
`
  const start = 0x100000n
  const dump = minidump({
    os: 'windows',
    arch: 'x86',
    code: 0xc0000005,
    info: [1n, 0xdead0000n],
    modules: [{ ...game, base: 0x400000n }],
    registers: { $eip: 0x401010n, $esp: start, $ebp: 0n },
    stack: { start, words: [0n, 0n, 0x402020n, 0n] },
  })
  const { analysis } = analyzeDump(dump, symbols(t, text))
  assert.deepEqual(brief(analysis.frames), ['inner context', 'outer cfi'])
  assert.deepEqual(
    [analysis.crash_reason, analysis.crash_address],
    ['EXCEPTION_ACCESS_VIOLATION_WRITE', '0xdead0000'],
  )
  // A record with invalid numbers is ignored.
  const damaged = analyzeDump(dump, symbols(t, text.replace('0 0 0 0 8 0 1', '0 0 zz -1 8 0 1')))
  assert.equal(brief(damaged.analysis.frames)[0], 'inner context')
})

test('a rule that leads nowhere or loops ends the stack walk', (t) => {
  for (const rule of [
    '.cfa: $rsp .ra: $rip',
    '.cfa: $rsp 8 + .ra: .cfa ^ ^ ^',
    '.cfa: $rsp 0 / .ra: 1',
    '.cfa: + .ra: ^',
    '.cfa: $nothing .ra: 5',
    '.cfa: 1 2 .ra: 3',
    '',
    '.cfa: $rsp -8 + .ra: $rip 1 +',
  ]) {
    const text = SYMBOLS.replace(/STACK CFI INIT 1000.*\n.*\n/, `STACK CFI INIT 1000 100 ${rule}\n`)
    const { frames } = analyzeDump(crashedGame(), symbols(t, text)).analysis
    assert.ok(frames.length >= 1 && frames.length < 10, rule)
  }
  // Each step advances a little, so that only the frame limit ends the walk.
  const forever = minidump({
    modules: [game],
    registers: { $rip: BASE + 0x1010n, $rsp: 0x7fff0000n },
    stack: { start: 0x7fff0000n, words: Array(5000).fill(BASE + 0x1010n) },
  })
  const text = SYMBOLS.replace('STACK CFI 1004 .cfa: $rsp 32 +\n', '')
  assert.equal(analyzeDump(forever, symbols(t, text)).analysis.frames.length, 200)
})

test('finds a module in logarithmic time and walks no more frames than requested', () => {
  const words = Array(500).fill(BASE + 0x1010n)
  const dump = readMinidump(
    minidump({
      modules: [game],
      registers: { $rip: BASE, $rsp: 0x7000n },
      stack: { start: 0x7000n, words },
    }),
  )
  const finderOf = (modules: (typeof dump)['modules']) =>
    createUnwinder({ ...dump, modules }, () => undefined)!.moduleAt
  let reads = 0
  const made = Array.from({ length: 8192 }, (_, i) => ({
    size: 0x1000,
    name: `m${i}`,
    debug_file: '',
    debug_id: '',
    get base() {
      reads++
      return BigInt(i) * 0x2000n
    },
  }))
  const moduleAt = finderOf(made)
  for (const i of [0, 1, 4095, 8190, 8191]) {
    reads = 0
    const base = BigInt(i) * 0x2000n
    const names = [base, base + 0xfffn, base + 0x1000n, base - 1n].map(
      (address) => moduleAt(address)?.name,
    )
    assert.deepEqual(names, [`m${i}`, `m${i}`, undefined, undefined])
    assert.ok(reads < 4 * 20, `${reads} reads`)
  }
  // Nested modules, which no loader creates: the inner module takes precedence over the outer one.
  const nested = finderOf([
    { ...game, base: 0x1000n, size: 0x1000, debug_file: '', name: 'outer' },
    { ...game, base: 0x1800n, size: 0x10, debug_file: '', name: 'inner' },
  ])
  assert.deepEqual(
    [0x17ffn, 0x1800n, 0x1810n, 0x2000n].map((address) => nested(address)?.name),
    ['outer', 'inner', 'outer', undefined],
  )
  const lengths = [undefined, 30].map(
    (most) =>
      walkThread(createUnwinder(dump, () => undefined)!, dump.threads[0]!.context, most).length,
  )
  assert.deepEqual(lengths, [200, 30])
})

test('rejects what is not a dump, and reads a truncated dump or rejects it', (t) => {
  const paths = symbols(t)
  const complete = crashedGame({ other_threads: 3 })
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('MDMP'),
    Buffer.from('x'.repeat(100)),
    complete.subarray(1),
  ])
    assert.throws(() => analyzeDump(bytes, paths), DumpError)
  for (let length = 32; length < complete.length; length += 7) {
    try {
      analyzeDump(complete.subarray(0, length), paths)
    } catch (error) {
      assert.ok(error instanceof DumpError, `${length}: ${(error as Error).stack}`)
    }
  }
})

test('arbitrary changes to a dump never crash the reader', (t) => {
  const paths = symbols(t)
  const complete = crashedGame({ other_threads: 2 })
  const change = fc.tuple(fc.nat(complete.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
      const bytes = Buffer.from(complete)
      for (const [at, value] of changes) bytes[at] = value
      try {
        assert.ok(analyzeDump(bytes, paths).analysis.frames.length <= 200)
      } catch (error) {
        assert.ok(error instanceof DumpError, (error as Error).stack)
      }
    }),
    { numRuns: loopCount({ short: 150, full: 500 }) },
  )
})

test('truncated, shuffled and hostile symbol files never crash the reader', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'hostile.sym')
  const dump = crashedGame()
  const line = fc.oneof(
    fc.constantFrom(...SYMBOLS.split('\n')),
    fc.string({ maxLength: 60 }),
    fc.constantFrom(
      'FUNC',
      'FUNC m',
      'FUNC ffffffffffffffffffff 1 0 x',
      'FUNC -1 1 0 x',
      'FUNC 0 ffffffffffff 0 everything',
      'STACK CFI INIT 0 ffffffff .cfa: .cfa',
      'STACK CFI 0 x',
      'PUBLIC',
      'FILE',
      'STACK WIN 4',
      '1000 100 5 99',
      '\0',
    ),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      writeFileSync(path, lines.join('\n'))
      const { analysis } = analyzeDump(dump, { [DEBUG_ID]: path })
      assert.ok(analysis.frames.length >= 1)
    }),
    { numRuns: 200 },
  )
  writeFileSync(path, `${SYMBOLS}${'A'.repeat(3_000_000)}\nFUNC 8000 10 0 after the long line\n`)
  const late = crashedGame({ registers: { $rip: BASE + 0x8004n, $rsp: 0n } })
  assert.equal(
    analyzeDump(late, { [DEBUG_ID]: path }).analysis.frames[0]!.function,
    'after the long line',
  )
  assert.equal(analyzeDump(dump, { [DEBUG_ID]: path }).analysis.frames.length, 4)
  // Names that cannot be stored, and a file that cannot be read.
  writeFileSync(path, SYMBOLS.replace('World::explode(int)', `a\0b\x07${'x'.repeat(507)}😀`))
  assert.equal(
    analyzeDump(dump, { [DEBUG_ID]: path }).analysis.frames[0]!.function,
    `ab${'x'.repeat(507)}`,
  )
  const none = analyzeDump(dump, { [DEBUG_ID]: `${path}.gone` })
  assert.deepEqual([none.missing_symbols, none.analysis.modules[0]!.symbols], [true, false])
})
