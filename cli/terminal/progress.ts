import { duration } from '../documents/text.ts'
import { formatSize, t } from '../messages.ts'

export type Progress = {
  /** Bytes done so far. */
  at: (done: number) => void
  /** Writes a line to a log when a step is done. */
  step: (done: number) => void
  /** Clears the line, so that another can be written; the next change redraws it. */
  hide: () => void
  end: () => void
}

const REDRAW_MS = 100
/** More events than this are of no use to a bar. */
const EVENT_MS = 100
const MAX_BAR_WIDTH = 24
const MIN_BAR_WIDTH = 5
/** What a label is shortened to before the time that is left goes. */
const MIN_LABEL = 16
const SETTLE_MS = 300
/** The speed is an average over the last seconds. */
const WINDOW_MS = 5000

/** Returns the bytes a second of the last seconds, by a monotonic clock; 0 at first. */
function createSpeedometer(): (done: number) => number {
  const begun = performance.now()
  let marks: { at: number; done: number }[] = []
  return (done) => {
    const now = performance.now()
    marks = [...marks.filter(({ at }) => now - at < WINDOW_MS), { at: now, done }]
    // The speed of the first moments is not representative.
    if (now - begun < SETTLE_MS) return 0
    const first = marks[0]!
    const since = first.at === now ? { at: begun, done: 0 } : first
    return (done - since.done) / Math.max(0.001, (now - since.at) / 1000)
  }
}

/** Whether to show a state: not too often, but the end at once. */
function atMostEvery(milliseconds: number, total: number): (done: number) => boolean {
  let shown_at = Number.NEGATIVE_INFINITY
  let was_end = false
  return (done) => {
    const is_end = done >= total
    const now = performance.now()
    if (now - shown_at < milliseconds && (was_end || !is_end)) return false
    shown_at = now
    was_end = is_end
    return true
  }
}

/** For programs that draw a bar of their own; the last two are null while they are not known. */
export type ProgressEvent = {
  label: string
  done: number
  total: number
  bytes_per_second: number | null
  seconds_left: number | null
}

/** Progress as events, of which there are a few a second. */
export function progressEvents(
  label: string,
  total: number,
  send: (event: ProgressEvent) => void,
): Progress {
  const speedOf = createSpeedometer()
  const isDue = atMostEvery(EVENT_MS, total)
  const report = (done: number, speed: number) => {
    const bytes_per_second = speed > 0 ? Math.round(speed) : null
    const seconds_left = speed > 0 ? Math.ceil(Math.max(0, total - done) / speed) : null
    send({ label, done, total, bytes_per_second, seconds_left })
  }
  return {
    at(done) {
      const speed = speedOf(done)
      if (isDue(done)) report(done, speed)
    },
    step: (done) => report(done, speedOf(done)),
    hide: () => {},
    end: () => {},
  }
}

/** One redrawn line on a terminal, plain lines elsewhere. */
export function createProgress(out: NodeJS.WriteStream, label: string, total: number): Progress {
  const speedOf = createSpeedometer()
  const isDue = atMostEvery(REDRAW_MS, total)
  let visible = false
  let ended = false
  const clear = () => {
    if (visible) out.write('\r\x1b[2K')
    visible = false
  }
  const draw = (done: number) => {
    const speed = speedOf(done)
    if (!out.isTTY || ended || !isDue(done)) return
    out.write(`\r\x1b[2K${progressLine(label, { done, total, speed }, out.columns || 80)}`)
    visible = true
  }
  return {
    at: draw,
    step(done) {
      if (out.isTTY) draw(done)
      else if (!ended) out.write(`${label}: ${doneOf(done, total)} (${percent(done, total)}%)\n`)
    },
    hide: clear,
    end() {
      clear()
      ended = true
    },
  }
}

/**
 * `uploading [=====>    ]  45%  9.2 MiB of 20.4 MiB  3.1 MiB/s  4 s left`, in less than a terminal
 * line, because a wrapped line cannot be redrawn. In a narrow terminal the bar goes first, then the
 * sizes and the speed; the label is shortened, and the percentage is always there.
 */
export function progressLine(
  label: string,
  figures: { done: number; total: number; speed: number },
  columns: number,
): string {
  const { done, total, speed } = figures
  const room = Math.max(0, columns - 1)
  const time = duration((total - done) / speed)
  const remaining = speed > 0 && done < total ? `  ${t('progress-left', { time })}` : ''
  const pace = speed > 0 ? `  ${formatSize(Math.round(speed))}/s${remaining}` : ''
  const share = `${percent(done, total)}%`.padStart(4)
  const full = `${share}  ${doneOf(done, total)}${pace}`
  const width = Math.min(MAX_BAR_WIDTH, room - label.length - 4 - full.length)
  if (width >= MIN_BAR_WIDTH) return `${label} ${bar(done, total, width)} ${full}`
  const fits = (text: string, label_length: number) => label_length + 1 + text.length <= room
  const short_label = Math.min(label.length, MIN_LABEL)
  const text =
    [full, share + pace].find((text) => fits(text, label.length)) ??
    [share + remaining, share].find((text) => fits(text, short_label)) ??
    share
  return `${shorten(label, room - 1 - text.length)} ${text}`.slice(0, room)
}

const shorten = (label: string, length: number) =>
  label.length <= length ? label : `${label.slice(0, Math.max(0, length - 1))}…`

const doneOf = (done: number, total: number) =>
  t('progress-figures', { done: formatSize(done), total: formatSize(total) })

function bar(done: number, total: number, width: number): string {
  const filled = Math.floor((total > 0 ? Math.min(1, done / total) : 1) * width)
  const head = filled < width ? '>' : ''
  return `[${('='.repeat(filled) + head).padEnd(width)}]`
}

/** Rounded down, so that it is 100 only at the end. */
const percent = (done: number, total: number) =>
  total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : 100
