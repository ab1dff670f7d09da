import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/**
 * A second reporter beside `spec`: appends the duration of every top-level test to the file named
 * by TEST_DURATIONS. The runner prints the slowest of them when all groups have finished.
 */
// biome-ignore lint/style/noDefaultExport: the test runner loads a reporter by its default export
export default async function* slowestReporter(source: AsyncIterable<TestEvent>) {
  const file = process.env.TEST_DURATIONS
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { data } = event
    if (!file || data.nesting > 0 || !data.file) continue
    const path = relative(process.cwd(), data.file)
    const ms = Math.round(data.details.duration_ms)
    appendFileSync(file, `${JSON.stringify({ path, name: data.name, ms })}\n`)
  }
  yield ''
}
