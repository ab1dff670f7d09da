import { parentPort, workerData } from 'node:worker_threads'

/** The first answer has all fields but the entries; each further message is answered with some. */
export type ParsedBody =
  | { malformed: true }
  | { fields: Record<string, unknown>; entries: unknown; count: number }

const BATCH = 1000
const port = parentPort!

const value = parse()
if (value === undefined) port.postMessage({ malformed: true } satisfies ParsedBody)
else sendBody(value)

function parse(): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(workerData as Uint8Array).toString('utf8'))
    const is_object = parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)
    return is_object ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function sendBody({ entries, ...fields }: Record<string, unknown>) {
  const list: unknown[] | undefined = Array.isArray(entries) ? entries : undefined
  const count = list?.length ?? 0
  port.postMessage({ fields, entries: list ? [] : entries, count } satisfies ParsedBody)
  let sent = 0
  port.on('message', () => {
    port.postMessage(list!.slice(sent, sent + BATCH))
    sent += BATCH
  })
}
