import { createServer } from 'node:http'
import { startEmbeddedPostgres } from '../../src/core/database/embedded/postgres.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { listen } from '../support/baseline.ts'

/** A bare route that inserts one durable row, on a database like that of the service. */
const database = await startEmbeddedPostgres(process.env.DATA_DIR ?? '')
const sql = openPool(database.url, 10, 'bench')
await sql`
  create table rows (
    uid uuid primary key, ticket text not null, ip text not null, created_at timestamptz not null
  )`
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part) => parts.push(part))
  request.on('end', async () => {
    const { ticket } = JSON.parse(Buffer.concat(parts).toString())
    const uid = uuidv7()
    const ip = request.socket.remoteAddress ?? ''
    await sql`insert into rows values (${uid}, ${ticket.slice(0, 32)}, ${ip}, now())`
    const body = JSON.stringify({ success: true, data: { uid } })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})
await listen(server, '/', async () => {
  await sql.end()
  await database.stop()
})
