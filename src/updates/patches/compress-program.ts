// Compresses files in a process of its own, with the lowest priority: patches must not slow down
// the store. Each line of its input is a request, each line of its output the result.
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { type Compression, compressFile } from './compress.ts'

const LOWEST_PRIORITY = 19

setPriority(LOWEST_PRIORITY)
for await (const line of createInterface({ input: process.stdin })) {
  const segments = await compressFile(JSON.parse(line) as Compression)
  process.stdout.write(`${JSON.stringify(segments)}\n`)
}
