import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { parse } from 'yaml'
import { agentScopes, operatorScopes, playerScopes } from '../../../src/accounts/keys/scopes.ts'
import { PICKS } from '../../../src/catalog/shelves/picks.ts'
import { shelfKinds } from '../../../src/catalog/shelves/shelf-rules.ts'
import type { Schema } from '../../../src/core/http/openapi/schemas.ts'
import { MIB } from '../../../src/core/runtime/units.ts'
import { genres } from '../../../src/listings/fields/fields.ts'
import { architectures, operatingSystems } from '../../../src/listings/fields/platforms.ts'
import { routes } from '../../../src/routes.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'
import { sharedInFile } from '../../support/shared.ts'
import {
  apiDescriptionOf,
  type Description,
  operationsOf,
  undocumentedAnswers,
} from './described-api.ts'

const sharedApp = sharedInFile(startApp)

const run = promisify(execFile)
const JSON_URL = '/api/v1/public/openapi.json'
const METADATA = '/.well-known/oauth-authorization-server'
const PRIVATE_URL = '/api/v1/private/openapi.json'

test('the description is OpenAPI 3.1 with exactly the public and game routes', async (t) => {
  const { get, url } = await sharedApp(t)
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

test('the operations of the authorization server and of uploads have their addresses', async (t) => {
  const app = await startApp(t, {
    BASE_URL: 'https://api.example.com',
    UPLOAD_URL: 'https://upload.example.com',
    MCP_AUTH_URL: 'https://login.example.com',
  })
  const description = await apiDescriptionOf(app, 'private')
  assert.deepEqual(description.servers, [{ url: 'https://api.example.com' }])
  const operations = operationsOf(description)
  const pathsAt = (url?: string) =>
    operations
      .filter(({ operation: { servers = [] } }) => servers[0]?.url === url)
      .map(({ path }) => path)
  const authorization = pathsAt('https://login.example.com')
  for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke', METADATA])
    assert.ok(authorization.includes(path), path)
  assert.ok(authorization.every((path) => /oauth|openid/.test(path)))
  assert.ok(pathsAt('https://upload.example.com').includes('/api/v1/tool/upload/files'))
  assert.ok(pathsAt().every((path) => !path.startsWith('/oauth/')))
})

test('the symbols of a build name the systems that symbol files can have', async (t) => {
  const { schemas } = (await apiDescriptionOf(await sharedApp(t), 'private')).components
  const systems = ['windows', 'linux', 'mac', 'ios', 'android']
  assert.deepEqual(schemas.SymbolFile!.properties!.os!.enum, systems)
})

test('the check of answers reports statuses and media types that are not documented', async (t) => {
  const description = await apiDescriptionOf(await sharedApp(t), 'public')
  const problemsOf = (status: number, type: string) =>
    undocumentedAnswers(
      [description],
      [{ method: 'GET', path: '/health', status, headers: { 'content-type': type } }],
    )
  assert.deepEqual(problemsOf(200, 'application/json; charset=utf-8'), [])
  assert.deepEqual(problemsOf(418, 'application/json'), ['get_health 418: is not documented'])
  for (const type of ['text/html', 'application/jsonl', ''])
    assert.deepEqual(problemsOf(200, type), [
      `get_health 200: media type ${type}, not application/json`,
    ])
})

test('two independent linters accept both descriptions', async (t) => {
  const { get } = await sharedApp(t)
  for (const url of [JSON_URL, PRIVATE_URL]) {
    const { body } = await get(url)
    const { valid, errors } = await new Validator().validate(structuredClone(body))
    assert.ok(valid, JSON.stringify(errors))
    const file = join(temporaryFolder(t), 'openapi.json')
    writeFileSync(file, JSON.stringify(body))
    assert.deepEqual(await lint(file), [])
  }
})

/** Every property of a schema and of the schemas within it, with its path. */
function* propertiesIn(schema: Schema, path: string): Generator<[string, Schema]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, property]
    yield* propertiesIn(property, `${path}.${name}`)
  }
  if (schema.items) yield* propertiesIn(schema.items, path)
  for (const option of schema.anyOf ?? []) yield* propertiesIn(option, path)
}

