// Reads .slipwayignore as git reads .gitignore. This is our own code because the `ignore` package
// differs from git in patterns such as "a**/a"; test/cli/ignore.test.ts compares with git itself.

/** One line of an ignore file. */
export type Rule = { regex: RegExp; negated: boolean; folders_only: boolean; base: string }

/** The rules of an ignore file that lies in `base` ('' for the top, else ending with a slash). */
export function readIgnore(text: string, base: string): Rule[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line) => readRule(line, base) ?? [])
}

export function readRule(line: string, base: string): Rule | undefined {
  // Trailing spaces count only after a backslash.
  let pattern = line.replace(/(?<!\\)((?:\\\\)*) +$/, '$1')
  if (pattern === '' || pattern.startsWith('#')) return undefined
  const negated = pattern.startsWith('!')
  if (negated) pattern = pattern.slice(1)
  const folders_only = pattern.endsWith('/')
  if (folders_only) pattern = pattern.slice(0, -1)
  // A slash anywhere but at the end anchors the pattern to the folder of its file.
  const anchored = pattern.includes('/')
  if (pattern.startsWith('/')) pattern = pattern.slice(1)
  if (pattern === '') return undefined
  const source = toRegex(pattern, anchored)
  return source === undefined
    ? undefined
    : {
        regex: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`, 's'),
        negated,
        folders_only,
        base,
      }
}

/** The last matching rule decides. An ignored folder excludes everything in it. */
export function isIgnored(rules: readonly Rule[], path: string, is_folder: boolean): boolean {
  for (let i = rules.length - 1; i >= 0; i--) {
    const { regex, negated, folders_only, base } = rules[i]!
    if ((folders_only && !is_folder) || !path.startsWith(base)) continue
    if (regex.test(path.slice(base.length))) return !negated
  }
  return false
}

/** Undefined for a pattern that cannot match. */
function toRegex(pattern: string, anchored: boolean): string | undefined {
  // Git compares the text before the first wildcard separately, and treats the rest as a new start.
  const plain = /^[^*?[\\]*/.exec(pattern)![0].length
  let out = ''
  for (let i = 0; i < pattern.length; ) {
    const rest = pattern.slice(i)
    const stars = /^\*+/.exec(rest)?.[0].length ?? 0
    const opens = anchored && (i === plain || pattern[i - 1] === '/')
    // Two or more stars as a whole name match several names, and before a slash also none.
    if (stars >= 2 && opens && rest[stars] === '/') {
      out += '(?:.*/)?'
      i += stars + 1
    } else if (stars >= 2 && opens && (rest.length === stars || rest.startsWith('\\/', stars))) {
      out += '.*'
      i += stars
    } else if (stars) {
      out += '[^/]*'
      i += stars
    } else if (rest[0] === '?') {
      out += '[^/]'
      i++
    } else if (rest[0] === '[') {
      const bracket = readBracket(rest)
      if (!bracket) return undefined
      out += bracket.source
      i += bracket.length
    } else if (rest[0] === '\\') {
      if (rest.length === 1) return undefined
      out += escaped([...rest.slice(1)][0]!)
      i += 1 + [...rest.slice(1)][0]!.length
    } else {
      out += escaped(rest[0]!)
      i++
    }
  }
  return out
}

const escaped = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')

const classes: Record<string, string> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
}

/** Reads [a-z], [!x] or [[:digit:]]. Undefined for a bracket without an end, which cannot match. */
function readBracket(text: string): { source: string; length: number } | undefined {
  let at = 1
  const negated = text[at] === '!' || text[at] === '^'
  if (negated) at++
  let inside = ''
  for (let first = true; ; first = false) {
    const character = text[at]
    if (character === undefined) return undefined
    if (character === ']' && !first) break
    const named = /^\[:(\w+):\]/.exec(text.slice(at))
    if (named) {
      if (!classes[named[1]!]) return undefined
      inside += classes[named[1]!]
      at += named[0].length
      continue
    }
    const [from, next] = literal(text, at)
    if (from === undefined) return undefined
    at = next
    if (text[at] === '-' && text[at + 1] !== ']' && text[at + 1] !== undefined) {
      const [to, after] = literal(text, at + 1)
      if (to === undefined) return undefined
      at = after
      if (from <= to) inside += `${inClass(from)}-${inClass(to)}`
    } else inside += inClass(from)
  }
  const source = negated ? `[^/${inside}]` : inside ? `(?!/)[${inside}]` : '(?!)'
  return { source, length: at + 1 }
}

function literal(text: string, at: number): [string | undefined, number] {
  return text[at] === '\\' ? [text[at + 1], at + 2] : [text[at], at + 1]
}

const inClass = (character: string) => character.replace(/[\\\]^[-]/, '\\$&')
