import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { launchBand, MIN_DEVICES } from '../../src/telemetry/health/bands.ts'
import { programsOf } from '../docs/code-blocks.ts'
import { temporaryFolder } from '../support/app.ts'
import { runProgram } from '../support/run-program.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { crashedGame } from './dumps.ts'
import { startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

const run = runProgram
const text = readFileSync(join(import.meta.dirname, '../../docs/telemetry.md'), 'utf8')

/**
 * Extracts a program of the guide and fills in URL and ids. `names` returns the events that
 * arrived.
 */
async function page(t: TestContext) {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const build = await app.build(listing)
  const folder = temporaryFolder(t)
  const write = (name: string, language: string, nth = 0, more = '') => {
    const filled = programsOf('docs/telemetry.md', language)
      .at(nth)!
      .replaceAll('https://store.example', app.url)
      .replaceAll('YOUR_GAME_UID', build.game_uid)
      .replaceAll('YOUR_BUILD_ID', build.build_id)
    writeFileSync(join(folder, name), filled + more)
    return join(folder, name)
  }
  // Events with the same time may be stored in either order.
  const names = async () =>
    (await app.stored())
      .filter(({ build_uid }) => build_uid === build.build_id)
      .map(({ event }) => event as string)
      .sort()
  return { ...app, listing, ...build, folder, write, names }
}

test('the shell example sends events and a crash report with its files', async (t) => {
  if (!needs(t, 'curl')) return
  const { write, names, folder, sql, build_id } = await page(t)
  const events = write('events.sh', 'sh')
  for (let times = 0; times < 2; times++)
    assert.match((await run('sh', ['-e', events], { cwd: folder })).stdout, /"accepted":2/)
  assert.deepEqual(await names(), ['boot_ok', 'boot_ok', 'session_start', 'session_start'])
  assert.equal((await sql`select from build_devices where build_uid = ${build_id}`).length, 1)
  writeFileSync(join(folder, 'game.dmp'), crashedGame())
  writeFileSync(join(folder, 'game.log'), 'the last words')
  const crash = write('crash.sh', 'sh', 1)
  for (let times = 0; times < 2; times++) await run('sh', ['-e', crash], { cwd: folder })
  const crashes =
    await sql`select dump_size, log_size, user_message, metadata from crashes where build_uid = ${build_id}`
  const expected = {
    dump_size: crashedGame().length,
    log_size: 14,
    user_message: 'It stopped when I opened the door',
    metadata: { level: 'cellar' },
  }
  assert.deepEqual(
    crashes.map((row) => ({ ...row })),
    [expected, expected],
  )
})

// Debian packages Godot 3 only, so this is tested where somebody has installed Godot 4.
const has_godot4 = spawnSync('godot4', ['--version']).status === 0
if (has_godot4)
  test('the GDScript example for Godot 4 sends events', async (t) => {
    const { write, names, folder } = await page(t)
    write('telemetry.gd', 'gdscript', 1)
    writeFileSync(join(folder, 'project.godot'), 'config_version=5\n')
    const main = `extends SceneTree
func _initialize():
\tvar telemetry = load("res://telemetry.gd").new()
\ttelemetry.answered.connect(_on_answer)
\tget_root().add_child.call_deferred(telemetry)
func _on_answer(code):
\tprint("answered ", code)
\tquit()
`
    writeFileSync(join(folder, 'main.gd'), main)
    const { stdout } = await run('godot4', ['--headless', '--path', folder, '-s', 'main.gd'], {
      env: { ...process.env, HOME: folder },
    })
    assert.match(stdout, /answered 202/)
    assert.deepEqual(await names(), ['boot_ok', 'session_start'])
  })

test('the GDScript example sends events', async (t) => {
  if (!needs(t, 'godot3-server')) return
  const { write, names, folder } = await page(t)
  write('telemetry.gd', 'gdscript')
  writeFileSync(join(folder, 'project.godot'), 'config_version=4\n')
  const main = `extends SceneTree
func _init():
\tvar telemetry = load("res://telemetry.gd").new()
\ttelemetry.connect("answered", self, "_on_answer")
\tget_root().call_deferred("add_child", telemetry)
func _on_answer(code):
\tprint("answered ", code)
\tquit()
`
  writeFileSync(join(folder, 'main.gd'), main)
  const { stdout } = await run('godot3-server', ['--path', folder, '-s', 'main.gd'], {
    env: { ...process.env, HOME: folder },
    timeout: 60_000,
  })
  assert.match(stdout, /answered 202/)
  assert.deepEqual(await names(), ['boot_ok', 'session_start'])
})

test('the C# example sends events and keeps them while the service is unreachable', async (t) => {
  if (!needs(t, 'mcs')) return
  const { write, names } = await page(t)
  const main = `
public static class Program
{
    public static void Main()
    {
        Telemetry.Add("boot_ok", "device", "\\"ms\\": 1840");
        Telemetry.Add("level_up", "device", "\\"metadata\\": {\\"level\\": 3}");
        System.Console.WriteLine(Telemetry.Flush());
        // A refused event is dropped and does not block the next one.
        Telemetry.Add("session_end", "device", "\\"seconds\\": -1");
        System.Console.WriteLine(Telemetry.Flush());
        Telemetry.Add("quit", "device");
        System.Console.WriteLine(Telemetry.Flush());
    }
}
`
  const path = write('events.cs', 'csharp', 0, main)
  await run('mcs', ['-nologo', '-warn:0', `-out:${path}.exe`, path])
  const output = async () => (await run('mono', [`${path}.exe`])).stdout.trim().split(/\s+/)
  assert.deepEqual(await output(), ['True', 'False', 'True'])
  // A repeated run sends its events again, with ids of their own.
  assert.deepEqual([...new Set(await names())], ['boot_ok', 'level_up', 'quit'])
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/http:\/\/127\.0\.0\.1:\d+/, 'http://127.0.0.1:1'),
  )
  await run('mcs', ['-nologo', '-warn:0', `-out:${path}.exe`, path])
  assert.deepEqual(await output(), ['False', 'False', 'False'])
})

