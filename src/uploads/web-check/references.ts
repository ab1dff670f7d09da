import { Tokenizer } from 'htmlparser2'
import { KIB } from '../../core/runtime/units.ts'

/** Attributes by which an element loads a file. */
const loadingAttributes: Record<string, readonly string[]> = {
  script: ['src'],
  link: ['href'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  audio: ['src'],
  video: ['src', 'poster'],
  track: ['src'],
  iframe: ['src'],
  embed: ['src'],
  object: ['data'],
  input: ['src'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
}
const CHUNK = 64 * KIB
/** Different references of one file; no game loads more by them. */
const MAX_REFERENCES = 2000

export type HtmlReferences = {
  references: string[]
  /** What is written between the tags of scripts. */
  script: string
  /** The address that the references are relative to, if the page names another than its own. */
  base: string | undefined
}

/**
 * The files that a page loads by itself, as they are written. The tokenizer keeps no open elements,
 * so that its time grows with the size of the page and not with its nesting. `pause` is called
 * between parts of a large page.
 */
export async function htmlReferences(
  text: string,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<HtmlReferences> {
  const references = new Set<string>()
  let style = ''
  let script = ''
  let base: string | undefined
  let element = ''
  let attribute = ''
  let value = ''
  const take = (start: number, end: number) => text.slice(start, end)
  const finishAttribute = () => {
    if (attribute === 'style') style += `${value}\n`
    else if (element === 'base' && attribute === 'href') base ??= value.trim()
    else if (Object.hasOwn(loadingAttributes, element))
      if (loadingAttributes[element]!.includes(attribute))
        addAll(references, attribute === 'srcset' ? srcset(value) : [value.trim()])
  }
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        element = take(start, end).toLowerCase()
      },
      onattribname(start, end) {
        attribute = take(start, end).toLowerCase()
        value = ''
      },
      onattribdata(start, end) {
        value += take(start, end)
      },
      onattribentity(code) {
        value += String.fromCodePoint(code)
      },
      onattribend: finishAttribute,
      ontext(start, end) {
        if (element === 'style') style += take(start, end)
        if (element === 'script') script += take(start, end)
      },
      onclosetag() {
        if (element === 'style') style += '\n'
        if (element === 'script') script += '\n'
        element = ''
      },
      onopentagend: ignore,
      onselfclosingtag: ignore,
      ontextentity: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  )
  for (let at = 0; at < text.length; at += CHUNK) {
    tokenizer.write(text.slice(at, at + CHUNK))
    await pause()
  }
  tokenizer.end()
  addAll(references, cssReferences(style))
  return { references: [...references], script, base }
}

function addAll(references: Set<string>, more: Iterable<string>) {
  for (const reference of more) {
    if (references.size >= MAX_REFERENCES) return
    references.add(reference)
  }
}

/** `small.png 1x, large.png 2x` */
function* srcset(value: string): Generator<string> {
  for (const [, address] of value.matchAll(/(?:^|,)\s*([^\s,][^\s]*)/g))
    yield address!.replace(/,$/, '')
}

const CSS_URL = /url\(\s*(?:"([^"\n]{0,2048})"|'([^'\n]{0,2048})'|([^"'()\s]{1,2048}))\s*\)/gi
const CSS_IMPORT = /@import\s+(?:"([^"\n]{1,2048})"|'([^'\n]{1,2048})')/gi

/** The files that a stylesheet loads, as they are written. */
export function cssReferences(text: string): string[] {
  const bare = withoutComments(text)
  const references = new Set<string>()
  for (const pattern of [CSS_URL, CSS_IMPORT]) addAll(references, addresses(bare, pattern))
  return [...references]
}

function* addresses(text: string, pattern: RegExp): Generator<string> {
  for (const [, double, single, plain] of text.matchAll(pattern))
    yield (double ?? single ?? plain ?? '').trim()
}

/** By searching, because a pattern would read the rest of the text for every comment that is open. */
function withoutComments(text: string): string {
  let bare = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('/*', at)
    const end = start < 0 ? -1 : text.indexOf('*/', start + 2)
    if (end < 0) return bare + text.slice(at, start < 0 ? text.length : start)
    bare += `${text.slice(at, start)} `
    at = end + 2
  }
}

const SCRIPT_PATH = /(["'`])([^"'`\\\s<>(){}]{1,512}\.[a-z0-9]{1,12})(?:[?#][^"'`\s]{0,512})?\1/gi

/**
 * Texts in a script that look like the path of a file. What they mean only running it tells, so
 * they count only where an entry of the build has that path in another spelling.
 */
export function scriptPaths(text: string): string[] {
  const paths = new Set<string>()
  for (const [, , path] of text.matchAll(SCRIPT_PATH)) {
    if (paths.size >= MAX_REFERENCES) break
    paths.add(path!)
  }
  return [...paths]
}
