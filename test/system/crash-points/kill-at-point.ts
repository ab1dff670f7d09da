import { readFileSync } from 'node:fs'

/**
 * Loaded before a service that is killed: CRASH_POINT_FILE names a file with the name of the crash
 * point at which this process ends, at once.
 */
const file = process.env['CRASH_POINT_FILE']!
Object.assign(globalThis, {
  slipwayCrashPoint(name: string) {
    if (readFileSync(file, 'utf8') === name) process.kill(process.pid, 'SIGKILL')
  },
})
