import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export type CodeBlock = {
  line: number
  /** The word after the opening fence, or an empty string. */
  language: string
  body: string
  /** The text of the HTML comment on the line before the block, which readers do not see. */
  mark?: string
}

/** The fenced code blocks of a page, in its order, or only those in a language. */
export function codeBlocks(page: string, language?: string): CodeBlock[] {
  const text = readFileSync(join(root, page), 'utf8')
  const fenced = /^(?:<!-- (.*) -->\n)?( *)```(.*)\n([\s\S]*?)^\2```$/gm
  return [...text.matchAll(fenced)]
    .map(({ 0: match, 1: mark, 3: name, 4: body, index }) => ({
      line: text.slice(0, index).split('\n').length + (mark ? 1 : 0),
      language: name!,
      body: body!,
      ...(mark && match ? { mark } : {}),
    }))
    .filter((block) => language === undefined || block.language === language)
}

/** The text of the blocks in a language. */
export const programsOf = (page: string, language: string): string[] =>
  codeBlocks(page, language).map(({ body }) => body)