test('properties with a unit, a format of their own or null say what they mean', async (t) => {
  const app = await sharedApp(t)
  const unexplained: string[] = []
  for (const audience of ['public', 'private'] as const) {
    const { components } = await apiDescriptionOf(app, audience)
    for (const [title, schema] of Object.entries(components.schemas))
      for (const [path, { description, anyOf = [], format, $ref }] of propertiesIn(schema, title)) {
        const may_be_null = anyOf.some(({ type }) => type === 'null')
        const has_unit = /(\.|_)(size|bytes|seconds|cents|expires_in|width|height)$/.test(path)
        const needs_text = may_be_null || has_unit || format === 'date-time'
        if (needs_text && !description && !$ref) unexplained.push(path)
      }
  }
  assert.deepEqual(unexplained, [])
})

async function lint(file: string): Promise<unknown[]> {
  const rules = join(import.meta.dirname, 'openapi-lint.yaml')
  const redocly = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await run(
    process.execPath,
    [redocly, 'lint', file, '--config', rules, '--format', 'json'],
    { env, maxBuffer: 64 * MIB },
  ).catch((failed) => failed)
  return JSON.parse(stdout).problems
}

test('the private description has every other route that is not a page', async (t) => {
  const { get } = await sharedApp(t)
  const documents = (['public', 'private'] as const).map((audience) =>
    apiDescriptionOf({ get }, audience),
  )
  const described = (await Promise.all(documents)).flatMap(operationsOf)
  const wanted = routes.filter(({ page, hidden }) => !page && !hidden)
  assert.deepEqual(
    described.map(({ method, path }) => `${method} ${path}`).sort(),
    wanted.map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
  )
  const ids = described.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique')
})

test('redirects are described as such, with their header and without a body', async (t) => {
  const { paths } = await apiDescriptionOf(await sharedApp(t), 'public')
  for (const path of [
    '/api/v1/public/downloads/{file_uid}/redirect',
    '/api/v1/public/asset-library/asset/{asset_id}/download',
  ]) {
    const { 302: redirect, 200: success } = paths[path]!.get!.responses
    assert.deepEqual(Object.keys(redirect!.headers!), ['Location'], path)
    assert.deepEqual([redirect!.content, success], [undefined, undefined], path)
  }
})

test('every route that takes a body describes it', async (t) => {
  const { get } = await sharedApp(t)
  const { paths } = await apiDescriptionOf({ get }, 'public')
  assert.deepEqual(
    Object.keys(paths['/api/v1/public/crashes']!.post!.requestBody!.content).sort(),
    ['application/json', 'multipart/form-data'],
  )
  const undescribed = routes.filter(
    ({ page, raw_body, body, described }) => !page && raw_body && !(described?.body ?? body),
  )
  assert.deepEqual(
    undescribed.map(({ method, url }) => `${method} ${url}`),
    [],
  )
})

test('the credentials name OAuth tokens and the header SVC_GAMES', async (t) => {
  const { paths, components } = await apiDescriptionOf(await sharedApp(t), 'public')
  const { bearer, svc_games } = components.securitySchemes
  assert.match(bearer!.description, /player key.*OAuth token/)
  assert.deepEqual([svc_games!.type, svc_games!.name], ['apiKey', 'SVC_GAMES'])
  assert.deepEqual(paths['/api/v1/public/search']!.get!.security, [
    {},
    { bearer: ['player:read'] },
    { svc_games: ['player:read'] },
  ])
})

test('every parameter is described, and required only without a default', async (t) => {
  const { get } = await sharedApp(t)
  for (const audience of ['public', 'private'] as const) {
    const description = await apiDescriptionOf({ get }, audience)
    const parameters = operationsOf(description).flatMap(({ method, path, operation }) =>
      (operation.parameters ?? []).map((parameter) => ({
        ...parameter,
        place: `${method} ${path} ${parameter.name}`,
      })),
    )
    const places = (list: typeof parameters) => list.map(({ place }) => place)
    assert.deepEqual(places(parameters.filter(({ description }) => !description)), [])
    const defaults = parameters.filter(({ schema }) => schema.default !== undefined)
    assert.ok(defaults.length > 0)
    assert.deepEqual(places(defaults.filter(({ required }) => required)), [])
  }
})

