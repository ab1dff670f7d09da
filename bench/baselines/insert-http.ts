import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startEmbeddedPostgres } from '../../src/core/database/embedded-postgres.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'

/** A bare route that inserts one durable row, on a database like that of the service. */
const database = await startEmbeddedPostgres(process.env.DATA_DIR ?? '')
const sql = openPool(database.url, 10, 'bench')
await sql`create table rows (uid uuid primary key, ticket text not null, ip text not null, created_at timestamptz not null)`
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part) => parts.push(part))
  request.on('end', async () => {
    const { ticket } = JSON.parse(Buffer.concat(parts).toString())
    const uid = uuidv7()
    await sql`insert into rows values (${uid}, ${ticket.slice(0, 32)}, ${request.socket.remoteAddress ?? ''}, now())`
    const body = JSON.stringify({ success: true, data: { uid } })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`),
)
process.on('SIGTERM', async () => {
  await sql.end()
  await database.stop()
  process.exit(0)
})
