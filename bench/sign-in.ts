import { createHmac, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVerifier } from '../sdk/verify/index.js'
import { readToken, signToken } from '../src/extstore/sign-in/tokens.ts'
import { compareServers, LOAD_CORE, median, report, scratch } from './support/harness.ts'
import { baselineCommand, startServer, stopProcess } from './support/processes.ts'

/** The number of sessions in the large table. */
const LARGE_TABLE = Number(process.env.BENCH_SESSIONS ?? 10_000_000)
const SMALL_TABLE = 10_000
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const TICKET_BYTES = 2560

/**
 * Targets: a sign-in, including both calls to an instant store and the durable record, at 0.25 of a
 * bare node:http route with one insert; server/verify, including revocation, at 0.35 of a bare
 * echo; with 10 million sessions within 1.3 times of 10,000; a local check within 1.5 times of one
 * HMAC and one JSON parse.
 */
export async function signIn() {
  const { folder, remove } = scratch()
  const store = await startServer([
    'taskset',
    '-c',
    LOAD_CORE,
    ...baselineCommand('quick-store.ts'),
  ])
  const common = { EXTSTORE_API_URL: store.url, LOG_LEVEL: 'warn' }
  const script = (name: string) => join(folder, `${name}.lua`)
  writeFileSync(script('tickets'), tickets)
  writeFileSync(script('echo'), echoBody)
  const ours = (name: string, sessions: number) => ({
    name: sessions
      ? `Slipway server/verify, ${sessions.toLocaleString('en')} sessions`
      : 'Slipway auth',
    command: baselineCommand('sign-in-server.ts'),
    env: {
      ...common,
      DATA_DIR: join(folder, name),
      BENCH_SESSIONS: String(sessions),
      BENCH_SCRIPT: script(name),
    },
    log_file: join(folder, `${name}.log`),
    script: script(sessions ? name : 'tickets'),
  })
  const insert = {
    name: 'bare node:http with one insert',
    command: baselineCommand('insert-http.ts'),
    env: { DATA_DIR: join(folder, 'insert') },
  }
  try {
    return {
      local: localCheck(),
      sign_in: await compareServers(
        'Sign-in with a ticket, one core',
        [{ ...insert, script: script('tickets') }, ours('auth', 0)],
        { rounds: ROUNDS },
      ),
      verify: await compareServers(
        'server/verify, one core',
        [
          {
            name: 'bare node:http echo',
            command: baselineCommand('echo-http.ts'),
            script: script('echo'),
          },
          ours('small', SMALL_TABLE),
          ours('large', LARGE_TABLE),
        ],
        { rounds: ROUNDS },
      ),
    }
  } finally {
    await stopProcess(store.child)
    remove()
  }
}

/** A new ticket of realistic size in each request. */
export const tickets = `wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
local function hex(length)
  local bytes = io.open('/dev/urandom', 'rb'):read(length)
  return (bytes:gsub('.', function(c) return string.format('%02x', string.byte(c)) end))
end
local run = hex(8)
local rest = hex(${TICKET_BYTES - 4 - 8 - 8})
local count = 0
request = function()
  count = count + 1
  local ticket = '14000000' .. run .. string.format('%016x', count) .. rest
  return wrk.format(nil, nil, nil, '{"ticket":"' .. ticket .. '"}')
end
`

/** A body of the size that server/verify receives. */
export const echoBody = `wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
wrk.body = '{"token":"${'x'.repeat(520)}"}'
`

/** Alternates between the candidates in each round; nanoseconds per token. */
function localCheck() {
  const key = randomBytes(64).toString('hex')
  const now = Math.floor(Date.now() / 1000)
  const game = { game_uid: 'game', app_id: 1 }
  const tokens = Array.from({ length: 1000 }, (_, i) =>
    signToken(
      {
        iss: 'https://issuer.example',
        aud: 'extstore:1',
        gid: 'game',
        sub: String(76561198000000000n + BigInt(i)),
        own: true,
        vac: false,
        jti: `${i}`,
        iat: now,
        exp: now + 3600,
      },
      key,
    ),
  )
  const verifier = createVerifier({ auth_key: key, game_uid: 'game', app_id: 1 })
  const candidates: Record<string, (token: string) => unknown> = {
    'one HMAC and one JSON parse': (token) => {
      const [header, payload] = token.split('.') as [string, string]
      createHmac('sha512', key).update(`${header}.${payload}`).digest()
      return JSON.parse(Buffer.from(payload, 'base64url').toString())
    },
    'sdk/verify, local check': (token) => verifier.check(token),
    'the check of the service': (token) => readToken(token, key, game),
  }
  const figures = new Map(Object.keys(candidates).map((name) => [name, [] as number[]]))
  for (let round = 0; round < 41; round++)
    for (const [name, check] of Object.entries(candidates)) {
      const start = process.hrtime.bigint()
      for (const token of tokens) check(token)
      figures.get(name)!.push(Number(process.hrtime.bigint() - start) / tokens.length)
    }
  const rows = [...figures].map(([name, all]) => ({ name, median: median(all) }))
  return report('Local check of a token (smaller is better)', rows, 'ns/token')
}
