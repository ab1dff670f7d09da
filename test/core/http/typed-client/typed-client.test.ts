import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Operation } from '../../../../src/core/http/openapi/document.ts'
import { errors } from '../../../../src/core/runtime/errors.ts'
import { MIB } from '../../../../src/core/runtime/units.ts'
import { startApp, temporaryFolder } from '../../../support/app.ts'
import { sharedInFile } from '../../../support/shared.ts'
import {
  apiDescriptionOf,
  type Described,
  operationsOf,
  type Schemas,
  sampleOf,
} from '../described-api.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const audiences = ['public', 'private'] as const
type Audience = (typeof audiences)[number]
type Answer = { status: number; answer?: { error?: { code?: number; message?: string } } }

/** A folder with the client and the types of both descriptions. */
async function generateTypes(t: TestContext, { get }: Awaited<ReturnType<typeof startApp>>) {
  const folder = temporaryFolder(t)
  copyFileSync(join(import.meta.dirname, 'client.ts'), join(folder, 'client.ts'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const operations: Record<Audience, Described[]> = { public: [], private: [] }
  const schemas: Record<Audience, Schemas> = { public: {}, private: {} }
  for (const audience of audiences) {
    const description = await apiDescriptionOf({ get }, audience)
    operations[audience] = operationsOf(description)
    schemas[audience] = description.components.schemas
    writeFileSync(join(folder, `${audience}.json`), JSON.stringify(description))
  }
  const apis = audiences.map((audience) => [
    audience,
    { root: `${audience}.json`, 'x-openapi-ts': { output: `${audience}-types.ts` } },
  ])
  writeFileSync(join(folder, 'redocly.yaml'), JSON.stringify({ apis: Object.fromEntries(apis) }))
  await run(
    process.execPath,
    [
      '--import',
      join(import.meta.dirname, 'typescript-5.mjs'),
      join(root, 'node_modules/openapi-typescript/bin/cli.js'),
    ],
    { cwd: folder },
  )
  return { folder, operations, schemas }
}

/** The messages of the compiler about programs. */
async function compile(folder: string, programs: Record<string, string>): Promise<string> {
  for (const [name, program] of Object.entries(programs)) writeFileSync(join(folder, name), program)
  const flags =
    '--noEmit --strict --skipLibCheck --target esnext --module nodenext --allowImportingTsExtensions'
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(
    process.execPath,
    [compiler, ...flags.split(' '), '--types', 'node', ...Object.keys(programs)],
    { cwd: folder, maxBuffer: 64 * MIB },
  ).catch((failed) => failed)
  return stdout
}

const imports = `
import { clientOf } from './client.ts'
import type { paths as Public } from './public-types.ts'
import type { paths as Private } from './private-types.ts'
`

type Input = {
  path: Record<string, unknown> | undefined
  headers: Headers
  type?: string
  body?: unknown
}

const callOf = (audience: Audience, { method, path, operation }: Described, input: Input) => {
  const place = `'${method.toLowerCase()}', '${path}'`
  const text = JSON.stringify(input).replace(/^\{/, input.path ? '{' : '{"path":undefined,')
  const name = `${audience} ${operation.operationId} ${input.type ?? ''}`
  return `answers['${name}'] = await ${audience}Api(${place}, ${text})`
}

type Headers = Record<string, string>

/** The call of an operation, or one for each media type of its body. */
function callsOf(
  audience: Audience,
  described: Described,
  schemas: Schemas,
  caller: Caller,
): string[] {
  const { path, operation } = described
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const schemaOf = (name: string) =>
    operation.parameters?.find((parameter) => parameter.name === name)?.schema
  const sampleFor = (name: string, known: Headers) => {
    const { enum: choices, type } = schemaOf(name) ?? {}
    return choices?.[0] ?? known[name] ?? (type === 'integer' ? 1 : randomUUID())
  }
  const valuesFor = (known: Headers) =>
    names.length
      ? Object.fromEntries(names.map((name) => [name, sampleFor(name, known)]))
      : undefined
  const address = { 'x-forwarded-for': `10.9.${(++callers >> 8) & 255}.${callers & 255}` }
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  // Operations without a body are called without credentials, since some of them delete something.
  if (!bodies.length)
    return [callOf(audience, described, { path: valuesFor({}), headers: address })]
  return bodies.map(([type, { schema }]) =>
    callOf(audience, described, {
      path: valuesFor(caller.path),
      headers: { ...address, ...caller.headers },
      type,
      body: sampleOf(schema, schemas),
    }),
  )
}
let callers = 0
type Caller = { path: Headers; headers: Headers }

/** A developer with a listing, a deploy key and a build, for requests with a body. */
async function createCaller({ a }: Awaited<ReturnType<typeof startApp>>): Promise<Caller> {
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  const { headers } = await a.deployer(listing)
  const game = { uid: listing.uid, game_id: listing.uid, game_uid: listing.uid }
  return {
    path: game,
    headers: { ...headers, authorization: `Bearer ${owner.token}`, 'x-app-id': listing.uid },
  }
}

/** What the types know of parameters, values and answers. */
const typedCalls = `${imports}
const call = clientOf<Public>('http://localhost')
const closed = clientOf<Private>('http://localhost')
const { answer } = await call('get', '/api/v1/public/search', {
  path: undefined,
  query: { q: 'lantern', genres: ['rpg', 'puzzle'], os: ['linux'], page: 2 },
})
if (answer?.success) {
  const name: string | undefined = answer.data.items[0]?.name
  const total: number = answer.data.total
  console.log(name, total)
} else if (answer) {
  const code: number = answer.error.code
  console.log(code)
}
await call('get', '/api/v1/public/search', {
  path: undefined,
  // @ts-expect-error There is no such genre.
  query: { genres: ['western'] },
})
await call('get', '/api/v1/public/shelves/{kind}', { path: { kind: 'tonight' } })
// @ts-expect-error There is no such shelf.
await call('get', '/api/v1/public/shelves/{kind}', { path: { kind: 'yesterday' } })
// @ts-expect-error The description has no such method.
await call('post', '/api/v1/public/search', { path: undefined })
await closed('post', '/api/v1/tool/upload/build', {
  path: undefined,
  body: { version: '1.0', os: 'linux', arch: 'x86_64' },
})
await closed('post', '/api/v1/tool/upload/build', {
  path: undefined,
  // @ts-expect-error A registration needs a version.
  body: { os: 'linux' },
})
`

/** A service, a program that calls all of its operations, and what the compiler says about it. */
async function createProgram(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { folder, operations, schemas } = await generateTypes(t, app)
  const caller = await createCaller(app)
  const calls = audiences.flatMap((audience) =>
    operations[audience].flatMap((described) =>
      callsOf(audience, described, schemas[audience], caller),
    ),
  )
  const program = `${imports}
const answers: Record<string, { status: number; answer: unknown }> = {}
const publicApi = clientOf<Public>('${app.url}')
const privateApi = clientOf<Private>('${app.url}')
${calls.join('\n')}
console.log(JSON.stringify(answers))
`
  // The compiler reads the types once for both.
  const messages = await compile(folder, { 'program.ts': program, 'typed-calls.ts': typedCalls })
  return { folder, operations, messages }
}
const sharedProgram = sharedInFile(createProgram)

test('a program with generated types compiles and calls every operation', async (t) => {
  const { folder, operations, messages } = await sharedProgram(t)
  assert.equal(messages, '')
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts')], {
    maxBuffer: 64 * MIB,
  })
  const answers: Record<string, Answer> = JSON.parse(stdout)
  const operationOf = new Map<string, Operation>(
    audiences.flatMap((audience) =>
      operations[audience].map(
        ({ operation }) => [`${audience} ${operation.operationId}`, operation] as const,
      ),
    ),
  )
  const called = Object.entries(answers).map(([name, { status, answer }]) => {
    const operation = operationOf.get(name.split(' ', 2).join(' '))!
    return { name, status, operation, code: answer?.error?.code, message: answer?.error?.message }
  })
  assert.equal(new Set(called.map(({ operation }) => operation)).size, operationOf.size)
  const undocumented = called.filter(({ status, operation }) => !operation.responses[status])
  assert.deepEqual(
    undocumented.map(({ name, status, message }) => `${name}: ${status} ${message}`),
    [],
  )
  // A body as described is not refused for its shape. No description has the name of an account.
  const malformed = called.filter(
    ({ name, code, message }) =>
      code === errors.MALFORMED[0] &&
      name.endsWith('application/json') &&
      message !== 'body.username: this is not your username',
  )
  assert.deepEqual(
    malformed.map(({ name, message }) => `${name}: ${message}`),
    [],
  )
})

test('the generated types know parameters, values and answers', async (t) => {
  const { messages } = await sharedProgram(t)
  assert.equal(messages, '')
})
