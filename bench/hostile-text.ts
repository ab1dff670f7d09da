import { toBbcode } from '../src/assets/packages/bbcode.ts'
import { htmlToMarkdown, htmlToText } from '../src/extstore/import/html-markdown.ts'
import { markdown } from '../src/web/components/markdown.ts'
import { hostileHtml, hostileMarkdown } from './support/hostile-text.ts'

const LENGTH = 20_000
const TARGET_MS = 20
const ROUNDS = 5
const SHOWN = 3

/**
 * Target: no text of 20,000 characters takes the thread of the event loop more than 20 ms, on any
 * path from Markdown or HTML to what is shown. Prints the slowest texts of each path.
 */
export async function hostileText() {
  const markdownTexts = hostileMarkdown(LENGTH)
  const htmlTexts = hostileHtml(LENGTH)
  const paths = [
    { name: 'Markdown to HTML', texts: markdownTexts, run: (text: string) => markdown(text) },
    { name: 'Markdown to BBCode', texts: markdownTexts, run: toBbcode },
    {
      name: 'HTML to Markdown',
      texts: htmlTexts,
      run: (text: string) => htmlToMarkdown(text, LENGTH),
    },
    { name: 'HTML to text', texts: htmlTexts, run: htmlToText },
  ]
  for (const { name, texts, run } of paths) {
    const times = await measure(texts, run)
    const [slowest] = times
    console.log(`\n${name}: ${texts.size} texts of ${LENGTH} characters`)
    for (const [text, ms] of times.slice(0, SHOWN)) console.log(`  ${ms.toFixed(1)} ms  ${text}`)
    console.log(`  target ${TARGET_MS} ms: ${slowest![1] <= TARGET_MS ? 'reached' : 'missed'}`)
  }
}

/** The CPU time of this thread for each text, slowest first: the least of several rounds. */
async function measure(texts: Map<string, string>, run: (text: string) => unknown) {
  const times = new Map<string, number>()
  let salt = 0
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, text] of texts) {
      // Results are cached by text, so every round has another one.
      const fresh = text.slice(0, -6) + String(salt++).padStart(6, '0')
      const before = process.threadCpuUsage()
      await run(fresh)
      const { user, system } = process.threadCpuUsage(before)
      times.set(name, Math.min(times.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / 1000))
    }
  return [...times].sort(([, a], [, b]) => b - a)
}