test('the C++ example sends events', async (t) => {
  if (!needs(t, 'curl-config') || !needs(t, 'g++')) return
  const { write, names } = await page(t)
  const event = { event: 'boot_ok', device_uid: 'd', event_id: 'e', ms: 1840 }
  const literal = JSON.stringify(JSON.stringify(event))
  const main = `\nint main() { return send_events(${literal}) ? 0 : 1; }\n`
  const path = write('events.cpp', 'cpp', 0, main)
  await run('g++', ['-std=c++17', '-Wall', '-Werror', path, '-o', `${path}.run`, '-lcurl'])
  await run(`${path}.run`, [])
  assert.deepEqual(await names(), ['boot_ok'])
})

test('the guide lists every error code of event and crash routes', () => {
  for (const code of [4000, 4025, 4130, 4158, 4290, 5031])
    assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'))
})

test('the guide states the thresholds of the launch-health bands', () => {
  assert.match(text, new RegExp(`\\b${MIN_DEVICES} devices`))
  const rows = [...text.matchAll(/^\| (\w+) \| at least (\d+) ?% \| at most (\d+) ?% \|/gm)]
  assert.deepEqual(
    rows.map(([, band]) => band),
    ['excellent', 'healthy', 'mixed'],
  )
  for (const [, band, started, crashed] of rows) {
    const boot_ok = Number(started)
    const crash_on_boot = Number(crashed)
    const rated = (launches: object) =>
      launchBand({ devices: 100, boot_ok, crash_on_boot, ...launches }) === band
    assert.ok(rated({}), band)
    assert.ok(!rated({ boot_ok: boot_ok - 1 }), `${band}: fewer devices started it`)
    assert.ok(!rated({ crash_on_boot: crash_on_boot + 1 }), `${band}: more devices crashed`)
  }
})
