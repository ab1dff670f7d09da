import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { openPool } from '../../../src/core/database/sql.ts'
import { codeBlocks } from '../../docs/code-blocks.ts'
import { eventually, temporaryFolder } from '../../support/app.ts'
import { freePort } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { type Daemon, daemon, isReachable } from '../../support/daemon.ts'
import {
  debianPrograms,
  postgresUser,
  serverProcesses,
  signalServer,
} from '../../support/programs/debian-postgres.ts'

const PAGE = 'docs/failover.md'
const STALL_MS = 1_000
const PASSWORD = 'password-of-the-test'

type Node = { name: string; port: string; api: string; data: string; patroni: Daemon }
type Member = { name: string; role: string; state: string }
export type PatroniCluster = Awaited<ReturnType<typeof startPatroni>>

/**
 * Two PostgreSQL servers, Patroni, etcd and HAProxy with the configuration of docs/failover.md, in
 * which only addresses, folders and passwords are replaced.
 */
export async function startPatroni(t: TestContext) {
  const etcd = await startEtcd(t)
  const names = ['db1', 'db2']
  const addresses = await Promise.all(
    names.map(async (name) => ({ name, port: await freePort(), api: await freePort() })),
  )
  const nodes = addresses.map((address) => makeNode(t, address, etcd))
  // The first one creates the database, the second copies it.
  for (const { patroni } of nodes) await patroni.start()
  const port = await startHaproxy(t, nodes)
  const primary = () => findRole(nodes, 'primary')
  const created = openPool(url('postgres', (await primary())!.port, 'postgres'), 1, 'test')
  await created.unsafe(`create role slipway login password '${PASSWORD}'`)
  await created.unsafe('create database slipway owner slipway')
  await created.end()

  return {
    url: url('slipway', port, 'slipway'),
    /** Waits until the standby has everything that the primary acknowledges. */
    synchronous: () =>
      eventually(
        'the synchronous standby',
        async () => {
          const members = await listMembers(nodes)
          return members.some(
            ({ role, state }) => role === 'sync_standby' && /running|streaming/.test(state),
          )
        },
        180,
      ),
    /**
     * Kills PostgreSQL and Patroni of the primary, as a power cut of its machine would. Before, the
     * standby receives nothing for a moment: what is acknowledged without it is lost.
     */
    async killPrimary(): Promise<Node> {
      const node = await eventually('the primary', primary)
      const receivers = nodes.filter((other) => other !== node).flatMap(receiversOf)
      for (const pid of receivers) process.kill(pid, 'SIGSTOP')
      await pause(STALL_MS)
      await node.patroni.end('SIGKILL')
      signalServer(node.data, 'SIGKILL')
      // It ends without reading what the primary has sent meanwhile.
      for (const name of ['SIGTERM', 'SIGCONT'] as const)
        for (const pid of receivers) process.kill(pid, name)
      return node
    },
    /** Waits for the promotion of the other server. */
    promoted: (killed: Node) =>
      eventually(
        'the promotion of the standby',
        async () => {
          const node = await primary()
          return node !== undefined && node !== killed
        },
        180,
      ),
  }
}

/** The processes of a standby that receive what its primary writes. */
function receiversOf({ data }: Node): number[] {
  const receivers = serverProcesses(data).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walreceiver'),
  )
  assert.ok(receivers.length, 'the standby receives nothing')
  return receivers
}

const url = (user: string, port: string, database: string) =>
  `postgres://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`

/** A folder of the user that PostgreSQL and Patroni run as. */
function ownedFolder(t: TestContext): string {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const { uid, gid } = postgresUser
  if (uid !== undefined) chownSync(folder, uid, gid!)
  return folder
}

