import assert from 'node:assert/strict'
import path from 'node:path'
import test from 'node:test'
import { assetTypes } from '../../../src/listings/fields/fields.ts'
import { checkModSettings } from '../../../src/listings/relations/mod-settings.ts'
import { fc } from '../../support/property.ts'
import { anyCharacter, letters, refused, unlessRefused, wide } from '../refused.ts'

const empty = { install_path: '', loader: '', instructions: '' }
const refusedHere = (field: string, body: unknown) =>
  refused('INVALID_MOD_SETTINGS', field, () => checkModSettings('mod', body))
const pathOf = (install_path: unknown) => checkModSettings('mod', { install_path }).install_path

test('only mods and plugins have mod settings', () => {
  for (const type of assetTypes) {
    if (type === 'mod' || type === 'plugin') assert.deepEqual(checkModSettings(type, {}), empty)
    else refused('INVALID_MOD_SETTINGS', 'mod_settings', () => checkModSettings(type, {}))
  }
})

test('saving replaces all settings, and clears those that are omitted or null', () => {
  assert.deepEqual(
    checkModSettings('mod', { install_path: null, loader: null, instructions: null }),
    empty,
  )
  assert.deepEqual(checkModSettings('mod', { loader: 'my-loader' }), {
    ...empty,
    loader: 'my-loader',
  })
  refusedHere('path', { path: 'mods' })
  for (const body of [null, [], 'mods', undefined]) refusedHere('mod_settings', body)
})

test('an install path is stored in its shortest form', () => {
  const samples = {
    'mods/mine': 'mods/mine',
    './a//b/': 'a/b',
    '.': '',
    './': '',
    ' a ': 'a',
    'a /': 'a',
    'a/./b': 'a/b',
    '.hidden/x': '.hidden/x',
    'a..b/..c/d..': 'a..b/..c/d..',
    '': '',
  }
  for (const [sent, normalized] of Object.entries(samples)) assert.equal(pathOf(sent), normalized)
})

test('rejects an install path that is absolute, leaves the folder or is not portable', () => {
  const bad = [
    '/',
    '/mods',
    '//host/share',
    '..',
    '../x',
    'a/../b',
    'a/..',
    './..',
    'a/...',
    'a/.. /b',
    '. ./x',
    'a/ /b',
    'a\\b',
    '\\\\host\\x',
    'C:',
    'C:/x',
    'c:x',
    './C:/x',
    'a:b',
    'a\nb',
    'a\0b',
    'a\x7f',
    5,
    {},
    [],
  ]
  for (const install_path of bad) refusedHere('install_path', { install_path })
})

test('an install path has at most 255 characters', () => {
  assert.equal(pathOf(letters(255)), letters(255))
  assert.equal(pathOf(`./${wide(255)}`), wide(255))
  refusedHere('install_path', { install_path: letters(256) })
  refusedHere('install_path', { install_path: wide(256) })
})

test('property: no accepted install path leaves the game folder on any system', () => {
  const piece = fc.constantFrom(
    '..',
    '.',
    '...',
    '.. ',
    'a',
    'C:',
    ':',
    '/',
    '//',
    '\\',
    ' ',
    'b.',
    '~',
    '%2e%2e',
    '\u2025',
    '．．',
  )
  const anything = fc.oneof(
    fc.array(fc.oneof(piece, fc.constant('/')), { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: anyCharacter }),
  )
  fc.assert(
    fc.property(anything, (install_path) => {
      const normalized = unlessRefused(() => pathOf(install_path))
      if (normalized === null) return
      assert.equal(pathOf(normalized), normalized)
      const posix = path.posix.resolve('/game', normalized)
      assert.ok(posix === '/game' || posix.startsWith('/game/'), posix)
      const windows = path.win32.resolve(
        'D:\\game',
        ...normalized.split('/').map((segment) => segment.replace(/[. ]+$/, '') || '.'),
      )
      assert.ok(windows === 'D:\\game' || windows.startsWith('D:\\game\\'), windows)
    }),
    { numRuns: 500 },
  )
})

test('a loader is a slug of up to 32 characters, or empty', () => {
  for (const loader of ['', 'x', 'my-loader', letters(32)])
    assert.equal(checkModSettings('plugin', { loader }).loader, loader)
  for (const loader of [letters(33), 'My', 'a b', 'a_b', '-a', 5, []])
    refusedHere('loader', { loader })
})

test('instructions are Markdown of up to 8000 characters, stored as written', () => {
  const instructions = '# Install\r\n\n\t1. Copy <b>it</b>\n'
  assert.equal(checkModSettings('mod', { instructions }).instructions, instructions)
  assert.equal(checkModSettings('mod', { instructions: wide(8000) }).instructions, wide(8000))
  for (const bad of [letters(8001), wide(8001), 'a\0', 'a\x1b', 5])
    refusedHere('instructions', { instructions: bad })
})
