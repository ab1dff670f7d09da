import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { DEMO_KEY, populate } from '../../sim/extstore-world.ts'
import { sharedExtstoreApp } from '../extstore/fixtures.ts'
import { client, temporaryFolder } from '../support/app.ts'
import { freePort } from '../support/child.ts'
import { picture } from '../support/images.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import type { Machine } from './shell.ts'

type Page = Machine & {
  /** Example values of the page → the values of this test. */
  values?: Record<string, string>
  /** Codes of the refusals that the page expects. */
  refusals?: number[]
  check: (output: string) => void | Promise<void>
}

const root = join(import.meta.dirname, '../..')
const npm = 'npm --prefix "$ROOT"'
const extstoreApp = sharedExtstoreApp()

/** Starts a program in the background and waits for the line that says that it is ready. */
const serve = `
serve() {
  exec 3< <("$@" 2>&1)
  while read -r line <&3; do
    echo "$line"
    case $line in ready* | 'Payments are listed'*) return ;; esac
  done
  return 1
}`

function write(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, body] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), body, { mode: 0o755 })
  }
}

/** A folder with built games and store images, and the deploy key of a project. */
async function buildMachine(t: TestContext) {
  const { a, url, get, sql } = await extstoreApp()
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const { headers } = await a.deployer(listing)
  const home = temporaryFolder(t)
  write(home, {
    'build/linux/play': '#!/bin/sh\n',
    'build/win/play.exe': 'MZ',
    'build/symbols/play.sym': `MODULE Linux x86_64 ${'A'.repeat(33)} play\n`,
    'dist/index.html': '<!doctype html>',
    'store/cover.png': await picture(1024, 576),
    'store/thumbnail.png': await picture(960, 540),
    'store/1.png': await picture(1280, 720),
    'store/2.png': await picture(1280, 720),
    'store/new.png': await picture(1280, 720),
  })
  const PATH = `${join(home, '.local/bin')}:${process.env.PATH}`
  const builds = async () => (await get('/api/v1/tool/builds', { headers })).body.data.builds
  const name = `${listing.owner.username}/${listing.vanity_name}`
  const publish = () => sql`
    update listings set visibility = 'invisible', anonymous_downloads = true
    where uid = ${listing.uid}`
  return { url, home, PATH, headers, builds, name, publish }
}

/** Serves a folder until the address is printed. */
const serveOnce = `serve_once() {
  mkdir -p build/web
  rm -f served.txt
  slipway serve "$@" > served.txt &
  until [ -s served.txt ]; do sleep 0.1; done
  kill -TERM $!
  wait $!
}`

const UID = '0198c0de-0000-7000-8000-000000000000'
const firstOf = (list: string) => `node -p 'JSON.parse(fs.readFileSync(0)).${list}'`

