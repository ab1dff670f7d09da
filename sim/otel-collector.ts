import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, string | number | boolean>
  status: { code?: number }
  service: string
  resource: Record<string, string | number | boolean>
}

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean; doubleValue?: number }
type Pair = { key: string; value: Value }

const toRecord = (pairs: Pair[]) =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  )

/** A collector of OpenTelemetry traces over HTTP in JSON that keeps the spans it received. */
export async function startCollector() {
  const spans: CollectedSpan[] = []
  const requests: { path: string; headers: IncomingHttpHeaders }[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const body = await text(request)
    requests.push({ path: request.url ?? '', headers: request.headers })
    if (status === 200)
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans)
          for (const span of scope.spans)
            spans.push({
              ...span,
              attributes: toRecord(span.attributes),
              service: toRecord(resource.attributes)['service.name'],
              resource: toRecord(resource.attributes),
            })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    /** Answers every request with this status from now on. */
    answer(next: number) {
      status = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
