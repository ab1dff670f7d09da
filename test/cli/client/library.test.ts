import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'
import { sharedInFile } from '../../support/shared.ts'
import { zip } from '../../uploads/zips.ts'
import { type Options, slipway } from '../slipway.ts'
import { gameFiles, startStore } from './fixtures.ts'
import { startMiddle } from './middle.ts'

const sharedStore = sharedInFile((t) => startStore(t))

/** The game of the store, installed in so many folders. */
async function startLibrary(t: TestContext, count: number) {
  const store = await sharedStore()
  const place = temporaryFolder(t)
  const env = { ...store.env, SLIPWAY_GAMES: join(place, 'games') }
  const run = (args: string[], options: Options = {}) =>
    slipway(args, { ...options, env: { ...env, ...options.env } })
  const folders = Array.from({ length: count }, (_, n) => join(place, `game-${n}`))
  for (const folder of folders) {
    const platform = ['--os', 'linux', '--arch', 'x86_64']
    const { code, stderr } = await run(['install', store.name, '--dir', folder, ...platform])
    assert.equal(code, 0, stderr)
  }
  const change = (folder: string, fields: object) => {
    const record = join(folder, 'install.json')
    writeFileSync(
      record,
      JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), ...fields }),
    )
  }
  return { store, run, folders, change, place }
}

test('games that cannot be updated do not keep others back', async (t) => {
  const { store, run, folders, change } = await startLibrary(t, 5)
  const [damaged, gone, unreachable, unwritable, good] = folders as [string, ...string[]]
  writeFileSync(join(damaged, 'install.json'), '{')
  rmSync(gone!, { recursive: true })
  change(unreachable!, { store: 'http://127.0.0.1:9/api/v1', name: 'other/game' })
  // A file where a folder is expected is an error that nobody foresaw.
  rmSync(join(unwritable!, 'versions'), { recursive: true })
  writeFileSync(join(unwritable!, 'versions'), '')
  await store.a.cleanBuild(store.game, { version: '2.0' })

  const { code, json, stdout } = await run(['update', '--all', '--json'])
  assert.equal(code, 5, stdout)
  const byFolder = Object.fromEntries(json.games.map((game: any) => [game.folder, game]))
  assert.deepEqual(
    folders.map((folder) => byFolder[folder].ok),
    [false, false, false, false, true],
  )
  assert.deepEqual([byFolder[good!].version, byFolder[good!].updated], ['2.0', true])
  assert.deepEqual(
    [damaged, gone, unreachable].map((folder) => byFolder[folder!].exit_code),
    [5, 5, 3],
  )
  const again = await run(['update', '--all'])
  assert.equal(again.code, 5)
  assert.match(again.stdout, /other\/game: 127\.0\.0\.1:9: the connection was refused/)
  assert.match(again.stdout, /\n0 updated, 1 up to date, 4 failed\.\n$/)
})

test('entries of the library that cannot be read are named and skipped', async (t) => {
  const { store, run, folders } = await startLibrary(t, 3)
  const [damaged, gone, good] = folders as [string, string, string]
  writeFileSync(join(damaged, 'install.json'), '{')
  rmSync(gone, { recursive: true })

  const listed = await run(['list', '--json'])
  assert.equal(listed.code, 0, listed.stdout)
  const foldersOf = (entries: any[]) => entries.map(({ folder }) => folder)
  assert.deepEqual(foldersOf(listed.json.games), [good])
  assert.deepEqual(foldersOf(listed.json.unreadable), [damaged, gone])
  assert.ok(listed.stderr.includes(damaged), listed.stderr)
  const verified = await run(['verify', store.name])
  assert.equal(verified.code, 0, verified.stderr)

  for (const folder of [damaged, gone]) {
    const forgotten = await run(['uninstall', folder])
    assert.equal(forgotten.code, 0, forgotten.stderr)
  }
  assert.deepEqual((await run(['list', '--json'])).json.unreadable, [])
  assert.ok(existsSync(join(damaged, 'versions')), 'nothing else is removed')
})

