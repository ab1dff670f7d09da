import { processEnvironment } from './core/runtime/config.ts'
import { runAdmin } from './run-admin.ts'

function handleStop(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'])
    process.once(name, () =>
      stop.abort(new Error('stopped; finished steps are kept, run it again to continue')),
    )
  return stop.signal
}

const { stdout, stderr } = process
const host = { environment: processEnvironment, stdout, stderr, handleStop }
const code = await runAdmin(process.argv.slice(2), host)
// Writes to a pipe are asynchronous, so exit only after the whole output has been written.
stdout.write('', () => process.exit(code))
