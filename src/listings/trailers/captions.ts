import { isUtf8 } from 'node:buffer'
import { explain } from '../../core/runtime/reasons.ts'
import { invalidField } from '../fields/text.ts'
import { trailerField } from './trailer-rules.ts'

const TIME = String.raw`(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})`
const TIMES = new RegExp(`^${TIME}[ \\t]+-->[ \\t]+${TIME}(?:[ \\t].*)?$`)
const OTHER_BLOCK = /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/
const at = trailerField('captions')

/**
 * Validates a WebVTT file and returns its text, with plain line ends. Browsers skip what they do
 * not understand; here it is refused, so that developers learn which line is wrong.
 */
export function readCaptions(bytes: Buffer): string {
  if (!isUtf8(bytes)) invalidField(at, explain('not_captions', 'the captions are not UTF-8 text'))
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
  if (!/^WEBVTT(?:[ \t\n]|$)/.test(text) || text.includes('\0'))
    invalidField(
      at,
      explain('not_captions', 'the captions are not a WebVTT file, which begins with WEBVTT'),
    )
  if (countCues(text.split('\n')) === 0)
    invalidField(at, explain('captions_empty', 'the captions have no text'))
  return text
}

/** Blocks are separated by empty lines. The first one is the header of the file. */
function countCues(lines: string[]): number {
  let cues = 0
  let index = lines.indexOf('')
  while (index >= 0 && index < lines.length) {
    if (lines[index] === '') {
      index++
      continue
    }
    const end = blockEnd(lines, index)
    if (!OTHER_BLOCK.test(lines[index]!)) {
      checkCue(lines, index, end)
      cues++
    }
    index = end
  }
  return cues
}

function blockEnd(lines: string[], start: number): number {
  const end = lines.indexOf('', start)
  return end < 0 ? lines.length : end
}

/** A cue is an optional name, its times and its text. */
function checkCue(lines: string[], start: number, end: number): void {
  const line = lines[start]!.includes('-->') ? start : start + 1
  const times = line < end ? TIMES.exec(lines[line]!) : null
  if (!times || seconds(times.slice(1, 5)) >= seconds(times.slice(5, 9)))
    invalidField(
      at,
      explain(
        'captions_line',
        `line ${Math.min(line, end - 1) + 1} is not a time such as 00:01.000 --> 00:04.000`,
        { line: Math.min(line, end - 1) + 1 },
      ),
    )
}

const seconds = ([hours = '0', minutes, rest, fraction]: (string | undefined)[]) =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(`${rest}.${fraction}`)
