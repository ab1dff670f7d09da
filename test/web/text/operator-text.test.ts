import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorPages } from '../../../src/web/operator/routes.ts'
import { startConsole } from '../../operator/fixtures.ts'
import { newAddress } from '../../support/builders.ts'
import { PSEUDO_ENGLISH, PSEUDO_LANGUAGES, plainTexts, textsOf } from './visible-text.ts'

/** What people entered, and names that are the same in every language. */
const CONTENT = [/person-\d+(?:@example\.com)?/g]

test('every text of the console is a message', async (t) => {
  const { console } = await startConsole(t, { ...PSEUDO_LANGUAGES, PROXY_HOPS: '1' })
  const pages = operatorPages.filter(({ method, url }) => method === 'GET' && !url.includes(':'))
  const problems: string[] = []
  for (const { url } of pages) {
    const { status, body } = await console.open(url, { ...PSEUDO_ENGLISH, ...newAddress() })
    assert.ok(status === 200 || status === 303, `${url}: ${status}`)
    for (const text of plainTexts(textsOf(body), CONTENT)) problems.push(`${url}: ${text}`)
  }
  assert.deepEqual(problems, [])
})
