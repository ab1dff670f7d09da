// Loaded into every process of a soak. On SIGUSR2 it collects garbage, and writes how much of the
// heap is in use afterwards: without that, a leak is smaller than what waits for collection.
import { renameSync, writeFileSync } from 'node:fs'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const file = process.env.SOAK_HEAP_FILE
if (isMainThread && file) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGUSR2', () => {
    collect()
    try {
      // Renamed, because the reader must not find a part of it.
      writeFileSync(`${file}.new`, String(getHeapStatistics().used_heap_size))
      renameSync(`${file}.new`, file)
    } catch {
      // Without file descriptors, which is one of the faults, there is no file. The reader counts
      // this as a failed sample.
    }
  })
}
