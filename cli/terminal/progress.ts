import { duration, size } from '../documents/text.ts'

export type Progress = {
  /** So far, in bytes. */
  at: (done: number) => void
  /** One line for whoever reads a log: a step is done. */
  step: (done: number) => void
  /** Takes the line away, so that another can be written; the next change draws it again. */
  hide: () => void
  end: () => void
}

const REDRAW_MS = 100
const BAR = 24
const SHORTEST_BAR = 5
const SETTLE_MS = 300
/** Speed is that of the last seconds, so that it tells how fast it goes now. */
const WINDOW_MS = 5000

/** On a terminal one line, redrawn; elsewhere plain lines. Time is taken from a clock that cannot jump. */
export function createProgress(out: NodeJS.WriteStream, what: string, total: number): Progress {
  const begun = performance.now()
  let marks: { at: number; done: number }[] = []
  let drawn = 0
  let shown = false
  let ended = false
  const clear = () => {
    if (shown) out.write('\r\x1b[2K')
    shown = false
  }
  const draw = (done: number) => {
    const now = performance.now()
    marks = [...marks.filter(({ at }) => now - at < WINDOW_MS), { at: now, done }]
    if (!out.isTTY || ended || (now - drawn < REDRAW_MS && done < total)) return
    drawn = now
    const first = marks[0]!
    const since = first.at === now ? { at: begun, done: 0 } : first
    // The first moments tell nothing about how fast it goes.
    const speed =
      now - begun < SETTLE_MS ? 0 : (done - since.done) / Math.max(0.001, (now - since.at) / 1000)
    out.write(`\r\x1b[2K${progressLine(what, { done, total, speed }, out.columns || 80)}`)
    shown = true
  }
  return {
    at: draw,
    step(done) {
      if (out.isTTY) draw(done)
      else if (!ended)
        out.write(`${what}: ${size(done)} of ${size(total)} (${percent(done, total)}%)\n`)
    },
    hide: clear,
    end() {
      clear()
      ended = true
    },
  }
}

/** `uploading [=====>    ]  45%  9.2 MiB of 20.4 MiB  3.1 MiB/s  4 s left`, in less than a line: one that wraps could not be redrawn. */
export function progressLine(
  what: string,
  figures: { done: number; total: number; speed: number },
  columns: number,
): string {
  const { done, total, speed } = figures
  const pace =
    speed > 0
      ? `  ${size(Math.round(speed))}/s${done < total ? `  ${duration((total - done) / speed)} left` : ''}`
      : ''
  const text = `${`${percent(done, total)}%`.padStart(4)}  ${size(done)} of ${size(total)}${pace}`
  const room = Math.min(BAR, columns - 1 - what.length - 4 - text.length)
  return room < SHORTEST_BAR
    ? `${what} ${text.trimStart()}`.slice(0, columns - 1)
    : `${what} ${bar(done, total, room)} ${text}`
}

function bar(done: number, total: number, width: number): string {
  const filled = Math.floor((total > 0 ? Math.min(1, done / total) : 1) * width)
  return `[${'='.repeat(filled)}${filled < width ? '>' : ''}${' '.repeat(Math.max(0, width - filled - 1))}]`
}

/** Never 100 before it is all there. */
const percent = (done: number, total: number) =>
  total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : 100
