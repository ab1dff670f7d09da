import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  promises,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import {
  createOwnedFolder,
  finishUpgrade,
  initialize,
  markUpgraded,
  prepareCluster,
} from '../../../src/core/database/embedded/cluster.ts'
import { createMail } from '../../../src/core/mail/mail.ts'
import { sha256, uuidv7 } from '../../../src/core/security/crypto.ts'
import { addKey, KEY_FILE, loadKeyring } from '../../../src/core/security/secrets.ts'
import { makeFolder } from '../../../src/core/storage/durable-files.ts'
import { createLocalStorage } from '../../../src/core/storage/local.ts'
import { openFileSink } from '../../../src/uploads/receive/file-sink.ts'
import { acceptable } from './acceptable.ts'
import { backup } from './backup-workload.ts'
import { copiedGame, game, largeGame, uninstalledGame } from './client-workloads.ts'

/**
 * Programs that write files, each with a check of what a power cut may have left of them. `disk` is
 * the folder that is recorded.
 */
export type Workload = {
  /** Whether its program needs BACKUP_DATABASE_URL, a database that is not recorded. */
  needs_database?: boolean
  run: (disk: string, acknowledge: (entry: Entry) => void) => Promise<void>
  /** What is missing or wrong, given the entries of the ledger before the power cut. */
  findLosses: (disk: string, entries: Entry[]) => Promise<string[]>
}
/** `begun` comes before an action and `done` after it. */
export type Entry = { step: 'begun' | 'done'; what: string; sha256: string | null; size?: number }

const hexOf = (bytes: Buffer | string) => sha256(bytes).toString('hex')
const ANY = 'any'

const hashOfFile = (path: string) => (existsSync(path) ? hexOf(readFileSync(path)) : null)

function compareFiles(entries: Entry[], pathOf: (what: string) => string): string[] {
  return [...acceptable(entries)].flatMap(([what, values]) => {
    const actual = hashOfFile(pathOf(what))
    if (values.has(actual) || values.has(ANY)) return []
    return [`${what} is ${actual?.slice(0, 8) ?? 'missing'}`]
  })
}

/** Bytes that differ from all others, and in every sector. */
const someBytes = (size: number) => randomBytes(size)

/** A process that was killed after it created folders, and before it synced them. */
const leftBehind = (folder: string) => mkdirSync(folder, { recursive: true })

