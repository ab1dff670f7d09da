import type { Language } from './languages.ts'

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const accented = 'áƀćđéƒǵĥíĵķĺḿńóṕɋŕśťúṽẃẋýźÁƁĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ'
const accents = new Map([...plain].map((letter, i) => [letter, [...accented][i]!]))

const RIGHT_TO_LEFT_OVERRIDE = '\u202e'
const POP_DIRECTION = '\u202c'

/** How a pseudo-language writes the English text of a message. Tags in it stay as they are. */
export function pseudoText(language: Language): (text: string) => string {
  const write = language === 'ar-XB' ? mirrored : lengthened
  return (text) =>
    text
      .split(/(<[^>]*>)/)
      .map((part, i) => (i % 2 ? part : write(part)))
      .join('')
}

/** Accents on every letter, and every second vowel twice: other languages need that much room. */
function lengthened(text: string): string {
  let vowels = 0
  return text.replace(/[a-zA-Z]/g, (letter) => {
    const accent = accents.get(letter)!
    return /[aeiou]/i.test(letter) && vowels++ % 2 === 0 ? accent + accent : accent
  })
}

const mirrored = (text: string) =>
  text.replace(/\p{L}[\p{L}'’-]*/gu, (word) => RIGHT_TO_LEFT_OVERRIDE + word + POP_DIRECTION)
