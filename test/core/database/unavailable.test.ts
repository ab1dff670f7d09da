import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDatabaseUnavailable } from '../../../src/core/database/unavailable.ts'

test('a database that cannot work at the moment is distinguished from a wrong query', () => {
  const unavailable = {
    'a connection that is refused': 'ECONNREFUSED',
    'a connection that is lost': 'CONNECTION_CLOSED',
    'a query without an answer': 'QUERY_TIMEOUT',
    'a broken protocol': '08P01',
    'a full disk': '53100',
    'no memory': '53200',
    'too many connections': '53300',
    'a file that cannot be read': '58030',
    'a standby': '25006',
    'a lock that is held for too long': '55P03',
    'a statement that takes too long': '57014',
    'a server that stops': '57P01',
    'a server that starts': '57P03',
    'a session that is idle for too long': '57P05',
    'a transaction that takes too long': '25P04',
    'a statement of unknown outcome': '40003',
  }
  for (const [name, code] of Object.entries(unavailable))
    assert.ok(isDatabaseUnavailable({ code }), name)
  const other = {
    'a value that exists already': '23505',
    'a missing row of a foreign key': '23503',
    'a mistake in a statement': '42601',
    'a missing column': '42703',
    'damaged data': 'XX001',
    'a missing file': 'ENOENT',
    'a code of something else that starts alike': '53 abc',
    'no code': undefined,
  }
  for (const [name, code] of Object.entries(other))
    assert.equal(isDatabaseUnavailable({ ...(code && { code }) }), false, name)
  const failed_connections = {
    'a missing socket': 'ENOENT',
    'a server that is frozen, with as many waiting connections as it allows': 'EAGAIN',
    'no free local port': 'EADDRNOTAVAIL',
  }
  for (const [name, code] of Object.entries(failed_connections)) {
    assert.ok(isDatabaseUnavailable({ code, syscall: 'connect' }), name)
    assert.equal(isDatabaseUnavailable({ code, syscall: 'read' }), false, `${code} of a file`)
  }
  for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
    assert.ok(isDatabaseUnavailable({ code, syscall: 'getaddrinfo' }), `${code} of a host`)
    assert.equal(isDatabaseUnavailable({ code }), false, `${code} of something else`)
  }
})
