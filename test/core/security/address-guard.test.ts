import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkUrl, isPublicAddress } from '../../../src/core/security/address-guard.ts'
import { fc } from '../../support/property.ts'

/** First and last address of every special range, with its public neighbors where they exist. */
const ranges4 = [
  { inside: ['0.0.0.0', '0.255.255.255'], outside: ['1.0.0.0'] },
  { inside: ['10.0.0.0', '10.255.255.255'], outside: ['9.255.255.255', '11.0.0.0'] },
  { inside: ['100.64.0.0', '100.127.255.255'], outside: ['100.63.255.255', '100.128.0.0'] },
  {
    inside: ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
    outside: ['126.255.255.255', '128.0.0.0'],
  },
  { inside: ['168.63.129.16'], outside: ['168.63.129.15', '168.63.129.17'] },
  {
    inside: ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    outside: ['169.253.255.255', '169.255.0.0'],
  },
  { inside: ['172.16.0.0', '172.31.255.255'], outside: ['172.15.255.255', '172.32.0.0'] },
  { inside: ['192.0.0.0', '192.0.0.255'], outside: ['191.255.255.255', '192.0.1.0'] },
  { inside: ['192.0.2.0', '192.0.2.255'], outside: ['192.0.1.255', '192.0.3.0'] },
  { inside: ['192.88.99.0', '192.88.99.255'], outside: ['192.88.98.255', '192.88.100.0'] },
  { inside: ['192.168.0.0', '192.168.255.255'], outside: ['192.167.255.255', '192.169.0.0'] },
  { inside: ['198.18.0.0', '198.19.255.255'], outside: ['198.17.255.255', '198.20.0.0'] },
  { inside: ['198.51.100.0', '198.51.100.255'], outside: ['198.51.99.255', '198.51.101.0'] },
  { inside: ['203.0.113.0', '203.0.113.255'], outside: ['203.0.112.255', '203.0.114.0'] },
  { inside: ['224.0.0.0', '239.255.255.255'], outside: ['223.255.255.255'] },
  { inside: ['240.0.0.0', '255.255.255.254', '255.255.255.255'], outside: [] },
]

