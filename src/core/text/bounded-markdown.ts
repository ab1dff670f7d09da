import createParser, { type MarkdownIt } from 'markdown-it'

/**
 * Some Markdown takes the parser far longer than its length suggests: rows of a table that are
 * filled up with empty cells, brackets that never close, quotes in quotes. So parsing has a budget
 * that every step of it uses up. It is several times what real texts of that length need.
 */
const BASE_BUDGET = 45_000
const BUDGET_PER_CHARACTER = 1.8
const COST = {
  line: 16,
  line_check: 5,
  quoted_line: 1,
  block_token: 6,
  inline: 10,
  inline_token: 22,
  skipped_token: 1,
  possible_link: 30,
  tried_link: 60,
} as const
/** What the search for addresses in text looks at closely. */
const POSSIBLE_LINKS = /:\/\/|@|[a-z]\.[a-z]/gi
/** Lists and quotes inside each other. The content of deeper ones is not shown. */
const MAX_NESTING = 16

/** The text needs more work than its length allows; show it without markup. */
export class MarkdownTooComplex extends Error {}

/** What is left for the text that is parsed. Parsing is synchronous, so there is one at a time. */
let budget = 0

function spend(cost: number): void {
  budget -= cost
  if (budget < 0) throw new MarkdownTooComplex('The text has too much markup for its length')
}

/** A parser without raw HTML that throws MarkdownTooComplex instead of working for long. */
export function createMarkdown(): MarkdownIt {
  const parser = createParser({ html: false, linkify: true, maxNesting: MAX_NESTING })
  const parse = parser.parse.bind(parser)
  parser.parse = (text, env) => {
    budget = BASE_BUDGET + BUDGET_PER_CHARACTER * text.length
    return parse(text, env)
  }
  limitBlocks(parser)
  limitInlines(parser)
  limitLinks(parser)
  return parser
}

function limitBlocks({ block }: MarkdownIt): void {
  block.parse = (text, md, env, tokens) => {
    if (!text) return
    const state = new block.State(text, md, env, tokens)
    const push = state.push.bind(state)
    state.push = (type, tag, nesting) => {
      spend(COST.block_token)
      // A quote inside of something looks at the lines of what is around it again.
      if (type === 'blockquote_open' && state.level)
        spend(COST.quoted_line * (state.lineMax - state.line))
      return push(type, tag, nesting)
    }
    const isEmpty = state.isEmpty.bind(state)
    state.isEmpty = (line) => {
      spend(COST.line_check)
      return isEmpty(line)
    }
    spend(COST.line * state.lineMax)
    block.tokenize(state, state.line, state.lineMax)
  }
}

function limitInlines({ inline }: MarkdownIt): void {
  const skipToken = inline.skipToken.bind(inline)
  inline.skipToken = (state) => {
    spend(COST.skipped_token)
    skipToken(state)
  }
  inline.parse = (text, md, env, tokens) => {
    spend(COST.inline)
    const state = new inline.State(text, md, env, tokens)
    const push = state.push.bind(state)
    state.push = (type, tag, nesting) => {
      spend(COST.inline_token)
      return push(type, tag, nesting)
    }
    inline.tokenize(state)
    for (const rule of inline.ruler2.getRules('')) rule(state)
  }
}

function limitLinks({ linkify }: MarkdownIt): void {
  const test = linkify.test.bind(linkify)
  linkify.test = (text) => {
    spend(COST.possible_link * (text.match(POSSIBLE_LINKS)?.length ?? 0))
    return test(text)
  }
  const matchAtStart = linkify.matchAtStart.bind(linkify)
  linkify.matchAtStart = (text) => {
    spend(COST.tried_link)
    return matchAtStart(text)
  }
}
