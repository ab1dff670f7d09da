import { readFileSync, statSync } from 'node:fs'
import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import { Refusal } from '../../src/core/runtime/errors.ts'
import type { Field } from '../../src/listings/fields/text.ts'
import { UsageError } from '../errors.ts'
import { refusalText, t } from '../messages.ts'
import { closest } from '../terminal/suggestion.ts'
import type { Ui } from '../terminal/ui.ts'

export type Mapping = Record<string, unknown>
export type YamlFile = {
  path: string
  document: Document
  data: unknown
  /** The position of a key, such as `build.yml:3:5`, or of its closest parent that exists. */
  place: (path: Path) => string
}
type Path = (string | number)[]

const MAX_BYTES = 1024 * 1024

/** Every value is read as text, so that the version 1.10 does not become the number 1.1. */
export function readYaml(path: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(readText(path), {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
  })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const problem = document.errors[0]
  if (problem)
    throw new UsageError(`${at(problem.pos[0])}: ${problem.message}`, t('yaml-invalid-hint'))
  const place = (keys: Path) => at(nodeAt(document, keys)?.range?.[0] ?? 0)
  return { path, document, data: contentOf(document, path), place }
}

function readText(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new UsageError(t('yaml-too-large', { path }))
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new UsageError(t('file-missing', { path }), t('yaml-missing-hint'))
    throw new UsageError(t('file-unreadable', { path, code: String(code) }))
  }
}

function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`)
  }
}

function nodeAt(document: Document, path: Path): Node | null {
  for (let length = path.length; length > 0; length--) {
    const parent = length > 1 ? document.getIn(path.slice(0, length - 1), true) : document.contents
    const key = path[length - 1]
    // The position of the key is preferred to that of its value.
    const pair = isMap(parent)
      ? parent.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === key)
      : undefined
    if (pair) return pair.key as Node
    const node = document.getIn(path.slice(0, length), true)
    if (node) return node as Node
  }
  return document.contents as Node | null
}

/** Applies a rule of the server to a field of the file; an error names its line. */
export function checkField<T>(file: YamlFile, path: Path, rule: (field: Field) => T): T {
  try {
    return rule({ refusal: 'INVALID_REGISTRATION', field: path.join('.') })
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(`${file.place(path)}: ${refusalText(error)}`)
    throw error
  }
}

/** Checks that the value at a path is a mapping, and warns about each unknown key. */
export function mapping(
  file: YamlFile,
  path: Path,
  value: unknown,
  { known, ui }: { known: readonly string[]; ui: Ui },
): Mapping {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new UsageError(
      path.length
        ? t('yaml-not-mapping', { place: file.place(path), key: path.join('.') })
        : t('yaml-file-not-mapping', { place: file.place(path) }),
    )
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const suggestion = closest(key, known)
    const place = file.place([...path, key])
    ui.warn(
      suggestion
        ? t('yaml-unknown-key-suggestion', { place, key, suggestion })
        : t('yaml-unknown-key', { place, key }),
    )
  }
  return value as Mapping
}

export function listOf(file: YamlFile, path: Path, value: unknown): unknown[] {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value)) return value
  throw new UsageError(t('yaml-not-list', { place: file.place(path), key: path.join('.') }))
}
