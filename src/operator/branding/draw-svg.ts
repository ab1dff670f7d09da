import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

const PROGRAM = join(import.meta.dirname, 'render-svg.ts')
const MAX_MS = 60_000

/** Draws a sanitized SVG image in another process; undefined if it cannot be drawn. */
export async function drawSvg(svg: string, side: number): Promise<Buffer | undefined> {
  const child = spawn(process.execPath, [PROGRAM, String(side)], {
    // It needs none of the secrets in the environment.
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve).once('error', () => resolve(null))
  })
  // The program may end before it has read everything.
  child.stdin.on('error', () => {})
  child.stdin.end(svg)
  const png = await buffer(child.stdout)
  return (await ended) === 0 && png.length ? png : undefined
}
