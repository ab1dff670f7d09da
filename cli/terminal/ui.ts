import { plain } from '../documents/text.ts'
import { jsonLine } from '../lines.ts'
import { t } from '../messages.ts'
import { createProgress, type Progress, progressEvents } from './progress.ts'

export type Ui = {
  /** Writes a line to standard error. */
  note: (line: string) => void
  warn: (line: string) => void
  progress: (label: string, total: number) => Progress
  print: (text: string) => void
  /** Tells a launcher something that it shows in its own way. */
  event?: (name: string, fields: object) => void
  /** Replaces this word in all further output. */
  hide: (secret: string) => void
  scrub: (text: string) => string
}

type Streams = { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream }

/** All output goes through here, so that secrets are removed and control characters escaped. */
export function createUi({ stdout, stderr }: Streams): Ui {
  const secrets = new Set<string>()
  const scrub = (text: string) => {
    let clean = text
    for (const secret of secrets) clean = clean.replaceAll(secret, '***')
    return clean
  }
  let current: Progress | undefined
  const writeLine = (line: string) => {
    current?.hide()
    stderr.write(`${scrub(plain(line))}\n`)
  }
  return {
    note: writeLine,
    warn: (line) => writeLine(t('warning', { message: line })),
    progress(label, total) {
      current?.end()
      current = createProgress(stderr, label, total)
      return current
    },
    print(text) {
      current?.end()
      stdout.write(scrub(plain(text)))
    },
    hide(secret) {
      if (secret.length < 4) return
      for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
        secrets.add(form)
    },
    scrub,
  }
}

/** For launchers that read standard error: progress is lines of JSON. */
export const withProgressEvents = (ui: Ui): Ui => ({
  ...ui,
  progress: (label, total) =>
    progressEvents(label, total, (event) => ui.note(jsonLine({ event: 'progress', ...event }))),
})
