import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCaptions } from '../../../src/listings/trailers/captions.ts'
import { VTT } from './fixtures.ts'

const refusal = (text: string | Buffer) => {
  try {
    readCaptions(Buffer.from(text as string))
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

test('accepts WebVTT with names, notes, styles, settings and any line ends', () => {
  assert.equal(readCaptions(Buffer.from(VTT)), VTT)
  assert.equal(readCaptions(Buffer.from(`\ufeff${VTT.replaceAll('\n', '\r\n')}`)), VTT)
  const rich = [
    'WEBVTT - Trailer\nKind: captions',
    'NOTE any text',
    'STYLE\n::cue { color: white }',
    'intro\n00:00.000 --> 00:01.000 align:start\n<v Ann>Hello',
    '01:00:00.000 --> 01:00:02.000\nBye',
  ]
  assert.equal(refusal(rich.join('\n\n')), 'accepted')
  assert.equal(refusal(rich.join('\n\n\n')), 'accepted')
})

test('refuses other text, and names the line that is wrong', () => {
  const other = 'captions: the captions are not a WebVTT file, which begins with WEBVTT'
  for (const text of ['', '1\n00:00:01,000 --> 00:00:02,000\nHello', 'WEBVTTX\n\n', `${VTT}\0`])
    assert.equal(refusal(text), other, text)
  const not_text = Buffer.concat([Buffer.from(VTT), Buffer.from([0xff])])
  assert.equal(refusal(not_text), 'captions: the captions are not UTF-8 text')
  assert.equal(refusal('WEBVTT\n\nNOTE nothing'), 'captions: the captions have no text')
  const time = (line: number) =>
    `captions: line ${line} is not a time such as 00:01.000 --> 00:04.000`
  assert.equal(refusal('WEBVTT\n\n00:01,000 --> 00:02,000\nHello'), time(3))
  assert.equal(refusal('WEBVTT\n\n00:02.000 --> 00:02.000\nHello'), time(3))
  assert.equal(refusal('WEBVTT\n\n00:02.000 --> 00:01.000\nHello'), time(3))
  assert.equal(refusal(`${VTT}\nname\n00:99.000 --> 01:00.000\nHello`), time(7))
  assert.equal(refusal(`${VTT}\nonly text\nand more`), time(7))
})
