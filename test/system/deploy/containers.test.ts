import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { eventually, startApp, temporaryFolder } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { freePort } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { isReachable } from '../../support/daemon.ts'
import { adaptedHttp } from '../../support/programs/nginx.ts'
import { needs } from '../../support/system-packages.ts'
import { zip } from '../../uploads/zips.ts'

const deploy = join(import.meta.dirname, '../../../deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')

/**
 * A script that sees accounts and a /var/lib of its own, like in a container, and otherwise this
 * machine. `$0` is its folder.
 */
const container = (script: string) => `
  set -e
  mkdir --parents "$0/etc"
  for name in passwd group shadow gshadow login.defs nsswitch.conf; do
    cp --preserve "/etc/$name" "$0/etc/"
  done
  mount --bind "$0/etc" /etc
  mount -t tmpfs none /var/lib
  ${script}`
const enter = (folder: string, script: string) => ['--mount', 'sh', '-c', container(script), folder]

const canEnter = (t: TestContext) => {
  const { status } = spawnSync('unshare', ['--mount', 'true'])
  if (status !== 0) t.skip('needs mount namespaces')
  return status === 0
}

/** The owner and mode of DATA_DIR in the image of the service: its ids, and its permissions. */
function dataFolderOfImage(t: TestContext): { uid: string; gid: string; mode: string } {
  const [, accounts] = /^RUN ([^\n]*(?:useradd|groupadd)(?:.*\\\n)*.*)$/m.exec(
    read('Containerfile'),
  )!
  const script = `(${accounts}) >&2; stat --format '%u %g %a' /var/lib/slipway`
  const { stdout, stderr } = spawnSync('unshare', enter(temporaryFolder(t), script), {
    encoding: 'utf8',
  })
  const [uid, gid, mode] = stdout.trim().split(' ')
  assert.ok(uid && gid && mode, stderr)
  return { uid, gid, mode }
}

test('the nginx of the compose file sends files that only the group of the service reads', async (t) => {
  if (!needs(t, 'nginx') || !canEnter(t)) return
  const port = await freePort()
  const app = await startApp(t, {
    ACCEL_PREFIX: '/_objects/',
    BASE_URL: `http://127.0.0.1:${port}`,
    PROXY_HOPS: '1',
  })
  const bytes = zip([{ name: 'game', body: 'play'.repeat(1000) }])
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { file_uid } = await app.a.cleanBuild(game, { bytes })
  await app.sql`update listings set visibility = 'public', anonymous_downloads = true`
  const { uid, gid, mode } = dataFolderOfImage(t)
  spawnSync('chown', ['--recursive', `${uid}:${gid}`, app.data_dir])
  spawnSync('chmod', [mode, app.data_dir])

  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const { port: app_port } = new URL(app.url)
  const http = adaptedHttp(folder, port, { api: [app_port], web: [app_port], upload: [app_port] })
  // The beginning is that of the file in nginx's own image.
  const main = `user nginx; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;`
  writeFileSync(join(folder, 'nginx.conf'), `${main} events {} ${http}`)
  const { command = ['nginx', '-g', 'daemon off;'] } = parse(read('compose.yaml')).services.nginx
  const script = `
    groupadd --gid 20101 nginx
    useradd --uid 20101 --gid nginx nginx
    mkdir /etc/nginx /var/lib/slipway
    cp "$0/nginx.conf" /etc/nginx/
    mount --bind "${app.data_dir}" /var/lib/slipway
    exec "$@"`
  const nginx = spawn('unshare', [...enter(folder, script), ...command], { stdio: 'inherit' })
  cleanup(t, () => nginx.kill('SIGTERM'))
  await eventually('nginx', () => isReachable(`http://127.0.0.1:${port}/health`))

  const { url } = must(await app.get(`/api/v1/public/downloads/${file_uid}`))
  const download = await fetch(url)
  assert.equal(download.status, 200)
  assert.deepEqual(Buffer.from(await download.arrayBuffer()), bytes)
})