test('fixed values are enums', async (t) => {
  const { get } = await sharedApp(t)
  const open = await apiDescriptionOf({ get }, 'public')
  const closed = await apiDescriptionOf({ get }, 'private')
  const parameterOf = ({ paths }: Description, path: string, name: string) =>
    paths[path]!.get!.parameters!.find((parameter) => parameter.name === name)!.schema
  const search = (name: string) => parameterOf(open, '/api/v1/public/search', name).items?.enum
  assert.deepEqual(search('genres'), genres)
  assert.deepEqual(search('os'), operatingSystems)
  assert.deepEqual(search('arch'), architectures)
  const shelf = '/api/v1/public/shelves/{kind}'
  assert.deepEqual(parameterOf(open, shelf, 'kind').enum, [...shelfKinds, PICKS])
  assert.deepEqual(parameterOf(open, shelf, 'os').enum, operatingSystems)
  const { schemas } = closed.components
  assert.deepEqual(schemas.BuildRegistration!.properties!.arch!.enum, architectures)
  assert.deepEqual(schemas.Key!.properties!.scopes!.items!.enum, [
    ...playerScopes,
    ...agentScopes,
    ...operatorScopes,
  ])
})

test('platforms, asset types, scans and scopes of answers are enums', async (t) => {
  const { get } = await sharedApp(t)
  const names = new Set(['asset_type', 'visibility', 'scopes', 'scan'])
  const plain: string[] = []
  for (const audience of ['public', 'private'] as const) {
    const { components } = await apiDescriptionOf({ get }, audience)
    for (const title of platformSchemas) {
      const { properties = {} } = components.schemas[title] ?? {}
      for (const name of ['os', 'arch'])
        if (properties[name] && !properties[name].enum) plain.push(`${title}.${name}`)
    }
    for (const [title, { properties = {} }] of Object.entries(components.schemas))
      for (const [name, { items, ...schema }] of Object.entries(properties))
        if (names.has(name) && !hasEnum(items ?? schema)) plain.push(`${title}.${name}`)
  }
  assert.deepEqual(plain, [])
})

const platformSchemas = [
  ...['ListingFile', 'Build', 'BuildFile', 'OwnBuild', 'OwnBuildFile', 'ListedBuild'],
  ...['UploadedFile', 'ScannedFile', 'FileProvenance'],
]
const hasEnum = ({ enum: values, const: value, anyOf = [], $ref }: Schema & { const?: unknown }) =>
  !!values || value !== undefined || !!$ref || anyOf.some((option) => option.enum)

test('answers, bodies and errors refer to named schemas', async (t) => {
  const { get } = await sharedApp(t)
  for (const audience of ['public', 'private'] as const) {
    const description = await apiDescriptionOf({ get }, audience)
    const { schemas } = description.components
    const contents = operationsOf(description).flatMap(({ operation }) => [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap(({ content }) => Object.values(content ?? {})),
    ])
    const unnamed = contents
      .map(({ schema }) => schema.properties?.data ?? schema)
      .filter(({ properties }) => properties)
    assert.deepEqual(unnamed, [])
    const references = [...JSON.stringify(description).matchAll(/"#\/components\/schemas\/(\w+)"/g)]
    assert.deepEqual(
      references.map(([, name]) => name!).filter((name) => !schemas[name]),
      [],
    )
  }
  const { components } = await apiDescriptionOf({ get }, 'public')
  for (const name of ['Listing', 'SearchResult', 'DownloadLink', 'Review', 'Failure'])
    assert.ok(components.schemas[name], name)
})

test('a body that may be left out is not required', async (t) => {
  const { get } = await sharedApp(t)
  const { paths, components } = await apiDescriptionOf({ get }, 'private')
  for (const path of [
    '/api/v1/games/{game_uid}/bugs/notices/ack',
    '/api/v1/private/invites/{uid}/accept',
  ]) {
    const { required, content } = paths[path]!.post!.requestBody!
    const name = content['application/json']!.schema.$ref!.split('/').at(-1)!
    const { type, required: fields = [] } = components.schemas[name]!
    assert.deepEqual([required, type, fields], [false, 'object', []], path)
  }
})

/** A schema and all schemas within it, each with its place. */
function schemasIn(place: string, schema: Schema): [string, Schema][] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  return [
    [place, schema],
    ...Object.entries(properties).flatMap(([name, inner]) => schemasIn(`${place}.${name}`, inner)),
    ...(items ? schemasIn(`${place}[]`, items) : []),
    ...anyOf.flatMap((inner, i) => schemasIn(`${place}|${i}`, inner)),
    ...(typeof additionalProperties === 'object'
      ? schemasIn(`${place}.*`, additionalProperties)
      : []),
  ]
}