test('a name that several games have is refused with the folders to choose from', async (t) => {
  const { store, run, folders, change, place } = await startLibrary(t, 2)
  const [first, second] = folders as [string, string]
  const refused = await run(['verify', store.name])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /several games are called/)
  for (const folder of folders) assert.ok(refused.stderr.includes(folder), refused.stderr)
  assert.equal((await run(['verify', first])).code, 0)

  change(second, { store: 'http://127.0.0.1:9/api/v1' })
  const { url } = await startMiddle(t, store.url, {})
  change(first, { store: url })
  const by_address = await run(['rollback', `${new URL(url).origin}/${store.name}`, '--json'])
  assert.match(by_address.json.error, /no earlier version/, 'the address names the store too')
  assert.deepEqual(readdirSync(place), ['game-0', 'game-1', 'games'])
})

test('with --json, each error is an event on standard error too', async (t) => {
  const { run, folders, store } = await startLibrary(t, 1)
  const eventsOf = (stderr: string) =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  const missing = await run(['verify', 'nobody/nothing', '--json'])
  const { ok, ...failure } = missing.json
  assert.equal(ok, false)
  assert.deepEqual(eventsOf(missing.stderr), [{ event: 'error', ...failure }])

  writeFileSync(join(folders[0]!, 'install.json'), '{')
  const updated = await run(['update', '--all', '--json'])
  const [game] = updated.json.games
  assert.deepEqual(eventsOf(updated.stderr), [
    { event: 'error', folder: folders[0], exit_code: 5, error: game.error, hint: game.hint },
  ])
  assert.deepEqual(eventsOf((await run(['verify', store.name])).stderr), [])
})

test('with --json, progress is events on standard error, and the result is one object', async (t) => {
  const { run, folders, store } = await startLibrary(t, 1)
  const size = 9_000_000
  const bytes = zip([...gameFiles, { name: 'data.pak', body: randomBytes(size), method: 0 }])
  await store.a.cleanBuild(store.game, { bytes, version: '4.0' })
  const eventsOf = (stderr: string) => {
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
    const events = lines.map((line) => JSON.parse(line))
    for (const { event, label, done, total, bytes_per_second, seconds_left } of events) {
      assert.deepEqual([event, typeof label], ['progress', 'string'])
      assert.ok(done >= 0 && done <= total, `${done} of ${total}`)
      assert.equal(bytes_per_second === null, seconds_left === null)
    }
    return events
  }
  const updated = await run(['update', folders[0]!, '--json'])
  assert.deepEqual([updated.code, updated.json.games[0].updated], [0, true], updated.stdout)
  const downloads = eventsOf(updated.stderr)
  assert.ok(downloads.at(-1).total >= size)
  assert.equal(downloads.at(-1).done, downloads.at(-1).total)
  // They are not sent for every block.
  assert.ok(downloads.length < 100)
  const steps = downloads.map(({ label }) => label.split(' ')[0])
  const changes = steps.filter((step, index) => step !== steps[index - 1])
  assert.deepEqual(changes, ['Downloading', 'Unpacking'])
  const verified = await run(['verify', folders[0]!, '--json'])
  assert.ok(eventsOf(verified.stderr).at(-1).done > size)
  // People get none.
  assert.doesNotMatch((await run(['verify', folders[0]!])).stderr, /progress/)
})

test('a game that is removed while others are updated stays removed', async (t) => {
  const { store, run, folders, change } = await startLibrary(t, 2)
  const [first, second] = folders as [string, string]
  let was_removed = false
  const middle = await startMiddle(t, store.url, {
    before: async (path) => {
      if (was_removed || !path.includes('/manifest')) return
      was_removed = true
      const removed = await run(['uninstall', second])
      assert.equal(removed.code, 0, removed.stderr)
      // It would move the game back after the update.
      const repaired = await run(['repair', first])
      assert.deepEqual([repaired.code, /is working on/.test(repaired.stderr)], [1, true])
    },
  })
  change(first, { store: middle.url })
  await store.a.cleanBuild(store.game, { version: '5.0' })
  const { code, json, stdout } = await run(['update', '--all', '--json'])
  assert.equal(code, 0, stdout)
  assert.ok(was_removed)
  assert.deepEqual(
    json.games.map(({ folder, updated }: any) => [folder, updated]),
    [[first, true]],
  )
  assert.ok(!existsSync(second))
  const { games } = (await run(['list', '--json'])).json
  assert.deepEqual(
    games.map(({ folder }: any) => folder),
    [first],
  )
})