async function useObjects(disk: string, acknowledge: (entry: Entry) => void, workers: number) {
  leftBehind(join(disk, 'data/objects/.tmp'))
  leftBehind(join(disk, 'data/objects/old/folder'))
  leftBehind(join(disk, 'data/uploads'))
  const storage = await createLocalStorage(join(disk, 'data/objects'))
  const uploads = join(disk, 'data/uploads')
  await makeFolder(uploads)
  const put = async (key: string, size: number, fresh = false) => {
    const bytes = someBytes(size)
    acknowledge({ step: 'begun', what: key, sha256: fresh ? ANY : hexOf(bytes) })
    await storage.put(key, bytes, { fresh })
    acknowledge({ step: 'done', what: key, sha256: hexOf(bytes) })
  }
  const adopt = async (key: string, size: number) => {
    const path = join(uploads, `${uuidv7()}.part`)
    const bytes = someBytes(size)
    const sink = await openFileSink(path)
    await sink.write(Buffer.from(bytes))
    await sink.finish()
    await sink.close()
    acknowledge({ step: 'begun', what: key, sha256: hexOf(bytes) })
    await storage.adopt(key, path)
    acknowledge({ step: 'done', what: key, sha256: hexOf(bytes) })
    await promises.rm(path)
  }
  const remove = async (key: string) => {
    acknowledge({ step: 'begun', what: key, sha256: null })
    await storage.remove(key)
    acknowledge({ step: 'done', what: key, sha256: null })
  }
  const move = async (from: string, to: string) => {
    const sha256 = hashOfFile(join(disk, 'data/objects', from))
    acknowledge({ step: 'begun', what: from, sha256: null })
    acknowledge({ step: 'begun', what: to, sha256 })
    await storage.move(from, to)
    acknowledge({ step: 'done', what: to, sha256 })
    acknowledge({ step: 'done', what: from, sha256: null })
  }
  const work = async (worker: number) => {
    const name = `w${worker}`
    await put(`old/folder/${name}`, 700)
    await put(`${name}/a/b/first`, 5000)
    await put(`${name}/fresh/object`, 3000, true)
    await adopt(`${name}/adopted/${uuidv7()}`, 9000)
    for (let round = 0; round < 3; round++) await put(`shared/${name}`, 400 + round * 1000)
    await remove(`${name}/a/b/first`)
    await move(`shared/${name}`, `trash/${name}/object`)
    await put(`${name}/a/b/second`, 0)
    await put(`shared/${name}-small`, 1)
    await remove(`old/folder/${name}`)
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
}

const findLostObjects = async (disk: string, entries: Entry[]) => {
  // Starts on what is there, as the service does.
  await createLocalStorage(join(disk, 'data/objects'))
  return compareFiles(entries, (key) => join(disk, 'data/objects', key))
}

const objects: Workload = {
  run: (disk, acknowledge) => useObjects(disk, acknowledge, 1),
  findLosses: findLostObjects,
}

/** Several requests at the same time, which share folders. */
const concurrentObjects: Workload = {
  run: (disk, acknowledge) => useObjects(disk, acknowledge, 3),
  findLosses: findLostObjects,
}

/** Adopts files where hard links are not possible. */
const copiedObjects: Workload = {
  async run(disk, acknowledge) {
    promises.link = () => Promise.reject(Object.assign(new Error('EXDEV'), { code: 'EXDEV' }))
    syncBuiltinESMExports()
    await useObjects(disk, acknowledge, 1)
  },
  findLosses: findLostObjects,
}

/** An image that a killed process has stored, but whose name it has not synced. */
const existingImage: Workload = {
  async run(disk, acknowledge) {
    const { storeImage } = await import('../../../src/listings/media/store.ts')
    const bytes = someBytes(3000)
    const sha256 = hexOf(bytes)
    const key = `images/${sha256.slice(0, 2)}/${sha256}`
    const path = join(disk, 'data/objects', key)
    leftBehind(dirname(path))
    writeFileSync(path, bytes, { flush: true })
    const storage = await createLocalStorage(join(disk, 'data/objects'))
    await storeImage(storage, sha256, bytes)
    acknowledge({ step: 'done', what: key, sha256 })
  },
  findLosses: findLostObjects,
}

/** Appends chunks to the part files of uploads. Each chunk acknowledges all bytes up to its end. */
const chunks: Workload = {
  async run(disk, acknowledge) {
    const folder = join(disk, 'data/uploads')
    await makeFolder(folder)
    for (const name of ['first.part', 'second.part']) {
      let received = Buffer.alloc(0)
      const hash = createHash('sha256')
      for (const size of [1000, 70_000, 1, 511]) {
        const bytes = someBytes(size)
        const offset = received.length
        received = Buffer.concat([received, bytes])
        const sink = await openFileSink(join(folder, name), { offset, hash, sync_folder: true })
        await sink.write(Buffer.from(bytes))
        await sink.finish()
        await sink.close()
        const entry = { what: name, sha256: hexOf(received), size: received.length }
        acknowledge({ step: 'done', ...entry })
      }
    }
  },
  async findLosses(disk, entries) {
    const last = new Map(entries.map((entry) => [entry.what, entry]))
    return [...last.values()].flatMap(({ what, sha256, size }) => {
      const path = join(disk, 'data/uploads', what)
      const bytes = existsSync(path) ? readFileSync(path).subarray(0, size) : Buffer.alloc(0)
      return hexOf(bytes) === sha256 ? [] : [`${size} bytes of ${what} were acknowledged`]
    })
  },
}

/** Creates the key file and adds keys. A start always reads it, or creates it. */
const keys: Workload = {
  async run(disk, acknowledge) {
    const data_dir = join(disk, 'data')
    leftBehind(data_dir)
    const acknowledgeKeys = () => {
      for (const line of readFileSync(join(data_dir, KEY_FILE), 'utf8').trim().split('\n'))
        acknowledge({ step: 'done', what: line, sha256: null })
    }
    await loadKeyring({ data_dir })
    acknowledgeKeys()
    for (let count = 0; count < 3; count++) {
      await addKey(data_dir)
      acknowledgeKeys()
    }
  },
  async findLosses(disk, entries) {
    const data_dir = join(disk, 'data')
    await loadKeyring({ data_dir })
    const present = readFileSync(join(data_dir, KEY_FILE), 'utf8').split('\n')
    return entries.filter(({ what }) => !present.includes(what)).map(() => 'a key is missing')
  },
}

/** A program in place of PostgreSQL that creates a cluster as initdb does: all of it is synced. */
const INITDB = `#!/bin/sh
if [ "$1" = --version ]; then echo 'postgres (PostgreSQL) 18.0'; exit; fi
mkdir "$2" "$2/global"
echo 18 >"$2/PG_VERSION"
echo $$ >"$2/global/pg_control"
sync "$2/PG_VERSION" "$2/global/pg_control" "$2/global" "$2" "$(dirname "$2")"
`

function fakeProgram(folder: string) {
  for (const name of ['initdb', 'postgres']) {
    writeFileSync(join(folder, name), INITDB)
    chmodSync(join(folder, name), 0o755)
  }
  return { folder, bin: (name: string) => join(folder, name) }
}

async function startCluster(disk: string): Promise<string> {
  const home = join(disk, 'data/postgres')
  await createOwnedFolder(home, undefined)
  const user = { owner: undefined, prefix: [] }
  const program = fakeProgram(join(disk, '..'))
  return prepareCluster({ program, user, home, lock: undefined })
}

const cluster: Workload = {
  async run(disk, acknowledge) {
    const control = join(await startCluster(disk), 'global/pg_control')
    acknowledge({ step: 'done', what: 'cluster', sha256: hashOfFile(control) })
  },
  async findLosses(disk, entries) {
    const control = join(await startCluster(disk), 'global/pg_control')
    return compareFiles(entries, () => control)
  },
}

/** A start that was killed after it had renamed the new cluster. */
const interruptedCluster: Workload = {
  async run(disk, acknowledge) {
    const created = await startCluster(disk)
    const home = join(disk, 'data/postgres')
    // Back to the state before the rename, which is then done without a sync.
    renameSync(created, join(home, 'data.new-00'))
    const { syncFolder } = await import('../../../src/core/storage/durable-files.ts')
    await syncFolder(home)
    renameSync(join(home, 'data.new-00'), created)
    const control = join(await startCluster(disk), 'global/pg_control')
    acknowledge({ step: 'done', what: 'cluster', sha256: hashOfFile(control) })
  },
  findLosses: cluster.findLosses,
}

/** The last steps of an upgrade: afterwards there is the old cluster or the new one. */
const upgradedCluster: Workload = {
  async run(disk, acknowledge) {
    const old_cluster = await startCluster(disk)
    const home = dirname(old_cluster)
    const hashIn = (folder: string) => hashOfFile(join(folder, 'global/pg_control'))
    acknowledge({ step: 'done', what: 'cluster', sha256: hashIn(old_cluster) })
    const new_cluster = join(home, 'data.new-01')
    const program = fakeProgram(join(disk, '..'))
    const user = { owner: undefined, prefix: [] }
    initialize({ program, user, home, lock: undefined }, new_cluster)
    const sha256 = hashIn(new_cluster)
    acknowledge({ step: 'begun', what: 'cluster', sha256 })
    await markUpgraded(home, new_cluster)
    renameSync(old_cluster, join(home, 'data.old'))
    await finishUpgrade(home)
    acknowledge({ step: 'done', what: 'cluster', sha256 })
  },
  findLosses: cluster.findLosses,
}

const mail: Workload = {
  async run(disk, acknowledge) {
    const { send } = createMail({ sender: () => 'a@example.com', data_dir: join(disk, 'data') })
    for (let count = 0; count < 3; count++) {
      const id = uuidv7()
      const to = 'b@example.com'
      await send({ id, to, subject: 'Hello', text: 'A mail', created_at: new Date() })
      const path = join(disk, 'data/outbox', `${id}.json`)
      acknowledge({ step: 'done', what: `${id}.json`, sha256: hashOfFile(path) })
    }
  },
  findLosses: async (disk, entries) =>
    compareFiles(entries, (name) => join(disk, 'data/outbox', name)),
}

/** Loaded by those who need it, because it takes long. */
const importSnapshots = () => import('../../../src/catalog/search/feed/snapshot.ts')

/** The search index can be made again, but a file of it must be whole. */
const snapshot: Workload = {
  async run(disk, acknowledge) {
    const { saveSnapshot } = await importSnapshots()
    for (const what of ['first', 'second']) {
      await saveSnapshot(join(disk, 'search'), {
        identity: 'database',
        position: { at: new Date() } as never,
        due: [],
        segments: [],
      })
      acknowledge({ step: 'done', what, sha256: null })
    }
  },
  async findLosses(disk) {
    const folder = join(disk, 'search')
    if (!existsSync(join(folder, 'index.snapshot'))) return []
    const { loadSnapshot } = await importSnapshots()
    return (await loadSnapshot(folder, 'database')) ? [] : ['the snapshot of the index is damaged']
  },
}

export const workloads = {
  objects,
  concurrentObjects,
  copiedObjects,
  existingImage,
  chunks,
  keys,
  cluster,
  interruptedCluster,
  upgradedCluster,
  mail,
  snapshot,
  backup,
  game,
  copiedGame,
  uninstalledGame,
  largeGame,
} satisfies Record<string, Workload>
export type WorkloadName = keyof typeof workloads

/** Run as a program: `workloads.ts name disk ledger`. */
if (process.argv[1] === import.meta.filename) {
  const [, , name, disk, ledger] = process.argv
  await workloads[name as WorkloadName].run(disk!, (entry) =>
    appendFileSync(ledger!, `${JSON.stringify(entry)}\n`),
  )
  // Timers that keep spare memory must not delay the end.
  process.exit()
}
