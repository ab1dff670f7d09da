import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachment, readRange } from '../../src/core/http/file-headers.ts'
import { clientOf, sourceOf } from '../../src/downloads/attempts.ts'

test('reads clients, sources, ranges and file names', () => {
  assert.deepEqual(clientOf('GodotEngine/4.3.1 (Linux)'), {
    client: 'third_party_editor',
    client_version: '4.3.1',
  })
  assert.deepEqual(clientOf('GodotEngine/4.6.beta2'), {
    client: 'third_party_editor',
    client_version: '4.6.beta2',
  })
  assert.deepEqual(clientOf('SlipwayEngine/1.0'), { client: 'svc_editor', client_version: '1.0' })
  assert.deepEqual(clientOf('GodotEngine/'), { client: 'third_party_editor', client_version: null })
  for (const other of ['SomeEngine/4.3', 'x GodotEngine/4.3', 'Godot/4.3'])
    assert.deepEqual(clientOf(other), { client: 'other', client_version: null })
  assert.equal(clientOf('Mozilla/5.0 (X11)').client, 'browser')
  assert.equal(clientOf('some-agent/1').client, 'agent')
  assert.equal(clientOf(undefined).client, 'other')
  assert.equal(sourceOf('website', 'store.example', 'https://store.example'), 'website')
  assert.equal(sourceOf('website', 'other.example', 'https://store.example'), 'api')
  assert.equal(sourceOf(undefined, 'store.example', 'https://store.example'), 'api')
  const cases: [string | undefined, unknown][] = [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=5-100', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-100', { start: 0, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=10-', null],
    ['bytes=-0', null],
    ['bytes=5-4', undefined],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
    ['bytes=-', undefined],
  ]
  for (const [header, expected] of cases) assert.deepEqual(readRange(header, 10), expected, header)
  assert.equal(
    attachment('Ä"b.zip'),
    `attachment; filename="__b.zip"; filename*=UTF-8''%C3%84%22b.zip`,
  )
})
