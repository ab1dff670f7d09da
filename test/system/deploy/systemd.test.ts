import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'
import { read } from './deploy-files.ts'

test('systemd never gives the service up while its database is away', () => {
  const [unit] = read('deploy/slipway.service').split('[Service]')
  assert.match(unit!, /^StartLimitIntervalSec=0$/m)
})

test('systemd accepts the units', (t) => {
  if (!existsSync('/usr/bin/systemd-analyze')) return t.skip('systemd-analyze is not installed')
  const folder = temporaryFolder(t)
  const paths = ['slipway.service', 'slipway-backup.service', 'slipway-backup.timer'].map(
    (name) => {
      const path = join(folder, name)
      writeFileSync(path, read(`deploy/${name}`).replace('/usr/bin/node', process.execPath))
      return path
    },
  )
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    encoding: 'utf8',
  })
  assert.doesNotMatch(stderr, /slipway[\w.-]*:\d+|Unknown|Failed to parse|bad|invalid/i, stderr)
})
