const ZERO_WIDTH_SPACE = '\u200b'
const MARKUP = /[\\*_~`|>#[\]()-]/
/** Begin the name of a person, a channel or a command. */
const MENTION_START = /[@<]/
/** Change the direction of the text around them, and could make an address look like another. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Escapes text so that a chat service shows it as it was typed: markup gets a backslash, mentions
 * an invisible space. It is cut between characters, so that no escape sequence is cut in half.
 */
export function escapeChatText(text: string, max: number): string {
  let escaped = ''
  for (const character of text.replaceAll(DIRECTION_MARKS, '')) {
    const next = escapeCharacter(character)
    if (escaped.length + next.length > max - 1) return `${escaped}…`
    escaped += next
  }
  return escaped
}

function escapeCharacter(character: string): string {
  if (MARKUP.test(character)) return `\\${character}`
  return MENTION_START.test(character) ? character + ZERO_WIDTH_SPACE : character
}
