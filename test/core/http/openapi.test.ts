import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { parse } from 'yaml'
import { routes } from '../../../src/routes.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'

const run = promisify(execFile)
const JSON_URL = '/api/v1/public/openapi.json'

test('the description is OpenAPI 3.1 with exactly the public and game routes', async (t) => {
  const { get, url } = await startApp(t)
  const { headers, body } = await get(JSON_URL)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(body.openapi, '3.1.0')
  assert.deepEqual(body.servers, [{ url }])
  const described = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const expected = routes.filter(
    ({ url, hidden }) => !hidden && /^\/(api\/v1\/(public|extstore)\/|health$|ready$)/.test(url),
  )
  assert.deepEqual(
    described.sort(),
    expected.map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
  )
})

test('two independent linters accept the description', async (t) => {
  const { get } = await startApp(t)
  const { body } = await get(JSON_URL)
  const { valid, errors } = await new Validator().validate(structuredClone(body))
  assert.ok(valid, JSON.stringify(errors))
  const file = join(temporaryFolder(t), 'openapi.json')
  writeFileSync(file, JSON.stringify(body))
  const rules = join(import.meta.dirname, 'openapi-lint.yaml')
  const redocly = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const lint = await run(
    process.execPath,
    [redocly, 'lint', file, '--config', rules, '--format', 'json'],
    { env },
  ).catch((failed) => failed)
  const report = JSON.parse(lint.stdout)
  assert.deepEqual(
    [report.totals.errors, report.totals.warnings],
    [0, 0],
    JSON.stringify(report.problems, null, 1),
  )
})

test('YAML and JSON have the same content', async (t) => {
  const { get } = await startApp(t)
  const yaml = await get('/api/v1/public/openapi.yaml')
  assert.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8')
  assert.deepEqual(parse(yaml.body), (await get(JSON_URL)).body)
})

test('the description lists the error codes of a route', async (t) => {
  const { get } = await startApp(t)
  const { responses } = (await get(JSON_URL)).body.paths['/api/v1/public/games/{game_id}'].get
  assert.match(responses['404'].description, /4040/)
  assert.match(responses['401'].description, /4010/)
  assert.deepEqual(responses['200'].content['application/json'].schema.properties.success, {
    type: 'boolean',
    enum: [true],
  })
})

test('other origins may read the description, without credentials', async (t) => {
  const { get, call } = await startApp(t)
  const { headers } = await get(JSON_URL, { headers: { origin: 'https://elsewhere.example' } })
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['access-control-allow-credentials'], undefined)
  const preflight = await call('OPTIONS', JSON_URL, {
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
  })
  assert.deepEqual(
    [
      preflight.status,
      preflight.headers['access-control-allow-origin'],
      preflight.headers['access-control-allow-methods'],
    ],
    [204, '*', 'GET, HEAD, OPTIONS'],
  )
  const other = await get('/health', { headers: { origin: 'https://elsewhere.example' } })
  assert.equal(other.headers['access-control-allow-origin'], undefined)
})

test('the description is limited to 120 requests a minute, JSON and YAML together', async (t) => {
  const { get } = await startApp(t)
  const statuses: number[] = []
  for (let i = 0; i < 121; i++)
    statuses.push((await get(i % 2 ? JSON_URL : '/api/v1/public/openapi.yaml')).status)
  assert.deepEqual([statuses[119], statuses[120]], [200, 429])
})

test('the reference page lists every public route and runs no script', async (t) => {
  const { get } = await startApp(t)
  const { status, headers, body } = await get('/docs/api')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(headers['content-security-policy']!, /default-src 'none'/)
  assert.doesNotMatch(body, /<script/)
  for (const { url } of routes.filter(
    ({ url, hidden }) => !hidden && url.startsWith('/api/v1/public/'),
  ))
    assert.ok(body.includes(`<code>${url.replaceAll(/:(\w+)/g, '{$1}')}</code>`), url)
})
