import { spawnSync } from 'node:child_process'
import { assetLibrary } from './asset-library.ts'
import { bugReports } from './bug-report.ts'
import { bundleCheck } from './bundle-check.ts'
import { catalog } from './catalog.ts'
import { costs } from './costs.ts'
import { events } from './events.ts'
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
import { storageCopy } from './storage-copy.ts'
import { twoProcesses } from './two-processes.ts'
import { uploadMemory, uploads } from './upload.ts'
import { webPages } from './web.ts'

/** npm run bench: all of them. npm run bench -- small-json: one. */
const benches: Record<string, () => Promise<unknown>> = {
  events,
  catalog,
  'bug-report': bugReports,
  'bundle-check': bundleCheck,
  'press-zip': pressZip,
  'small-json': smallJson,
  upload: uploads,
  'upload-memory': uploadMemory,
  's3-upload': s3Upload,
  costs,
  'storage-copy': storageCopy,
  'two-processes': twoProcesses,
  serve: serveFiles,
  hashing,
  scan: scanning,
  'listing-read': listingRead,
  'asset-library': assetLibrary,
  search: searchBench,
  'sign-in': signIn,
  import: imports,
  push: pushes,
  web: webPages,
}

for (const command of ['wrk', 'nginx', 'taskset', 'bsdtar', 'curl', 'zip']) {
  if (spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0)
    throw new Error(
      `the benches need ${command}: install it first (Debian: wrk, nginx-light, util-linux, libarchive-tools, curl, zip)`,
    )
}
const chosen = process.argv.slice(2)
for (const [name, bench] of Object.entries(benches))
  if (!chosen.length || chosen.includes(name)) await bench()
