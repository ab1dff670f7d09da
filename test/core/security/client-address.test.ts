import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress, limitKey } from '../../../src/core/security/client-address.ts'
import { fc } from '../../support/property.ts'

test('ignores the forwarded header without a trusted proxy', () => {
  assert.equal(clientAddress('198.51.100.7', '203.0.113.1', 0), '198.51.100.7')
})

test('with n trusted proxies the client is the nth entry from the right', () => {
  assert.equal(clientAddress('10.0.0.1', '203.0.113.1', 1), '203.0.113.1')
  assert.equal(clientAddress('10.0.0.1', '1.1.1.1, 203.0.113.1', 1), '203.0.113.1')
  assert.equal(clientAddress('10.0.0.1', '1.1.1.1, 203.0.113.1, 10.0.0.2', 2), '203.0.113.1')
  assert.equal(clientAddress('10.0.0.1', ['1.1.1.1', '203.0.113.1'], 1), '203.0.113.1')
})

test('a chain shorter than configured gives its leftmost entry', () => {
  assert.equal(clientAddress('10.0.0.1', '203.0.113.1', 3), '203.0.113.1')
})

test('falls back to the socket address when the entry is not an address', () => {
  for (const entry of ['unknown', '', '999.1.1.1', '<script>', 'example.com', "1.1.1.1'; drop"])
    assert.equal(clientAddress('10.0.0.1', entry, 1), '10.0.0.1', entry)
})

test('removes ports, brackets, zones and the IPv4-mapped prefix', () => {
  assert.equal(clientAddress('::ffff:198.51.100.7', undefined, 0), '198.51.100.7')
  assert.equal(clientAddress('::ffff:c633:6407', undefined, 0), '198.51.100.7')
  assert.equal(clientAddress('10.0.0.1', '203.0.113.1:4711', 1), '203.0.113.1')
  assert.equal(clientAddress('10.0.0.1', '[2001:db8::1]:4711', 1), '2001:db8::1')
  assert.equal(clientAddress('fe80::1%eth0', undefined, 0), 'fe80::1')
})

test('counts IPv6 clients by their /64 and IPv4 clients by their address', () => {
  assert.equal(limitKey('203.0.113.1'), '203.0.113.1')
  assert.equal(limitKey('2001:db8:1:2:3:4:5:6'), limitKey('2001:db8:1:2::'))
  assert.equal(limitKey('2001:DB8:1:2::9'), limitKey('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  assert.notEqual(limitKey('2001:db8:1:2::'), limitKey('2001:db8:1:3::'))
  assert.equal(limitKey('::1'), '0:0:0:0::/64')
})

test('every spelling of an IPv6 address maps to the same /64', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const full = groups.map((n) => n.toString(16).padStart(4, '0')).join(':')
      const short = new URL(`http://[${full}]`).hostname.slice(1, -1)
      assert.equal(limitKey(short), limitKey(full))
      assert.equal(
        limitKey(full),
        `${groups
          .slice(0, 4)
          .map((n) => n.toString(16))
          .join(':')}::/64`,
      )
    }),
  )
})