async function startEtcd(t: TestContext): Promise<string> {
  const [client_port, peer_port] = [await freePort(), await freePort()]
  const client_url = `http://127.0.0.1:${client_port}`
  const peer_url = `http://127.0.0.1:${peer_port}`
  const page = codeBlocks(PAGE, 'text').find(({ body }) => body.startsWith('ETCD_NAME'))
  const settings = page!.body
    .replaceAll('http://10.0.0.11:2379', client_url)
    .replaceAll('http://10.0.0.11:2380', peer_url)
    .replace('/var/lib/etcd/slipway', temporaryFolder(t))
    // One is enough where it is not killed.
    .replaceAll(/,db\d=[^,\n]*/g, '')
  const pairs = settings
    .trim()
    .split('\n')
    .map((line) => line.split(/=(.*)/).slice(0, 2))
  const etcd = daemon(t, {
    command: 'etcd',
    args: [],
    isReady: () => isReachable(`${client_url}/health`),
    spawn_options: {
      env: {
        PATH: process.env.PATH,
        ...Object.fromEntries(pairs),
        ...(process.arch === 'arm64' && { ETCD_UNSUPPORTED_ARCH: 'arm64' }),
      },
    },
  })
  await etcd.start()
  return `127.0.0.1:${client_port}`
}

type Address = { name: string; port: string; api: string }

function makeNode(t: TestContext, { name, port, api }: Address, etcd: string): Node {
  const folder = ownedFolder(t)
  const data = join(folder, 'data')
  const [page] = codeBlocks(PAGE, 'yaml')
  const config = parse(page!.body)
  config.name = name
  config.restapi = { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` }
  config.etcd3.hosts = [etcd]
  const { postgresql } = config
  postgresql.listen = `127.0.0.1:${port}`
  postgresql.connect_address = `127.0.0.1:${port}`
  postgresql.data_dir = data
  postgresql.bin_dir = debianPrograms()
  postgresql.pgpass = join(folder, 'pgpass')
  postgresql.parameters = { unix_socket_directories: folder }
  postgresql.pg_hba = postgresql.pg_hba.map((line: string) =>
    line.replace('10.0.0.0/24', '127.0.0.1/32'),
  )
  for (const account of Object.values<any>(postgresql.authentication)) account.password = PASSWORD
  const file = join(folder, 'config.yml')
  writeFileSync(file, stringify(config), { mode: 0o644 })
  cleanup(t, () => {
    if (existsSync(join(data, 'postmaster.pid'))) signalServer(data, 'SIGKILL')
  })
  const patroni = daemon(t, {
    command: 'patroni',
    args: [file],
    isReady: () => isReachable(`http://127.0.0.1:${api}/health`),
    spawn_options: { ...postgresUser, cwd: folder, env: { ...process.env, HOME: folder } },
  })
  return { name, port, api, data, patroni }
}

async function startHaproxy(t: TestContext, nodes: Node[]): Promise<string> {
  const port = await freePort()
  const folder = temporaryFolder(t)
  const page = codeBlocks(PAGE, 'text').find(({ body }) => body.startsWith('global'))
  const lines = page!.body.replace('127.0.0.1:5000', `127.0.0.1:${port}`).split('\n')
  const config = lines.map((line) => {
    const node = nodes.find(({ name }) => line.trim().startsWith(`server ${name} `))
    return node ? `  server ${node.name} 127.0.0.1:${node.port} check port ${node.api}` : line
  })
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, config.join('\n'))
  const target = url('postgres', port, 'postgres')
  const haproxy = daemon(t, {
    command: 'haproxy',
    args: ['-db', '-f', file],
    isReady: () => answers(target),
  })
  await haproxy.start()
  return port
}

async function answers(database: string): Promise<boolean> {
  const sql = openPool(database, 1, 'test')
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 0 })
  }
}

async function findRole(nodes: Node[], role: 'primary'): Promise<Node | undefined> {
  for (const node of nodes)
    if (await isReachable(`http://127.0.0.1:${node.api}/${role}`)) return node
  return undefined
}

/** What the first server that answers knows about both. */
async function listMembers(nodes: Node[]): Promise<Member[]> {
  for (const { api } of nodes)
    try {
      const response = await fetch(`http://127.0.0.1:${api}/cluster`)
      return ((await response.json()) as { members: Member[] }).members
    } catch {
      // It is down.
    }
  return []
}
