import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readTree } from '../../cli/zip/tree.ts'
import { temporaryFolder } from '../support/app.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { needs } from '../support/system-packages.ts'
import { tree } from './slipway.ts'

const included = (folder: string) =>
  readTree(folder)
    .items.filter(({ kind }) => kind === 'file')
    .map(({ path }) => path)
    .sort()

/** The files that git would include, with our ignore file in place of its own. */
function includedByGit(folder: string): string[] {
  const options = [
    '-c',
    'core.quotePath=false',
    '-c',
    'core.excludesFile=/dev/null',
    '-c',
    'core.ignoreCase=false',
  ]
  const out = execFileSync(
    'git',
    [...options, 'ls-files', '-z', '--others', '--exclude-per-directory=.slipwayignore'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  return out
    .split('\0')
    .filter((path) => path && !/(^|\/)\.slipwayignore$/.test(path))
    .sort()
}

function repository(t: TestContext, files: Record<string, string>): string {
  const folder = tree(t, files)
  execFileSync('git', ['init', '-q', folder])
  rmSync(join(folder, '.git/info/exclude'), { force: true })
  return folder
}

// Use letters of one byte, because a question mark matches a byte in git and a character here.
const names = ['a', 'b', 'a.txt', 'b.log', 'keep.log', 'A', 'a b', '[x]', '#a', '!a']
const everything = Object.fromEntries(
  names
    .flatMap((folder) => [
      `${folder}f`,
      ...names.slice(0, 6).flatMap((name) => [`${folder}/${name}f`, `${folder}/deep/${name}`]),
    ])
    .map((path) => [path, 'x']),
)

const cases: Record<string, string> = {
  'a name anywhere': 'a\n',
  'an ending': '*.log\n',
  'but not one': '*.log\n!keep.log\n',
  'a folder only': 'deep/\n',
  'from the top': '/a\n/b/deep\n',
  'in the middle': 'a/deep\n',
  'two stars before': '**/deep\n',
  'two stars after': 'a/**\n!a/deep\n',
  'two stars between': 'a/**/b\n',
  'one letter': '?f\n',
  'a range': '[a-b]f\n',
  'not a range': '[!a]f\n',
  'a class': '[[:upper:]]f\n',
  'no end of bracket': '[a\n',
  'an escape': '\\#af\n\\!af\n\\[x\\]f\n',
  'spaces at the end': 'af   \na\\ bf\\ \n',
  comments: '# a\n\n   \nbf\n',
  'a folder back': '/*\n!/a/\n',
  'three stars': 'a/***/b\n',
  'stars after the beginning of a name': 'a**/a\n',
  'stars that end a name': 'dee**\n!deep\n',
  'four stars before': '****/a\n',
  'stars from none to many': 'a/***/af\n',
  'stars before a slash that is escaped': 'a/**\\/a\n',
  'nothing back from a folder that is out': 'a/\n!a/af\n',
  'only a slash': '/\n',
  'carriage returns': 'af\r\nbf\r\n',
}

test('.slipwayignore excludes what git would exclude', (t) => {
  if (!needs(t, 'git')) return
  const folder = repository(t, everything)
  for (const [title, text] of Object.entries(cases)) {
    writeFileSync(join(folder, '.slipwayignore'), text)
    rmSync(join(folder, '.git/index'), { force: true })
    const files = included(folder).filter((path) => !path.startsWith('.git/'))
    assert.deepEqual(files, includedByGit(folder), title)
  }
})

test('any pattern, also in nested files, matches what git matches', (t) => {
  if (!needs(t, 'git')) return
  const folder = repository(t, everything)
  const piece = fc.constantFrom(
    'a',
    'b',
    'f',
    '*',
    '**',
    '?',
    '/',
    '/',
    '!',
    '[ab]',
    '[!a]',
    '\\',
    '.log',
    'deep',
    '#',
    ' ',
  )
  const line = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''))
  const text = fc.array(line, { maxLength: 4 }).map((lines) => `${lines.join('\n')}\n`)
  fc.assert(
    fc.property(text, fc.constantFrom('a', 'b', 'a/deep'), text, (top, where, below) => {
      writeFileSync(join(folder, '.slipwayignore'), top)
      mkdirSync(dirname(join(folder, where, 'x')), { recursive: true })
      writeFileSync(join(folder, where, '.slipwayignore'), below)
      try {
        assert.deepEqual(
          included(folder).filter((path) => !path.startsWith('.git/')),
          includedByGit(folder),
        )
      } finally {
        rmSync(join(folder, where, '.slipwayignore'))
      }
    }),
    { numRuns: loopCount({ short: 40, full: 150 }) },
  )
})

test('an ignore file is not published, and an unreadable one is reported', (t) => {
  const folder = tree(t, { 'a/.slipwayignore': 'x\n', 'a/x': '', 'a/y': '' })
  assert.deepEqual(included(folder), ['a/y'])
  const odd = temporaryFolder(t)
  mkdirSync(join(odd, '.slipwayignore'))
  writeFileSync(join(odd, 'x'), '')
  assert.deepEqual(included(odd), ['x'])
})
