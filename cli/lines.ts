import type { Readable } from 'node:stream'

/**
 * The lines of a text, until the signal. `readline` would also end one at U+2028 and U+2029, which
 * JSON and names of files may contain.
 */
export async function* linesOf(stream: Readable, signal?: AbortSignal): AsyncGenerator<string> {
  const stop = () => void stream.destroy()
  if (signal?.aborted) return
  signal?.addEventListener('abort', stop, { once: true })
  let rest = ''
  try {
    for await (const text of stream.setEncoding('utf8')) {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop()!
      yield* lines
    }
  } catch (error) {
    if (signal?.aborted) return
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
  if (rest) yield rest
}

/** A value as a line of JSON, also for programs that end lines at U+2028 and U+2029. */
export const jsonLine = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