const ranges6 = [
  { inside: ['::', '::1', '::7f00:1', '::ffff:ffff'], outside: [] },
  { inside: ['::ffff:0:0', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:ffff:ffff'], outside: [] },
  { inside: ['::ffff:0:7f00:1'], outside: [] },
  {
    inside: [
      '64:ff9b::',
      '64:ff9b::7f00:1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::',
      '64:ff9b:1:ffff::1',
    ],
    outside: [],
  },
  { inside: ['100::', '100::ffff:ffff:ffff:ffff', '1fff:ffff::1'], outside: ['2000::'] },
  {
    inside: ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2000:ffff::1', '2001:200::'],
  },
  {
    inside: ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2001:db7:ffff::1', '2001:db9::'],
  },
  { inside: ['2002::', '2002:7f00:1::', '2002:ffff:ffff::1'], outside: ['2001:ffff::1', '2003::'] },
  {
    inside: ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['3ffe:ffff::1', '3fff:1000::'],
  },
  { inside: ['4000::', '5f00::', '5f00:ffff::1'], outside: ['3fff:ffff:ffff::1'] },
  { inside: ['fc00::', 'fd00:ec2::254', 'fdff:ffff::1'], outside: [] },
  { inside: ['fe80::', 'fe80::1', 'febf::1', 'fec0::', 'feff::1'], outside: [] },
  { inside: ['ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], outside: [] },
]

for (const { inside, outside } of [...ranges4, ...ranges6])
  test(`rejects the special range from ${inside[0]} to its edges and accepts its neighbors`, () => {
    for (const ip of inside) assert.equal(isPublicAddress(ip), false, ip)
    for (const ip of outside) assert.equal(isPublicAddress(ip), true, ip)
  })

test('accepts public IPv4 and IPv6 addresses', () => {
  for (const ip of [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2A00:1450:4001:81B::200E',
  ])
    assert.equal(isPublicAddress(ip), true, ip)
})

test('rejects zones, brackets, short forms, names and empty text as addresses', () => {
  const nonPublic = [
    '2606:4700::1%eth0',
    'fe80::1%1',
    '[2606:4700::1]',
    '8.8',
    '08.8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '134744072',
    'example.com',
    '',
  ]
  for (const text of nonPublic) assert.equal(isPublicAddress(text), false, text)
})

test('property: an IPv4 address embedded in IPv6 is never public', () => {
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'),
      (ip, prefix) => !isPublicAddress(prefix + ip),
    ),
  )
})

const kind = (text: string, allow = {}) => {
  const checked = checkUrl(text, allow)
  return checked.ok ? 'ok' : checked.kind
}

test('accepts a public https URL and marks its resolved addresses for checking', () => {
  const checked = checkUrl('https://example.com:8443/hook?a=1')
  assert.ok(checked.ok)
  assert.deepEqual([checked.host, checked.guarded, checked.url.port], ['example.com', true, '8443'])
})

test('accepts http only where plain http is allowed, and rejects private address literals', () => {
  assert.equal(kind('http://example.com/'), 'blocked')
  assert.equal(kind('http://example.com/', { plain_http: true }), 'ok')
  assert.equal(kind('http://8.8.8.8/', { plain_http: true }), 'ok')
  assert.equal(kind('http://127.0.0.1/', { plain_http: true }), 'blocked')
})

test('rejects other schemes, user info and text that is not a URL', () => {
  const bad = [
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'example.com',
    '//example.com',
    '',
    'https://',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
  ]
  const hidden = [
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
  ]
  const disguised = [
    'https://example.com\\@evil.test/',
    'https://exa\tmple.com/',
    'https://example.com/\n',
    ' https://example.com/',
    'https://example.com/\0',
  ]
  for (const text of [...bad, ...hidden, ...disguised])
    assert.equal(kind(text, { plain_http: true, loopback: true }), 'bad_url', JSON.stringify(text))
})

test('detects a private address literal in every spelling that the URL parser accepts', () => {
  const loopback = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ]
  const others = [
    '0',
    '10.1',
    '0xa9fea9fe',
    '192.168.1.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '[fd00::1]',
    '[64:ff9b::a00:1]',
  ]
  const names = ['localhost', 'LOCALHOST.', 'api.localhost']
  for (const host of [...loopback, ...others, ...names])
    assert.equal(kind(`https://${host}/`), 'blocked', host)
  for (const host of [
    '8.8.8.8',
    '134744072',
    '[2606:4700:4700::1111]',
    'localhost.example.com',
    'notlocalhost',
  ])
    assert.equal(kind(`https://${host}/`), 'ok', host)
})

test('the loopback exception covers only http://127.0.0.1 as written, with any port', () => {
  const exact = [
    'http://127.0.0.1',
    'http://127.0.0.1/',
    'http://127.0.0.1:3000/a?b#c',
    'http://127.0.0.1:65535',
    'http://127.0.0.1?x',
    'http://127.0.0.1#x',
  ]
  for (const text of exact) {
    assert.equal(kind(text, { loopback: true }), 'ok', text)
    assert.equal(kind(text), 'blocked', text)
  }
  const near = [
    'http://localhost/',
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://127.1/',
    'http://0x7f.0.0.1/',
    'http://2130706433/',
    'http://127.0.0.1./',
    'http://[::ffff:127.0.0.1]/',
  ]
  const other = [
    'https://127.0.0.1/',
    'http:127.0.0.1/',
    'http:/127.0.0.1/',
    'http:///127.0.0.1/',
    'http://127.0.0.01/',
    'http://%3127.0.0.1/',
    'http://127.0.0.1.example.com/',
  ]
  for (const text of [...near, ...other])
    assert.equal(kind(text, { loopback: true }), 'blocked', text)
  assert.equal(kind('http://127.0.0.1@evil.test/', { loopback: true }), 'bad_url')
  assert.equal(kind('http://user@127.0.0.1/', { loopback: true }), 'bad_url')
})

test('a trusted origin is not checked, and only that exact origin', () => {
  const allow = { trusted_origins: new Set(['http://127.0.0.1:9000', 'http://store.internal']) }
  const checked = checkUrl('http://store.internal/a', allow)
  assert.ok(checked.ok && !checked.guarded)
  assert.equal(kind('http://127.0.0.1:9000/x', allow), 'ok')
  assert.equal(kind('http://127.0.0.1:9001/x', allow), 'blocked')
  assert.equal(kind('http://store.internal:81/', allow), 'blocked')
  assert.equal(kind('http://user@store.internal/', allow), 'bad_url')
})

test('error messages do not contain the URL', () => {
  for (const text of [
    'https://hush:hush@example.com/hush?hush',
    'http://10.0.0.1/hush?hush',
    'hush://hush',
    'hush',
  ]) {
    const checked = checkUrl(text)
    assert.ok(!checked.ok && !checked.message.includes('hush'))
  }
})

test('property: no input makes the check throw', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(
      fc.constantFrom('', 'https://', 'http://['),
      text,
      (start, rest) => typeof checkUrl(start + rest).ok === 'boolean',
    ),
  )
})
