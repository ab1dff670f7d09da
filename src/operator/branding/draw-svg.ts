import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { startProgram } from '../../core/security/start-program.ts'

const PROGRAM = join(import.meta.dirname, 'render-svg.ts')
const MAX_MS = 60_000

/** Draws a sanitized SVG image in another process; undefined if it cannot be drawn. */
export async function drawSvg(svg: string, side: number): Promise<Buffer | undefined> {
  const child = await startProgram([PROGRAM, String(side)], { timeout: MAX_MS })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve).once('error', () => resolve(null))
  })
  child.stderr.resume()
  child.stdin.end(svg)
  const png = await buffer(child.stdout)
  return (await ended) === 0 && png.length ? png : undefined
}
