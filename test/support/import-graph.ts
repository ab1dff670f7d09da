import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Maps every source file to the files it imports, as paths relative to the repository root. */
export type ImportGraph = Map<string, string[]>

const folders = ['src', 'cli', 'test', 'bench', 'sim', 'demo', 'sdk']

export function importGraph(root: string): ImportGraph {
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,mjs,js}`, { cwd: root }))
  return new Map(paths.map((path) => [path, importsOf(root, path)]))
}

/** Returns the relative imports of a file, static and dynamic, and the worker threads it starts. */
export function importsOf(root: string, path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const matches = text.matchAll(/(?:from|import|new URL)\s*\(?\s*'(\.[^']+)'/g)
  return [...matches].map(([, target]) => relative(root, resolve(root, dirname(path), target!)))
}

/** Returns everything that the entries import, directly or indirectly, without following `stop`. */
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
