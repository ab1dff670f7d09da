import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleUploader } from '../src/web/uploader-bundle.ts'

/**
 * npm run cli: writes the uploader as one file. A server serves the same file at /cli/slipway.mjs,
 * with its own address as the default.
 */
const folder = join(import.meta.dirname, 'dist')
const file = join(folder, 'slipway.mjs')
const api_url = process.argv[2] ?? 'http://127.0.0.1:8080/api/v1'
mkdirSync(folder, { recursive: true })
writeFileSync(file, await bundleUploader({ api_url, upload_url: process.argv[3] ?? api_url }))
chmodSync(file, 0o755)
process.stdout.write(`wrote ${file}\n`)
