import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { moveTo } from '../../../cli/client/actions.ts'
import { inParallel } from '../../../cli/client/disk.ts'
import { planParts } from '../../../cli/client/remote-zip.ts'
import { checkSpace } from '../../../cli/client/stage/space.ts'
import type { StoreApi } from '../../../cli/client/store-api.ts'
import { ApiError, exits, NetworkError } from '../../../cli/errors.ts'
import { MIB } from '../../../src/core/runtime/units.ts'
import type { ZipEntry } from '../../../src/uploads/zip/directory.ts'
import { temporaryFolder } from '../../support/app.ts'
import {
  expectedTree,
  type Release,
  releaseOf,
  storedFile,
  storeOf,
  wantedGame,
} from '../../updates/patches/releases.ts'
import { treeOf } from './fixtures.ts'

const LARGE = 10 * MIB
/** The directory of the zip, which is read first, is at its end. */
const DIRECTORY = LARGE - MIB
const stored = (name: string, size: number) => storedFile(name, randomBytes(size))

type Range = StoreApi['range']

/** Installs a release into a folder, from a store whose files are read in this way. */
async function install(folder: string, release: Release, change: (range: Range) => Range) {
  const { api } = storeOf(release)
  const starts: number[] = []
  const range = change(api.range)
  const counted: StoreApi = {
    ...api,
    settings: { ...api.settings, retry_seconds: 0 },
    range: async (url, start, end) => {
      starts.push(start)
      return range(url, start, end)
    },
  }
  const target = { api: counted, folder, games: join(folder, 'games') }
  return { starts, done: moveTo(target, wantedGame, release.uid) }
}

const asIs = (range: Range) => range
const errors: Record<string, { error: () => Error; exit_code: number }> = {
  'a network that is away': {
    error: () => new NetworkError('unreachable'),
    exit_code: exits.network,
  },
  'a connection that breaks': {
    error: () => Object.assign(new Error('aborted'), { code: 'ECONNRESET' }),
    exit_code: exits.network,
  },
  'a server that is busy': {
    error: () => new ApiError({ status: 503, message: 'busy' }),
    exit_code: exits.refused,
  },
}

for (const [name, { error, exit_code }] of Object.entries(errors))
  test(`a large download is continued after ${name} for longer than it retries`, async (t) => {
    const folder = temporaryFolder(t)
    const release = releaseOf([stored('large.pak', LARGE)])
    const first = await install(folder, release, (range) => async (url, start, end) => {
      if (start > DIRECTORY) return range(url, start, end)
      if (start > MIB) throw error()
      const bytes = await range(url, start, end)
      return Readable.from(
        (async function* () {
          yield (await bytes.toArray())[0].subarray(0, 2 * MIB)
          throw error()
        })(),
      )
    })
    await assert.rejects(first.done, (failure: { exit_code?: number }) => {
      assert.equal(failure.exit_code, exit_code)
      return true
    })
    const second = await install(folder, release, asIs)
    const { install: installed } = await second.done
    assert.equal(
      second.starts.filter((start) => start < DIRECTORY).join(),
      String(2 * MIB),
      'the bytes of the first run were read again',
    )
    assert.deepEqual(treeOf(join(folder, 'versions', installed.current)), expectedTree(release))
  })

test('a download whose first bytes were lost in a power cut is read again', async (t) => {
  const folder = temporaryFolder(t)
  const release = releaseOf([stored('large.pak', LARGE)])
  const first = await install(folder, release, (range) => async (url, start, end) => {
    if (start > DIRECTORY) return range(url, start, end)
    throw new NetworkError('unreachable')
  })
  await assert.rejects(first.done)
  const parts = join(folder, 'versions', `${release.uid}.parts.new`)
  const [spool] = readdirSync(parts)
  // The size is there, and the bytes are not.
  truncateSync(join(parts, spool!), 0)
  truncateSync(join(parts, spool!), 5 * MIB)
  const second = await install(folder, release, asIs)
  const { install: installed } = await second.done
  assert.deepEqual(treeOf(join(folder, 'versions', installed.current)), expectedTree(release))
})

