import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { isImageHost, trustedOrigins } from '../../../src/extstore/client/image-hosts.ts'

test('matches image hosts exactly or by suffix, and requires https except for loopback', () => {
  const hosts = [
    'images.example',
    'other.example:8443',
    '.cdn.example',
    '127.0.0.1:9000',
    '[::1]:9000',
  ]
  const good = [
    'https://images.example/a',
    'https://other.example:8443/',
    'https://a.cdn.example/x',
    'https://a.b.cdn.example/',
    'http://127.0.0.1:9000/x',
    'http://[::1]:9000/',
  ]
  const bad = [
    'http://images.example/a',
    'https://images.example:444/',
    'https://other.example/',
    'https://cdn.example/',
    'https://evilcdn.example/',
    'https://a.cdn.example.evil/',
    'https://a.cdn.example:8443/',
    'http://a.cdn.example/',
    'https://127.0.0.1:9000/',
    'http://127.0.0.1:9001/',
    'http://localhost:9000/',
    'https://user@images.example/',
    'https://images.example\\@evil/',
    'ftp://images.example/',
    'https://images.example/ x',
    '//images.example/',
    '',
    'x',
  ]
  for (const url of good) assert.equal(isImageHost(url, hosts), true, url)
  for (const url of bad) assert.equal(isImageHost(url, hosts), false, url)
  assert.deepEqual(trustedOrigins(hosts), [
    'https://images.example',
    'https://other.example:8443',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ])
})

test('the setting accepts hosts, hosts with ports and suffixes only', () => {
  const read = (value: string) => readConfig({ EXTSTORE_IMAGE_HOSTS: value }).extstore_image_hosts
  assert.deepEqual(read('A.example:443, b.example:8443,.c.example,127.0.0.1:9000'), [
    'a.example',
    'b.example:8443',
    '.c.example',
    '127.0.0.1:9000',
  ])
  assert.equal(readConfig({}).extstore_image_hosts, undefined)
  for (const bad of [
    ',',
    'https://a.example',
    'a.example/x',
    'a b',
    '*.a.example',
    '.',
    '.a:80',
    'a@b',
  ])
    assert.throws(() => read(bad), /EXTSTORE_IMAGE_HOSTS/, bad)
})
