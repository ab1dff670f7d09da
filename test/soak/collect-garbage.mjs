// Loaded into every process of a soak. On SIGUSR2 it collects garbage, and writes how much of the
// heap is in use afterwards: without that, a leak is smaller than what waits for collection. Compiled
// code is left out: it grows for an hour, longer on a busy machine, and no more than the source has.
import { renameSync, writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const file = process.env.SOAK_HEAP_FILE
const CODE_SPACES = /code|trusted/

const usedWithoutCode = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => !CODE_SPACES.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)

if (isMainThread && file) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGUSR2', () => {
    collect()
    try {
      // Renamed, because the reader must not find a part of it.
      writeFileSync(`${file}.new`, String(usedWithoutCode()))
      renameSync(`${file}.new`, file)
    } catch {
      // Without file descriptors, which is one of the faults, there is no file. The reader counts
      // this as a failed sample.
    }
  })
}
