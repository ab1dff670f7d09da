import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * A chat service with webhooks: channels with a secret URL each, the limits of an embed, and a 204
 * response. Tests read the messages and inject failures. For local development, `node sim/chat.ts`
 * prints a URL and then every message.
 */
export type Embed = {
  title?: string
  description?: string
  fields?: { name: string; value: string; inline?: boolean }[]
}
export type Message = {
  channel: string
  embeds: Embed[]
  allowed_mentions?: { parse?: string[] }
  content?: string
  pings: string[]
  headers: IncomingHttpHeaders
  raw: string
}
/** A failure for one request: an error response, or no response. */
export type Failure = {
  status: number
  retry_after?: number
  /** Names the wait in the body only. */
  without_header?: boolean
  hang?: boolean
}

const limits = {
  embeds: 10,
  title: 256,
  description: 4096,
  fields: 25,
  name: 256,
  value: 1024,
  total: 6000,
}

export async function startChat({ port = 0, onMessage = (_message: Message) => {} } = {}) {
  const tokens = new Map<string, string>()
  const received: Message[] = []
  const failures: Failure[] = []

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const reply = (status: number, body?: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(body && JSON.stringify(body))
    const raw = await text(request)
    const [, id = '', token = ''] =
      /^\/api(?:\/v\d+)?\/webhooks\/(\d+)\/([\w-]+)$/.exec(request.url ?? '') ?? []
    if (request.method !== 'POST' || tokens.get(id) !== token)
      return reply(404, { message: 'Unknown Webhook', code: 10015 })
    const failure = failures.shift()
    if (failure?.hang) return
    if (failure) {
      const { status, retry_after, without_header = false } = failure
      const has_header = retry_after !== undefined && !without_header
      const headers = has_header ? { 'retry-after': String(retry_after) } : {}
      return reply(status, { message: 'Try again', retry_after }, headers)
    }
    const message = parse(request, raw)
    const problem = typeof message === 'string' ? message : invalidPart(message)
    if (problem || typeof message === 'string') return reply(400, { message: problem, code: 50035 })
    const delivery = {
      ...message,
      channel: id,
      pings: pings(message),
      headers: request.headers,
      raw,
    }
    received.push(delivery)
    onMessage(delivery)
    return reply(204)
  }

  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const prefix = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/`
  return {
    /** The prefix of the webhook URLs, for CHAT_WEBHOOK_PREFIXES. */
    prefix,
    received,
    /** Creates a channel and returns its webhook URL. */
    webhook(): string {
      const id = String(randomInt(1e12, 2e12))
      const token = randomBytes(24).toString('base64url')
      tokens.set(id, token)
      return `${prefix}${id}/${token}`
    },
    /** Deletes a webhook, as its owner would. */
    remove(url: string): void {
      tokens.delete(url.slice(prefix.length).split('/')[0]!)
    },
    /** Lets the next requests fail, one failure each. */
    failNext: (...next: Failure[]) => void failures.push(...next),
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function parse(
  { headers }: IncomingMessage,
  raw: string,
): Omit<Message, 'channel' | 'pings' | 'headers' | 'raw'> | string {
  if (!headers['content-type']?.startsWith('application/json')) return 'The body is not JSON'
  try {
    return JSON.parse(raw)
  } catch {
    return 'The body is not JSON'
  }
}

function invalidPart({
  embeds = [],
  content = '',
}: Pick<Message, 'embeds' | 'content'>): string | undefined {
  if (!embeds.length && !content) return 'Cannot send an empty message'
  if (embeds.length > limits.embeds) return 'Too many embeds'
  const lengths = embeds.flatMap(({ title = '', description = '', fields = [] }) => [
    [title.length, limits.title],
    [description.length, limits.description],
    [fields.length, limits.fields],
    ...fields.flatMap(({ name, value }) => [
      [name.length || limits.name + 1, limits.name],
      [value.length || limits.value + 1, limits.value],
    ]),
  ])
  if (lengths.some(([length, max]) => length! > max!))
    return 'A part of an embed is empty or too long'
  const texts = embeds.flatMap(({ title = '', description = '', fields = [] }) => [
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ])
  return texts.join('').length > limits.total ? 'The embeds are too long' : undefined
}

/** The mentions of a message: none in an embed, and none when mentions are not allowed. */
function pings({
  content = '',
  allowed_mentions,
}: Pick<Message, 'content' | 'allowed_mentions'>): string[] {
  const kinds = allowed_mentions?.parse ?? ['everyone', 'users', 'roles']
  const mentions = content.match(/@everyone|@here|<@[!&]?\d+>/g) ?? []
  return mentions.filter((mention) =>
    kinds.includes(
      mention.startsWith('@') ? 'everyone' : mention.startsWith('<@&') ? 'roles' : 'users',
    ),
  )
}

if (import.meta.main) {
  const chat = await startChat({
    port: Number(process.argv[2] ?? 0),
    onMessage: ({ embeds }) => process.stdout.write(`${JSON.stringify(embeds, null, 2)}\n`),
  })
  process.stdout.write(`CHAT_WEBHOOK_PREFIXES=${chat.prefix}\nwebhook ${chat.webhook()}\n`)
}
