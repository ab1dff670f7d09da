import type { TestContext } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { cleanup } from '../support/cleanup.ts'

export type Refused = { code: number; status: number; message: string; data: any }

/** The official client, authenticated with a key or a token. */
export async function connect(
  t: TestContext,
  url: string,
  path: '/mcp' | '/player',
  token: string,
) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(path, url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  cleanup(t, () => client.close())
  return clientCalls(client)
}

export function clientCalls(client: Client) {
  const list = async () => (await client.listTools()).tools
  const raw = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args })
  /** Calls a tool and returns its result or its error. */
  async function call(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<{ data?: any; refused?: Refused }> {
    const result = (await raw(name, args)) as any
    if (!result.isError) return { data: result.structuredContent }
    const [, status, body] = result.content[0].text.match(/^API (\d+): (.*)$/s)
    const { error, data } = JSON.parse(body)
    return { refused: { ...error, status: Number(status), data } }
  }
  return { client, list, raw, call }
}
