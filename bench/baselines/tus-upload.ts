import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

/** The reference server of the tus protocol with its file store, which neither hashes nor syncs. */
const tus = new Server({
  path: '/files',
  datastore: new FileStore({ directory: join(process.env.BENCH_FOLDER!, 'tus') }),
})
const server = createServer((request, response) => void tus.handle(request, response))
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/files\n`),
)
