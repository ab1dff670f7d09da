import { writeFileSync } from 'node:fs'
import type { Identity } from '../../src/accounts/sessions/identity.ts'
import { createServer } from '../../src/core/http/server.ts'
import { revealAuthKey, turnOn } from '../../src/extstore/sign-in/keys.ts'
import { authRoute, verifyRoute } from '../../src/extstore/sign-in/routes.ts'
import { audience, signToken, TOKEN_SECONDS } from '../../src/extstore/sign-in/tokens.ts'
import { announce } from '../support/baseline.ts'
import { insertDraft, startBenchService } from '../support/listing-service.ts'

/**
 * The two hot routes of sign-in with limits that are counted but never reached. BENCH_SESSIONS
 * records are inserted first. A wrk script with random tokens of the table is written to
 * BENCH_SCRIPT as the load of server/verify.
 */
const sessions = Number(process.env.BENCH_SESSIONS ?? 0)
const TOKENS = 2000
const APP = 1
const service = await startBenchService({ SLIPWAY_ROLES: 'api' })
const { core } = service
const { sql } = core
const { uid, owner_uid } = await insertDraft(sql)
const who = { user_uid: owner_uid, kind: 'session', game_uid: null } as Identity
await sql`insert into extstore_links (game_uid, app_id, app_name) values (${uid}, ${APP}, 'Bench')`
await turnOn(core, who, uid, '0123456789ABCDEF0123456789ABCDEF')
const auth_key = await revealAuthKey(core, who, uid)
const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS

/** Ids in time order, as the service creates them. */
const jti = (n: number) => {
  const hex = n.toString(16).padStart(8, '0')
  return `01900000-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8000-${hex.padStart(12, '0')}`
}
const player = (n: number) => String(76561198000000000n + BigInt(n % 1_000_000))

async function seed() {
  // Loading is much faster without the indexes, which are created again as in the migration.
  const indexes = await sql`
    select indexname, indexdef
    from pg_indexes
    where tablename = 'extstore_sessions'
      and (indexname like '%player' or indexname like '%_expiry')`
  for (const { indexname } of indexes) await sql.unsafe(`drop index ${indexname}`)
  await sql.unsafe('alter table extstore_sessions drop constraint extstore_sessions_pkey')
  const [{ generation }] =
    (await sql`select generation from extstore_sign_in where game_uid = ${uid}`) as [
      { generation: string },
    ]
  await sql`
    insert into extstore_sessions (jti, game_uid, generation, extstore_id, ip, expires_at)
    select
      (
        '01900000-' || substr(h, 1, 4) || '-7' || substr(h, 5, 3)
        || '-8000-' || lpad(to_hex(n), 12, '0')
      )::uuid,
      ${uid}, ${generation},
      (76561198000000000 + n % 1000000)::text, '203.0.113.1', to_timestamp(${exp}::float8)
    from (select n, lpad(to_hex(n), 8, '0') as h from generate_series(1, ${sessions}) n) numbered`
  await sql.unsafe('alter table extstore_sessions add primary key (jti)')
  for (const { indexdef } of indexes) await sql.unsafe(indexdef)
  await sql.unsafe('vacuum analyze extstore_sessions')
  await sql.unsafe('checkpoint')
}

if (sessions) {
  await seed()
  const bodies = Array.from({ length: TOKENS }, () => {
    const n = 1 + Math.floor(Math.random() * sessions)
    const claims = {
      iss: core.addresses.issuer,
      aud: audience(APP),
      gid: uid,
      sub: player(n),
      own: true as const,
      vac: false,
      jti: jti(n),
      iat: exp - TOKEN_SECONDS,
      exp,
    }
    return `'${JSON.stringify({ token: signToken(claims, auth_key) })}'`
  })
  writeFileSync(
    process.env.BENCH_SCRIPT ?? '',
    `wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
wrk.headers['authorization'] = 'Bearer ${auth_key}'
local bodies = { ${bodies.join(', ')} }
local at = math.random(#bodies)
request = function()
  at = at % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end
`,
  )
}
const { limiter } = core
const take: typeof limiter.take = (bucket, key, limit) =>
  limiter.take(bucket, key, { ...limit, points: 1e9 })
const app = await createServer({ ...core, limiter: { ...limiter, take } }, [authRoute, verifyRoute])
const url = await app.listen({ host: '127.0.0.1', port: 0 })
announce(`${url}/api/v1/extstore/${uid}/${sessions ? 'server/verify' : 'auth'}`, async () => {
  await app.close()
  await service.stop()
})
