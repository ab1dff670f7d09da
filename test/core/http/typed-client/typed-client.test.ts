import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { MIB } from '../../../../src/core/runtime/units.ts'
import { startApp, temporaryFolder } from '../../../support/app.ts'
import { apiDescriptionOf, type Described, operationsOf } from '../described-api.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const audiences = ['public', 'private'] as const
type Audience = (typeof audiences)[number]

/** A folder with the client and the types of both descriptions. */
async function generateTypes(t: TestContext, { get }: Awaited<ReturnType<typeof startApp>>) {
  const folder = temporaryFolder(t)
  copyFileSync(join(import.meta.dirname, 'client.ts'), join(folder, 'client.ts'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const operations: Record<Audience, Described[]> = { public: [], private: [] }
  for (const audience of audiences) {
    const description = await apiDescriptionOf({ get }, audience)
    operations[audience] = operationsOf(description)
    const file = join(folder, `${audience}.json`)
    writeFileSync(file, JSON.stringify(description))
    await run(process.execPath, [
      '--import',
      join(import.meta.dirname, 'typescript-5.mjs'),
      join(root, 'node_modules/openapi-typescript/bin/cli.js'),
      file,
      '--output',
      join(folder, `${audience}-types.ts`),
    ])
  }
  return { folder, operations }
}

/** The messages of the compiler about a program. */
async function compile(folder: string, program: string): Promise<string> {
  writeFileSync(join(folder, 'program.ts'), program)
  const flags = '--noEmit --strict --target esnext --module nodenext --allowImportingTsExtensions'
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(
    process.execPath,
    [compiler, ...flags.split(' '), '--types', 'node', 'program.ts'],
    { cwd: folder, maxBuffer: 64 * MIB },
  ).catch((failed) => failed)
  return stdout
}

const imports = `
import { clientOf } from './client.ts'
import type { paths as Public } from './public-types.ts'
import type { paths as Private } from './private-types.ts'
`

const callOf = (audience: Audience, { method, path, operation }: Described, headers: object) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const schemaOf = (name: string) =>
    operation.parameters?.find((parameter) => parameter.name === name)?.schema
  const values = names.map((name) => [name, schemaOf(name)?.enum?.[0] ?? randomUUID()])
  const input = {
    path: names.length ? Object.fromEntries(values) : undefined,
    headers,
  }
  const place = `'${method.toLowerCase()}', '${path}'`
  const text = JSON.stringify(input).replace(/^\{/, names.length ? '{' : '{"path":undefined,')
  return `statuses['${audience} ${operation.operationId}'] = (
    await ${audience}Api(${place}, ${text} as const)
  ).status`
}

test('a program with generated types compiles and calls every operation', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { folder, operations } = await generateTypes(t, app)
  let callers = 0
  const headers = () => ({ 'x-forwarded-for': `10.9.${(++callers >> 8) & 255}.${callers & 255}` })
  const calls = audiences.flatMap((audience) =>
    operations[audience].map((described) => callOf(audience, described, headers())),
  )
  const program = `${imports}
const statuses: Record<string, number> = {}
const publicApi = clientOf<Public>('${app.url}')
const privateApi = clientOf<Private>('${app.url}')
${calls.join('\n')}
console.log(JSON.stringify(statuses))
`
  assert.equal(await compile(folder, program), '')
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts')])
  const statuses: Record<string, number> = JSON.parse(stdout)
  const undocumented = audiences.flatMap((audience) =>
    operations[audience].flatMap(({ operation }) => {
      const status = statuses[`${audience} ${operation.operationId}`]!
      return operation.responses[status] ? [] : [`${audience} ${operation.operationId}: ${status}`]
    }),
  )
  assert.deepEqual(undocumented, [])
})

test('the generated types know parameters, values and answers', async (t) => {
  const { folder } = await generateTypes(t, await startApp(t))
  const program = `${imports}
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
  assert.equal(await compile(folder, program), '')
})
