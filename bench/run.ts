import { installPrograms } from '../test/support/system-packages.ts'
import { passkeys } from './accounts/passkey.ts'
import { assetLibrary } from './asset-library.ts'
import { bugReports } from './bug-report.ts'
import { bundleCheck } from './bundle-check.ts'
import { catalog } from './catalog.ts'
import { costs } from './costs.ts'
import { deltaLatency } from './delta/latency.ts'
import { deltaMemory } from './delta/memory.ts'
import { playerPatches } from './delta/patches.ts'
import { patchReady } from './delta/ready.ts'
import { deltaUploads } from './delta/uploads.ts'
import { events } from './events.ts'
import { hostileText } from './hostile-text.ts'
import { imports } from './import.ts'
import { listingRead } from './listing-read.ts'
import { pressZip } from './press-zip.ts'
import { pushes } from './push.ts'
import { s3Upload } from './s3-upload.ts'
import { hashing, scanning } from './scan.ts'
import { searchBench } from './search.ts'
import { serveFiles } from './serve.ts'
import { signIn } from './sign-in.ts'
import { smallJson } from './small-json.ts'
import { backups } from './storage/backup.ts'
import { storageCopy } from './storage-copy.ts'
import { hashSweep } from './sweep.ts'
import { twoProcesses } from './two-processes.ts'
import { uploadMemory, uploads } from './upload.ts'
import { consolePages } from './website/console.ts'
import { pageLoad } from './website/page-load.ts'
import { playGames } from './website/play.ts'
import { playFromBucket } from './website/play-s3.ts'
import { webPages } from './website/web.ts'

/** The programs that benchmarks run, with their Debian packages. */
const packages = {
  wrk: 'wrk',
  taskset: 'util-linux',
  nginx: 'nginx-light',
  bsdtar: 'libarchive-tools',
  curl: 'curl',
  zip: 'zip',
  'redis-server': 'redis-server',
  'swift-proxy-server': 'swift-proxy swift-account swift-container swift-object',
  memcached: 'memcached',
  chromium: 'chromium',
  rdiff: 'rdiff',
  bsdiff: 'bsdiff',
  casync: 'casync',
  zstd: 'zstd',
} as const
type Program = keyof typeof packages
type Benchmark = { run: () => Promise<unknown>; programs?: readonly Program[] }

const pinnedLoad = ['wrk', 'taskset'] as const
const objectStore = ['swift-proxy-server', 'memcached'] as const

/** `npm run bench` runs all benchmarks, `npm run bench -- small-json events` the named ones. */
const benchmarks: Record<string, Benchmark> = {
  events: { run: events, programs: ['wrk'] },
  catalog: { run: catalog },
  'bug-report': { run: bugReports },
  'bundle-check': { run: bundleCheck },
  play: { run: playGames, programs: ['nginx'] },
  'play-s3': { run: playFromBucket, programs: objectStore },
  'press-zip': { run: pressZip, programs: ['bsdtar', 'curl'] },
  'small-json': { run: smallJson, programs: [...pinnedLoad, 'nginx'] },
  upload: { run: uploads },
  'delta-uploads': { run: deltaUploads, programs: ['rdiff', 'zstd'] },
  'delta-latency': { run: deltaLatency, programs: ['zstd'] },
  'patch-ready': { run: patchReady, programs: ['zstd'] },
  'delta-memory': { run: deltaMemory, programs: ['zstd'] },
  'upload-memory': { run: uploadMemory },
  's3-upload': { run: s3Upload, programs: objectStore },
  console: { run: consolePages },
  costs: { run: costs },
  backup: { run: backups },
  'storage-copy': { run: storageCopy, programs: objectStore },
  'two-processes': { run: twoProcesses, programs: ['wrk', 'redis-server'] },
  serve: { run: serveFiles, programs: ['nginx', 'curl'] },
  hashing: { run: hashing },
  scan: { run: scanning },
  'listing-read': { run: listingRead, programs: pinnedLoad },
  'asset-library': { run: assetLibrary },
  sweep: { run: hashSweep },
  search: { run: searchBench, programs: ['wrk'] },
  'sign-in': { run: signIn, programs: pinnedLoad },
  passkey: { run: passkeys },
  import: { run: imports },
  'hostile-text': { run: hostileText },
  push: { run: pushes, programs: ['zip', 'curl'] },
  patches: { run: playerPatches, programs: ['rdiff', 'bsdiff', 'casync', 'zstd'] },
  web: { run: webPages, programs: pinnedLoad },
  'page-load': { run: pageLoad, programs: ['chromium'] },
}

// A number is the size of the search benchmark.
const names = process.argv.slice(2).filter((word) => !/^\d+$/.test(word))
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length)
  throw new Error(
    `unknown benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`,
  )
const selected = Object.entries(benchmarks).filter(
  ([name]) => !names.length || names.includes(name),
)
const programs = new Set(selected.flatMap(([, { programs = [] }]) => programs))
const needed = Object.fromEntries([...programs].map((program) => [program, packages[program]]))
const missing = installPrograms(needed, 'the benchmarks')
if (missing.length) {
  const debian = missing.map((program) => packages[program as Program]).join(' ')
  throw new Error(`these benchmarks need ${missing.join(', ')}; install them (Debian: ${debian})`)
}
for (const [, { run }] of selected) await run()
