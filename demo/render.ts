import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { RenderRequest, RenderResult } from './draw.ts'

export type Renderer = { render: (svg: string) => Promise<Uint8Array>; stop: () => void }

/** Renders SVG to images in a separate process. */
export function startRenderer(): Renderer {
  const child = fork(join(import.meta.dirname, 'draw.ts'), { serialization: 'advanced' })
  const pending = new Map<number, PromiseWithResolvers<Uint8Array>>()
  let last_id = 0
  child.on('message', ({ id, bytes, error }: RenderResult) => {
    const request = pending.get(id)
    pending.delete(id)
    if (bytes) request?.resolve(bytes)
    else request?.reject(new Error(error))
  })
  child.on('exit', (code) => {
    for (const { reject } of pending.values()) reject(new Error(`the renderer ended with ${code}`))
  })
  const render = (svg: string) => {
    const id = ++last_id
    const request = Promise.withResolvers<Uint8Array>()
    pending.set(id, request)
    child.send({ id, svg } satisfies RenderRequest)
    return request.promise
  }
  return { render, stop: () => child.disconnect() }
}