test('files with the same contents are never one file on the disk', async (t) => {
  const folder = temporaryFolder(t)
  const twins = ['slot1', 'slot2', 'slot3'].map((name) => ({
    ...stored(name, 0),
    body: Buffer.from('empty slot'),
  }))
  const versions = [1, 2, 3].map((n) => releaseOf([stored(`game-${n}`, 10), ...twins]))
  const trees: string[] = []
  for (const release of versions) {
    const { done } = await install(folder, release, asIs)
    trees.push(join(folder, 'versions', (await done).install.current))
  }
  const [, second, third] = trees
  const inodes = ['slot1', 'slot2', 'slot3'].map((name) => statSync(join(third!, name)).ino)
  assert.equal(new Set(inodes).size, 3)
  // Files that did not change are those of the version before.
  assert.deepEqual(
    ['slot1', 'slot2', 'slot3'].map((name) => statSync(join(second!, name)).ino),
    inodes,
  )
  // A player who has changed one of them loses nothing, and the others are not downloaded.
  writeFileSync(join(third!, 'slot3'), 'level 3')
  const fourth = releaseOf([stored('game-4', 10), ...twins])
  const { done } = await install(folder, fourth, asIs)
  const { downloaded, kept_aside, install: installed } = await done
  assert.ok(downloaded < 1000, `${downloaded} bytes`)
  assert.equal(kept_aside.length, 1)
  const tree = treeOf(join(folder, 'versions', installed.current))
  assert.deepEqual(
    [tree['slot1'], tree['slot2'], tree['slot3'], tree[kept_aside[0]!]],
    ['644 empty slot', '644 empty slot', '644 empty slot', '644 level 3'],
  )
})

test('what a game writes while its update is downloaded goes along', async (t) => {
  const folder = temporaryFolder(t)
  const first = await (await install(folder, releaseOf([stored('game-1', 10)]), asIs)).done
  const old_tree = join(folder, 'versions', first.install.current)
  for (const name of ['slot1', 'gone']) writeFileSync(join(old_tree, name), 'level 1')
  const release = releaseOf([stored('game-2', 10)])
  const { done } = await install(folder, release, (range) => async (url, start, end) => {
    writeFileSync(join(old_tree, 'slot1'), 'level 2')
    writeFileSync(join(old_tree, 'slot2'), 'level 2')
    rmSync(join(old_tree, 'gone'), { force: true })
    return range(url, start, end)
  })
  const { kept_aside, install: installed } = await done
  assert.deepEqual(kept_aside, [])
  assert.deepEqual(treeOf(join(folder, 'versions', installed.current)), {
    ...expectedTree(release),
    slot1: '644 level 2',
    slot2: '644 level 2',
  })
})

test('a file of the game that it changes during its update is not taken for the original', async (t) => {
  const folder = temporaryFolder(t)
  const config = { ...stored('config', 0), body: Buffer.from('sound on') }
  const versions = [1, 2, 3].map((n) => releaseOf([stored(`game-${n}`, 10), config]))
  const first = await (await install(folder, versions[0]!, asIs)).done
  const path = join(folder, 'versions', first.install.current, 'config')
  await (
    await install(folder, versions[1]!, (range) => async (url, start, end) => {
      writeFileSync(path, 'sound no')
      return range(url, start, end)
    })
  ).done
  const third = await (await install(folder, versions[2]!, asIs)).done
  const tree = treeOf(join(folder, 'versions', third.install.current))
  assert.equal(tree['config'], '644 sound on')
  // What the game wrote is beside it.
  assert.ok(Object.values(tree).includes('644 sound no'))
})

test('a small part of the zip that is a large file is not unpacked in memory', () => {
  const isLarge = (size: number) => {
    const entry = { path: 'zeros', offset: 0, compressed: 1000, size, method: 8 } as ZipEntry
    return planParts([entry], [entry], 2000)[0]!.is_large
  }
  assert.deepEqual([isLarge(64 * MIB), isLarge(64 * MIB + 1)], [false, true])
})

test('what an earlier run has downloaded needs no room again', async (t) => {
  const tree = temporaryFolder(t)
  const huge = 2 ** 50
  const missing = [{ path: 'a', size: 100, mode: 0o644, sha256: '' }]
  const nothing = { missing, reused: [], carried: [], patch_size: 0, spooled: 0 }
  await checkSpace(tree, nothing)
  await assert.rejects(checkSpace(tree, { ...nothing, patch_size: huge }), /free/)
  await checkSpace(tree, { ...nothing, patch_size: huge, spooled: huge })
  // It makes no room for the files themselves.
  const files = [{ path: 'a', size: huge, mode: 0o644, sha256: '' }]
  await assert.rejects(checkSpace(tree, { ...nothing, missing: files, spooled: 4 * huge }), /free/)
})

test('a failure is thrown when all tasks have ended, and none begins after it', async () => {
  const events: string[] = []
  const run = async (name: string, signal: AbortSignal) => {
    events.push(`begin ${name}`)
    if (name === 'bad') throw new Error('first')
    while (!signal.aborted) await turn()
    events.push(`end ${name}`)
    throw new Error('later')
  }
  await assert.rejects(inParallel(['a', 'b', 'bad', 'never'], 3, run), /^Error: first$/)
  assert.deepEqual(events.sort(), ['begin a', 'begin b', 'begin bad', 'end a', 'end b'])
})
