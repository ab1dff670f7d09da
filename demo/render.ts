import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Drawn, Order } from './draw.ts'

export type Renderer = { render: (svg: string) => Promise<Uint8Array>; stop: () => void }

/** Renders SVG to images in a separate process. */
export function startRenderer(): Renderer {
  const child = fork(join(import.meta.dirname, 'draw.ts'), { serialization: 'advanced' })
  const waiting = new Map<
    number,
    { done: (bytes: Uint8Array) => void; failed: (error: Error) => void }
  >()
  let orders = 0
  child.on('message', ({ id, bytes, error }: Drawn) => {
    const order = waiting.get(id)
    waiting.delete(id)
    if (bytes) order?.done(bytes)
    else order?.failed(new Error(error))
  })
  child.on('exit', (code) => {
    for (const { failed } of waiting.values()) failed(new Error(`the renderer ended with ${code}`))
  })
  const render = (svg: string) =>
    new Promise<Uint8Array>((done, failed) => {
      const id = ++orders
      waiting.set(id, { done, failed })
      child.send({ id, svg } satisfies Order)
    })
  return { render, stop: () => child.disconnect() }
}
