import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { eventually } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { binary, systemNode } from '../slipway.ts'

/** The program as launchers run it. */
export async function startDaemon(t: TestContext, env: Record<string, string>) {
  const child = spawn(systemNode, [await binary(), 'daemon', '--stdio'], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', SLIPWAY_RETRY_SECONDS: '0.01', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  cleanup(t, () => void child.kill('SIGKILL'))
  const messages: any[] = []
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line)))
  const send = (line: string) => child.stdin.write(`${line}\n`)
  const answerTo = (id: unknown) =>
    eventually('an answer', () => messages.find((message) => message.id === id && !message.method))
  const call = (id: number, method: string, params: unknown = {}) => {
    send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answerTo(id)
  }
  const end = async () => {
    child.stdin.end()
    return (await once(child, 'exit'))[0]
  }
  return { messages, send, answerTo, call, end }
}
