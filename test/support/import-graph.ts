import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Path of every source file → the files it imports, relative to the root of the repository. */
export type ImportGraph = Map<string, string[]>

const folders = ['src', 'cli', 'test', 'bench', 'sim', 'demo', 'sdk']

export function importGraph(root: string): ImportGraph {
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,mjs,js}`, { cwd: root }))
  return new Map(paths.map((path) => [path, importsOf(root, path)]))
}

/** The relative imports of one file, static and dynamic, and the threads it starts. */
export function importsOf(root: string, path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const matches = text.matchAll(/(?:from|import|new URL)\s*\(?\s*'(\.[^']+)'/g)
  return [...matches].map(([, target]) => relative(root, resolve(root, dirname(path), target!)))
}

/** Everything that the entries import, directly or not, without following the files in `stop`. */
export function reachableFrom(
  graph: ImportGraph,
  entries: string[],
  stop: ReadonlySet<string>,
): Set<string> {
  const reached = new Set<string>()
  const queue = [...entries]
  while (queue.length) {
    const path = queue.pop()!
    if (reached.has(path) || stop.has(path)) continue
    reached.add(path)
    queue.push(...(graph.get(path) ?? []))
  }
  return reached
}
