import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type CodeBlock, codeBlocks } from '../../docs/code-blocks.ts'
import { temporaryFolder } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { read, root } from './deploy-files.ts'

/** Records a call of a command that changes the machine instead of running it. */
const recorded = ['useradd', 'usermod', 'systemctl', 'curl', 'npm', 'node', 'apt-get'].map(
  (name) => `${name}() { echo "${name} $*" >> "$RECORD"; }`,
)
const isRunHere = ({ mark = '' }: CodeBlock) =>
  mark.startsWith('run by test/system/deploy/guides.test.ts')

test('the guides install, put behind nginx and upgrade the service', (t) => {
  const folder = temporaryFolder(t)
  for (const path of ['srv', 'usr/local/sbin', 'etc/systemd/system'])
    mkdirSync(join(folder, path), { recursive: true })
  for (const path of ['etc/nginx/conf.d', 'etc/nginx/sites-enabled'])
    mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'etc/nginx/sites-enabled/default'), 'server { listen 80; }')
  const commands = [
    ...codeBlocks('docs/scaling.md').filter(isRunHere),
    ...codeBlocks('docs/backup.md').filter(isRunHere),
    ...codeBlocks('docs/upgrading.md').filter(isRunHere),
  ].map(({ body }) => body)
  assert.equal(commands.length, 4)
  const script = [
    ...recorded,
    'git() {',
    '  echo "git $1 in $PWD" >> "$RECORD"',
    `  [ "$1" = pull ] || { mkdir "$3" && cp -r ${root}/deploy "$3"; }`,
    '}',
    ...commands.map((block) => block.replaceAll(/ (\/(?:srv|etc|usr)\/)/g, ` ${folder}$1`)),
  ].join('\n')
  const { status, stderr } = spawnSync('bash', ['-euc', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, RECORD: join(folder, 'record') },
  })
  assert.equal(status, 0, stderr)
  const record = readFileSync(join(folder, 'record'), 'utf8').split('\n')
  assert.ok(
    record.indexOf('npm ci --omit=dev') < record.indexOf('systemctl enable --now slipway'),
    'the packages are installed before the service starts, which cannot install them',
  )
  assert.ok(record.includes('node patches/apply.mjs') && record.includes('node bundle.mjs'))
  assert.deepEqual(record.slice(record.indexOf('systemctl stop slipway')), [
    'systemctl stop slipway',
    `git pull in ${folder}/srv/slipway`,
    'npm ci --omit=dev',
    'node patches/apply.mjs',
    'node bundle.mjs',
    'systemctl start slipway',
    '',
  ])
  for (const name of ['slipway.service', 'slipway-backup.service', 'slipway-backup.timer'])
    assert.equal(
      readFileSync(join(folder, 'etc/systemd/system', name), 'utf8'),
      read(`deploy/${name}`),
    )
  assert.ok(statSync(join(folder, 'usr/local/sbin/slipway-admin')).mode & 0o100)
  assert.ok(!existsSync(join(folder, 'etc/nginx/sites-enabled/default')))
  const servers = readFileSync(join(folder, 'etc/nginx/conf.d/slipway.conf'), 'utf8').match(
    /^ +server .*?:\d+/gm,
  )
  assert.deepEqual(servers, Array(4).fill('  server 127.0.0.1:8080'))
})

test('without packages, a service that cannot write its folder says how to install them', (t) => {
  const folder = temporaryFolder(t)
  for (const name of ['run.mjs', 'bundle.mjs', 'patches', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  // Root may write everywhere, so the command runs as an account that owns nothing here.
  const is_root = process.getuid?.() === 0
  if (is_root) chmodSync(folder, 0o755)
  else chmodSync(folder, 0o555)
  cleanup(t, () => chmodSync(folder, 0o755))
  const { status, stderr } = spawnSync(process.execPath, ['run.mjs', 'start'], {
    cwd: folder,
    encoding: 'utf8',
    ...(is_root && { uid: 65534, gid: 65534 }),
  })
  assert.equal(status, 1, stderr)
  assert.match(stderr, /cannot write to .*run: npm ci --omit=dev && node patches\/apply.mjs/)
})
