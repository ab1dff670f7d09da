import { createServer } from 'node:http'
import { join } from 'node:path'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'
import { listen } from '../support/baseline.ts'

/** The reference server of the tus protocol with its file store, which neither hashes nor syncs. */
const tus = new Server({
  path: '/files',
  datastore: new FileStore({ directory: join(process.env.BENCH_FOLDER!, 'tus') }),
})
const server = createServer((request, response) => void tus.handle(request, response))
await listen(server, '/files')