/** What the commands of each page need to run. */
export const preparations: Record<string, (t: TestContext) => Promise<Page>> = {
  async 'README.md'(t) {
    const cwd = temporaryFolder(t)
    const PORT = await freePort()
    const url = `http://127.0.0.1:${PORT}`
    return {
      cwd,
      env: { ROOT: root, PORT, DATA_DIR: join(cwd, '.data'), METRICS_PORT: 'off' },
      setup: serve,
      values: {
        'npm start': `serve ${npm} start`,
        'http://127.0.0.1:8080': url,
        // On a busy machine the mail may take longer.
        'sleep 2;': 'until ls .data/outbox/*.json; do sleep 0.1; done;',
      },
      refusals: [4040],
      async check(output) {
        assert.ok(output.includes(`ready ${url}\n`), output)
        assert.match(output, /the scan is clean/)
        assert.match(output, /SVC_GAMES_BUILD_ID=/)
        assert.equal((await client(url).get('/api/v1/public/games/my-game')).status, 404)
      },
    }
  },

  async 'docs/catalog-export.md'(t) {
    const { a, url, sql } = await extstoreApp()
    const cwd = temporaryFolder(t)
    const { uid } = await a.listing({ owner: await a.verifiedDeveloper() })
    await sql`update listings set visibility = 'public' where uid = ${uid}`
    return {
      cwd,
      values: { 'https://store.example': url },
      check() {
        const lines = readFileSync(join(cwd, 'catalog.ndjson'), 'utf8').trim().split('\n')
        assert.ok(
          lines.map((line) => JSON.parse(line)).some(({ uid: exported }) => exported === uid),
        )
      },
    }
  },

  async 'docs/import.md'(t) {
    const { a, url, store } = await extstoreApp()
    populate(store.world)
    return {
      cwd: temporaryFolder(t),
      env: { SLIPWAY: url, SESSION: (await a.developer()).token },
      values: { '<32 characters>': DEMO_KEY },
      check(output) {
        const { imported } = JSON.parse(output).data
        assert.ok(imported.length > 3, output)
      },
    }
  },

  async 'docs/operator.md'(t) {
    const { a, url, sql, get } = await extstoreApp()
    const operator = await a.verified()
    await sql`insert into operators (user_uid) values (${operator.uid})`
    const { key: OPERATOR_KEY } = await a.key('agent', operator, ['operator:write'])
    return {
      cwd: temporaryFolder(t),
      env: { OPERATOR_KEY },
      values: { 'https://store.example': url },
      async check(output) {
        assert.match(output, /"dead_jobs":\d/)
        const { body } = await get('/api/v1/private/operations/settings', operator)
        assert.equal(body.data.settings.store_name, 'Harbor', output)
      },
    }
  },

  async 'docs/payments.md'(t) {
    return {
      cwd: temporaryFolder(t),
      env: { ROOT: root },
      setup: serve,
      values: { 'npm run sim -- payments': `serve ${npm} run sim -- payments 0` },
      async check(output) {
        const [, url] = /STRIPE_API_URL=(\S+)/.exec(output)!
        assert.equal((await fetch(url!)).status, 200, output)
      },
    }
  },

  async 'docs/scaling.md'(t) {
    const url = new URL((await debianServer(t)).url('postgres'))
    const cwd = temporaryFolder(t)
    return {
      cwd,
      env: { PGHOST: url.searchParams.get('host')!, PGUSER: 'slipway' },
      // The superuser of the test database has the name of the example.
      values: {
        'createuser --pwprompt slipway': `printf 'a\\na\\n' | createuser --pwprompt service`,
        '--owner=slipway slipway': '--owner=service service',
        'createuser --replication': `printf 'a\\na\\n' | createuser --replication`,
        '/var/lib/postgresql/slipway': 'replica',
        // Otherwise the primary spreads its checkpoint over minutes.
        '--write-recovery-conf': '--write-recovery-conf --checkpoint=fast',
        'replicator:password@db.example/': `replicator@localhost/${url.search}`,
      },
      check() {
        const settings = readFileSync(join(cwd, 'replica/postgresql.auto.conf'), 'utf8')
        assert.match(settings, /primary_conninfo = 'user=replicator /)
      },
    }
  },

  async 'docs/sign-in.md'(t) {
    return {
      cwd: temporaryFolder(t),
      env: { ROOT: root },
      setup: serve,
      values: { 'npm run sim': `serve ${npm} run sim -- 0` },
      async check(output) {
        const [, url] = /^ready (\S+)/m.exec(output)!
        assert.ok(output.includes(`EXTSTORE_API_URL=${url} `), output)
        assert.match(await (await fetch(url!)).text(), /Ada, who owns it/)
      },
    }
  },

  async 'docs/uploader.md'(t) {
    const { url, home, PATH, headers, builds } = await buildMachine(t)
    return {
      cwd: home,
      env: { PATH },
      setup: serveOnce,
      values: {
        'slipway serve': 'serve_once',
        'https://games.example.com': url,
        'svc_dat_...': headers['x-access-token']!,
        'svc_dsk_...': headers['x-secret-key']!,
      },
      async check(output) {
        assert.match(output, /the scan is clean/)
        assert.deepEqual(
          (await builds()).map(({ version, os }: any) => [version, os]),
          [['1.0.0', 'linux']],
        )
      },
    }
  },

  async 'docs/uploader-commands.md'(t) {
    const { url, home, PATH, headers, builds, name, publish } = await buildMachine(t)
    mkdirSync(join(home, '.config/fish/completions'), { recursive: true })
    await publish()
    return {
      cwd: home,
      env: {
        PATH,
        SVC_ACCESS_TOKEN: headers['x-access-token']!,
        SVC_SECRET_KEY: headers['x-secret-key']!,
      },
      setup: `mkdir -p ~/.local/bin
curl -fsSLo ~/.local/bin/slipway ${url}/cli/slipway.mjs
chmod +x ~/.local/bin/slipway
${serveOnce}
install() { slipway install "$@" --os linux --arch x86_64; }`,
      values: {
        'slipway serve': 'serve_once',
        'slipway install': 'install',
        'saltworks/harbor': name,
        [`slipway status ${UID}`]: `
SVC_GAMES_BUILD_ID=$(slipway builds list --json | ${firstOf('builds[0].build_id')})
slipway status "$SVC_GAMES_BUILD_ID"`,
        [`slipway media move ${UID}`]: `
image=$(slipway media list --json | ${firstOf('media.gallery[2].uid')})
slipway media move "$image"`,
      },
      async check() {
        const platforms = (await builds()).map(({ version, os }: any) => `${version} ${os}`)
        for (const build of ['1.2.0 linux', '1.2.0 windows', '1.2.0 web', '1.0.0 linux'])
          assert.ok(platforms.includes(build), platforms.join())
        const script = readFileSync(join(home, '.config/fish/completions/slipway.fish'), 'utf8')
        assert.match(script, /complete -c slipway/)
      },
    }
  },
}