/** Whether a schema says nothing. Free-form JSON says so, with a description. */
function isEmpty({ $ref, type, enum: values, anyOf, ...schema }: Schema): boolean {
  if (!$ref && !type && !values && !anyOf) return true
  if (type === 'array') return !schema.items
  if (type !== 'object' || Object.keys(schema.properties ?? {}).length) return false
  const { additionalProperties: others } = schema
  return others === undefined || (others === true && !schema.description)
}

test('no property, body, answer or parameter has an empty schema', async (t) => {
  const { get } = await sharedApp(t)
  for (const audience of ['public', 'private'] as const) {
    const description = await apiDescriptionOf({ get }, audience)
    const inOperations = operationsOf(description).flatMap(({ operation }) => {
      const answers = Object.entries(operation.responses)
      const bodies = [
        ...Object.entries(operation.requestBody?.content ?? {}),
        ...answers.flatMap(([, { content = {} }]) => Object.entries(content)),
      ]
      return [
        ...bodies.map(([type, { schema }]) => [type, schema] as const),
        ...(operation.parameters ?? []).map(({ name, schema }) => [name, schema] as const),
      ].flatMap(([place, schema]) => schemasIn(`${operation.operationId} ${place}`, schema))
    })
    const named = Object.entries(description.components.schemas)
    const all = [...inOperations, ...named.flatMap(([name, schema]) => schemasIn(name, schema))]
    assert.ok(all.length > 500)
    assert.deepEqual(
      all.filter(([, schema]) => isEmpty(schema)).map(([place]) => place),
      [],
    )
  }
})

test('tags say what a route belongs to', async (t) => {
  const { get } = await sharedApp(t)
  const open = await apiDescriptionOf({ get }, 'public')
  const closed = await apiDescriptionOf({ get }, 'private')
  const tag = ({ paths }: Description, path: string) =>
    Object.values(paths[path]!).flatMap(({ tags }) => tags)
  assert.deepEqual(tag(open, '/api/v1/public/crash-uploads/{token}'), ['Ingest'])
  assert.deepEqual(tag(open, '/api/v1/public/openapi.json'), ['Operation'])
  assert.deepEqual(tag(closed, '/api/v1/private/operations/status'), ['Operators'])
  assert.deepEqual(tag(closed, '/api/v1/tool/upload/build'), ['Build machines'])
  assert.deepEqual(tag(closed, '/api/v1/games/{game_uid}/bugs'), ['Running games'])
  for (const description of [open, closed]) {
    const used = new Set(operationsOf(description).flatMap(({ operation }) => operation.tags))
    assert.deepEqual(description.tags.map(({ name }) => name).sort(), [...used].sort())
  }
})

test('YAML and JSON have the same content', async (t) => {
  const { get } = await sharedApp(t)
  const yaml = await get('/api/v1/public/openapi.yaml')
  assert.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8')
  assert.deepEqual(parse(yaml.body), (await get(JSON_URL)).body)
})

test('the description lists the error codes of a route', async (t) => {
  const { get } = await sharedApp(t)
  const { responses } = (await get(JSON_URL)).body.paths['/api/v1/public/games/{game_id}'].get
  assert.match(responses['404'].description, /4040/)
  assert.match(responses['401'].description, /4010/)
  assert.deepEqual(responses['200'].content['application/json'].schema.properties.success, {
    type: 'boolean',
    enum: [true],
  })
})

test('other origins may read the description, without credentials', async (t) => {
  const { get, call } = await sharedApp(t)
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

test('the reference page lists every public route and has no script of its own', async (t) => {
  const { get } = await sharedApp(t)
  const { status, headers, body } = await get('/docs/api')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(headers['content-security-policy']!, /default-src 'none'/)
  assert.doesNotMatch(body, /<script(?![^>]* src="\/assets\/(suggest|offline)-)/)
  for (const { url } of routes.filter(
    ({ url, hidden }) => !hidden && url.startsWith('/api/v1/public/'),
  ))
    assert.ok(body.includes(`<code>${url.replaceAll(/:(\w+)/g, '{$1}')}</code>`), url)
  assert.ok(body.includes(`href="${PRIVATE_URL}"`))
  assert.doesNotMatch(body, /<p class="soft">: (required|optional)/, 'a credential has no name')
})
