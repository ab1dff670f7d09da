import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, outbox } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { startStore } from '../../web/fixtures.ts'

const root = join(import.meta.dirname, '../../..')
const NAME = 'Harbor & <Bell>'

test('no message of pages and mails contains the name of the software', () => {
  const files = globSync('messages/*/*.ftl', { cwd: root })
  assert.ok(files.length > 20)
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /Slipway/, file)
})

test('pages, feeds and documents name the store and not the software', async (t) => {
  const { a, published, call, post, data_dir } = await startStore(t, {
    STORE_NAME: NAME,
    POWERED_BY: 'off',
  })
  const listing = await published()
  const person = `/${listing.owner.username}`
  const page = `${person}/${listing.vanity_name}`
  const api = '/api/v1'
  const named = [
    '/',
    '/search',
    '/login',
    person,
    page,
    `${page}/embed`,
    `${page}/press`,
    `${page}/reviews`,
    '/docs/api',
    '/feeds/new.atom',
    '/feeds/updated.atom',
    '/feeds/search.atom?q=tide',
    `${person}/feed.atom`,
    '/llms.txt',
    `${person}/llms.txt`,
    '/manifest.webmanifest',
    '/offline.html',
    `${api}/public/openapi.json`,
    `${api}/private/openapi.json`,
    '/.well-known/mcp/server-card.json',
    '/.well-known/mcp/player-server-card.json',
    '/.well-known/oauth-protected-resource/mcp',
  ]
  const unnamed = ['/humans.txt', `${page}/llms.txt`, '/docs/agents/tools.md', '/missing']
  for (const path of [...named, ...unnamed]) {
    const { status, body } = await call('GET', path, { headers: { accept: 'text/html, */*' } })
    assert.equal(status, path === '/missing' ? 404 : 200, path)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    assert.doesNotMatch(text, /Slipway/, path)
    if (named.includes(path)) assert.match(text, /Harbor (?:&amp;|&|\\&) (?:&lt;|\\?<)Bell/, path)
    if (text.startsWith('<')) assert.doesNotMatch(text, /<Bell>/, path)
  }
  must(await post(`${api}/private/account/email-code`, {}, await a.user()))
  const mail = await eventually('the mail', () => outbox(data_dir)[0])
  assert.match(mail.subject, /is your code for Harbor & <Bell>$/)
})

test('pages and feeds name the software unless the operator turns it off', async (t) => {
  const { get } = await startStore(t, { STORE_NAME: NAME })
  assert.match((await get('/')).body, /Powered by Slipway/)
  assert.match((await get('/feeds/new.atom')).body, /<generator>Slipway<\/generator>/)
  assert.match((await get('/humans.txt')).body, /^Software: Slipway$/m)
})
