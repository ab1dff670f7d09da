import { duration, size } from './text.ts'

export type Progress = {
  /** So far, in bytes; `detail` replaces what is being done. */
  at: (done: number) => void
  /** One line for whoever reads a log: a step is done. */
  step: (done: number) => void
  /** Takes the line away, so that another can be written; the next change draws it again. */
  hide: () => void
  end: () => void
}

const REDRAW_MS = 100
const BAR = 20
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
    const line = progressLine(what, { done, total, speed: (done - since.done) / Math.max(0.001, (now - since.at) / 1000) })
    out.write(`\r\x1b[2K${fit(line, out.columns ?? 80)}`)
    shown = true
  }
  return {
    at: draw,
    step(done) {
      if (out.isTTY) draw(done)
      else if (!ended) out.write(`${what}: ${size(done)} of ${size(total)} (${percent(done, total)}%)\n`)
    },
    hide: clear,
    end() {
      clear()
      ended = true
    },
  }
}

/** `uploading  [=====>    ]  45%  9.2 MiB of 20.4 MiB  3.1 MiB/s  4 s left` */
export function progressLine(what: string, { done, total, speed }: { done: number; total: number; speed: number }): string {
  const part = total > 0 ? Math.min(1, done / total) : 1
  const filled = Math.round(part * BAR)
  const bar = `[${'='.repeat(filled)}${filled < BAR ? '>' : ''}${' '.repeat(Math.max(0, BAR - filled - 1))}]`
  const left = speed > 0 && done < total ? `  ${duration((total - done) / speed)} left` : ''
  const percentage = `${percent(done, total)}%`.padStart(4)
  return `${what} ${bar} ${percentage}  ${size(done)} of ${size(total)}  ${size(Math.max(0, Math.round(speed)))}/s${left}`
}

/** Never 100 before it is all there. */
const percent = (done: number, total: number) => (total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : 100)

/** A line longer than the terminal would be left behind when it is redrawn. */
const fit = (line: string, columns: number) => (line.length < columns ? line : line.slice(0, Math.max(0, columns - 1)))
