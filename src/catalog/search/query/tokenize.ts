/** Longer words are truncated, which keeps whole URLs out of the dictionary. */
const MAX_WORD = 32

// Accents and points that people omit when they type. Vowel signs of other scripts are letters and
// stay.
const ACCENTS = new RegExp(
  `[${[
    '\\u0300-\\u036f',
    '\\u0591-\\u05c7',
    '\\u0610-\\u061a',
    '\\u064b-\\u065f',
    '\\u0670',
    '\\u1ab0-\\u1aff',
    '\\u1dc0-\\u1dff',
    '\\u20d0-\\u20ff',
    '\\ufe20-\\ufe2f',
  ].join('')}]`,
  'g',
)
// Letters without a Unicode decomposition.
const spelled: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
}
const SPELLED = new RegExp(`[${Object.keys(spelled).join('')}]`, 'g')
const RUN = /[\p{L}\p{N}\p{M}]+/gu
// Scripts written without spaces between words.
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu
const PLAIN = /^[\x00-\x7f]*$/

/** Normalizes text for comparison: without case and accents. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (PLAIN.test(lower)) return lower
  return lower
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(SPELLED, (letter) => spelled[letter]!)
    .normalize('NFC')
    .toLowerCase()
}

/** The words of an indexed text. Text without spaces becomes its characters and bigrams. */
export function tokenize(text: string): string[] {
  return split(text, (letters, words) => {
    for (const letter of letters) words.push(letter)
    pairs(letters, words)
  })
}

/** The words of a query. Text without spaces becomes its bigrams, or its only character. */
export function tokenizeQuery(text: string): string[] {
  return split(text, (letters, words) => {
    if (letters.length === 1) words.push(letters[0]!)
    pairs(letters, words)
  })
}

type Take = (letters: string[], words: string[]) => void

function split(text: string, takeUnspaced: Take): string[] {
  const words: string[] = []
  const folded = fold(text)
  if (PLAIN.test(folded)) {
    for (const run of folded.match(/[a-z0-9]+/g) ?? []) words.push(cut(run))
    return words
  }
  for (const run of folded.match(RUN) ?? []) {
    let at = 0
    for (const { 0: unspaced, index } of run.matchAll(UNSPACED)) {
      if (index > at) words.push(cut(run.slice(at, index)))
      takeUnspaced([...unspaced], words)
      at = index + unspaced.length
    }
    if (at < run.length) words.push(cut(run.slice(at)))
  }
  return words
}

function pairs(letters: string[], words: string[]) {
  for (let i = 1; i < letters.length; i++) words.push(letters[i - 1]! + letters[i])
}

function cut(word: string): string {
  if (word.length <= MAX_WORD) return word
  const short = word.slice(0, MAX_WORD)
  return short.isWellFormed() ? short : short.slice(0, -1)
}
