// Bundles the sources of the service and of its admin commands into one file each. Loading a
// thousand small files takes 1.7 s of CPU at each start and 25 MB of memory; one file, 0.8 s. Only
// our own code and typebox, which has 370 files, are bundled; other packages load as installed.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const cache = join(root, 'node_modules/.cache/service')
const entries = ['src/main.ts', 'src/admin.ts']
const bundledPackages = ['typebox']
/** Several versions and checkouts may share the folder of packages. */
const KEPT_BUNDLES = 8

/**
 * The file to run for an entry: its bundle, made anew when a source has changed, or the source
 * itself where no bundle can be written, for example for another user than the installing one.
 */
export async function bundledFile(entry) {
  if (!entries.includes(entry)) return join(root, entry)
  const folder = join(cache, fingerprint())
  const file = join(folder, entry.replace(/.*\/(.*)\.ts$/, '$1.mjs'))
  try {
    if (!existsSync(file)) await addToCache(folder)
    return file
  } catch {
    return join(root, entry)
  }
}

/** Changes with every source file and every installed version. */
function fingerprint() {
  const hash = createHash('sha256').update(root)
  const sources = readdirSync(join(root, 'src'), { recursive: true })
  for (const path of sources.filter((name) => name.endsWith('.ts')).sort()) {
    const { size, mtimeMs } = statSync(join(root, 'src', path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  for (const path of ['package-lock.json', 'bundle.mjs'])
    hash.update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 24)
}

async function addToCache(folder) {
  mkdirSync(cache, { recursive: true })
  const temporary = mkdtempSync(join(cache, 'new-'))
  try {
    await bundleTo(temporary)
    // Other users than the one who installs may run the service.
    chmodSync(temporary, 0o755)
    renameSync(temporary, folder)
    removeOldBundles()
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    // Another process may have made the same bundle at the same time.
    if (!existsSync(folder)) throw error
  }
}

async function bundleTo(outdir) {
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'silent',
    plugins: [externalPackages, sourcePaths],
  })
}

const externalPackages = {
  name: 'external-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      const [name] = path.split('/')
      const is_external = kind !== 'entry-point' && !bundledPackages.includes(name)
      return is_external ? { path, external: true } : undefined
    })
  },
}

/** Sources find threads, migrations and messages by their own place, which stays that of the file. */
const sourcePaths = {
  name: 'source-paths',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    }))
  },
}

function removeOldBundles() {
  const bundles = readdirSync(cache).map((name) => join(cache, name))
  const age = (path) => statSync(path).mtimeMs
  for (const path of bundles.sort((a, b) => age(b) - age(a)).slice(KEPT_BUNDLES))
    rmSync(path, { recursive: true, force: true })
}

// node bundle.mjs           for a service whose user may not write to the folder of packages
// node bundle.mjs FOLDER    for an image that runs a file of the folder
if (process.argv[1] === fileURLToPath(import.meta.url))
  await (process.argv[2] ? bundleTo(process.argv[2]) : addToCache(join(cache, fingerprint())))
