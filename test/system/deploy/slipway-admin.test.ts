import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { adminFile } from '../../support/admin-run.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'

const root = join(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

/** The lines of the section Service that are settings. */
const serviceSettings = (unit: string) =>
  read(`deploy/${unit}`)
    .replace(/^[\s\S]*^\[Service\]$/m, '')
    .replace(/^\[Install\]$[\s\S]*/m, '')
    .match(/^\w+=.*$/gm)!

/** What a unit that runs a command has in common with that of the service. */
const isShared = (setting: string) =>
  !/^(Type|ExecStart|Restart|RestartSec|KillMode|TimeoutStopSec)=/.test(setting)

test('backups and admin commands run like the service', () => {
  const shared = serviceSettings('slipway.service').filter(isShared)
  const backup = serviceSettings('slipway-backup.service')
  assert.deepEqual(
    shared.filter((setting) => !backup.includes(setting)),
    [],
  )
  const command = read('deploy/slipway-admin')
  for (const name of ['User', 'Group', 'WorkingDirectory', 'EnvironmentFile', 'UMask']) {
    const setting = shared.find((line) => line.startsWith(`${name}=`))!
    assert.ok(command.includes(` --property=${setting} `), setting)
  }
  const [, variables] = /^Environment=(.*)$/m.exec(shared.join('\n'))!
  for (const variable of variables!.split(' '))
    assert.ok(command.includes(` --setenv=${variable} `), variable)
})

/** Does what the options of systemd-run say, except for the user, without systemd. */
const systemdRun = `#!/bin/sh
while :; do
  case "$1" in
    --property=WorkingDirectory=*) cd "\${1#--property=WorkingDirectory=}" ;;
    --property=EnvironmentFile=-*)
      while IFS= read -r line; do export "$line"; done < "\${1#--property=EnvironmentFile=-}" ;;
    --setenv=*) export "\${1#--setenv=}" ;;
    --*) ;;
    *) exec "$@" ;;
  esac
  shift
done
`

test('slipway-admin runs commands with the settings of the service, on a machine and in the image', async (t) => {
  const app = await startApp(t)
  const { username } = await app.a.verified()
  const folder = temporaryFolder(t)
  const { DATA_DIR, ...settings } = app.settings
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  writeFileSync(join(folder, 'slipway.env'), `${lines.join('\n')}\n`)
  writeFileSync(join(folder, 'systemd-run'), systemdRun, { mode: 0o755 })
  writeFileSync(
    join(folder, 'on-machine'),
    read('deploy/slipway-admin')
      .replace('/srv/slipway', root)
      .replace('/etc/slipway', folder)
      .replace('/var/lib/slipway', DATA_DIR!)
      .replace('/usr/bin/node', process.execPath),
    { mode: 0o755 },
  )
  const [, install] = /^RUN (printf (?:.*\\\n)*.*)$/m.exec(read('deploy/Containerfile'))!
  const installed = install!
    .replaceAll('/usr/local/bin/slipway-admin', join(folder, 'in-image'))
    .replace('/srv/slipway/bundles/admin.mjs', await adminFile())
  assert.equal(spawnSync('sh', ['-c', installed]).status, 0)
  const path = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`
  for (const [name, env] of [
    ['on-machine', { PATH: path }],
    ['in-image', { PATH: path, ...app.settings }],
  ] as const) {
    const run = (...args: string[]) =>
      spawnSync(join(folder, name), args, { encoding: 'utf8', env, cwd: '/' })
    const listed = run('people', 'list', username)
    assert.equal(listed.status, 0, listed.stderr)
    assert.match(listed.stdout, new RegExp(username), name)
    assert.equal(run('people', 'no-such-command').status, 2, name)
  }
})
