import { joinTexts, type Text, t } from '../core/text/text.ts'
import { formatBytes } from './components/format.ts'

const pixels = (width: string, height: string) => t('image-pixels', { width, height })
const bytes = (count: string) => formatBytes(Number(count))

type Rule = [pattern: RegExp, sentence: (...numbers: string[]) => Text]

/** The problems that listings/media/image-rules.ts names, in one message if there are several. */
const rules: Rule[] = [
  [/it is not a PNG, JPEG, GIF or WebP image/, () => t('image-not-image')],
  [/it is not a PNG, JPEG or WebP image/, () => t('image-not-profile-image')],
  [
    /it is (\d+)x(\d+); send at least (\d+)x(\d+)/,
    (width, height, min_width, min_height) =>
      t('image-too-small', { size: pixels(width, height), min: pixels(min_width, min_height) }),
  ],
  [
    /it is (\d+)x(\d+); send at most (\d+)x(\d+)/,
    (width, height, max_width, max_height) =>
      t('image-too-wide', { size: pixels(width, height), max: pixels(max_width, max_height) }),
  ],
  [
    /it is (\d+)x(\d+), a width to height of [\d.]+; send [\d.]+ to [\d.]+, such as (\d+)x(\d+)/,
    (width, height, example_width, example_height) =>
      t('image-wrong-ratio', {
        size: pixels(width, height),
        example: pixels(example_width, example_height),
      }),
  ],
  [
    /it has (\d+) bytes; send at most (\d+)/,
    (actual, max) => t('image-too-many-bytes', { size: bytes(actual), max: bytes(max) }),
  ],
  [/it is larger than (\d+) bytes/, (max) => t('image-over-bytes', { max: bytes(max) })],
]

/** Why an image was refused, in sentences for people; undefined if the message is another. */
export function imageRefusalText(message: string): Text | undefined {
  const sentences = rules.flatMap(([pattern, sentence]) => {
    const match = message.match(pattern)
    return match ? [sentence(...match.slice(1))] : []
  })
  if (!sentences.length) return undefined
  const problems = joinTexts(sentences, ' ')
  const number = Number(message.match(/\(file (\d+)\)$/)?.[1] ?? 1)
  return number > 1 ? t('image-numbered', { number, problems }) : problems
}
