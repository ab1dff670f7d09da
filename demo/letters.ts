import { group, path, rounded } from './svg.ts'

/**
 * Letters as strokes in a box six units high. They need no installed font and take any weight,
 * slant and width.
 */
const round = 'M2 0 C3.2 0 4 1 4 2.2 V3.8 C4 5 3.2 6 2 6 C.8 6 0 5 0 3.8 V2.2 C0 1 .8 0 2 0 Z'
const open = 'M3.8 1 C3.2 .2 2.6 0 2 0 C.8 0 0 1 0 2.2 V3.8 C0 5 .8 6 2 6'
const bowl = 'M0 6 V0 H1.8 C2.8 0 3.4 .7 3.4 1.7 C3.4 2.7 2.8 3.4 1.8 3.4 H0'

/** The width and path of each letter. */
const glyphs: Record<string, [number, string]> = {
  A: [4, 'M0 6 L2 0 L4 6 M.8 4 H3.2'],
  B: [
    3.4,
    'M0 0 V6 H1.9 C2.9 6 3.4 5.3 3.4 4.5 C3.4 3.6 2.8 3 1.9 3 H0 ' +
      'M1.8 3 C2.6 3 3.1 2.4 3.1 1.5 C3.1 .6 2.6 0 1.8 0 H0',
  ],
  C: [3.8, `${open} C2.6 6 3.2 5.8 3.8 5`],
  D: [4, 'M0 0 H1.6 C3 0 4 1 4 3 C4 5 3 6 1.6 6 H0 Z'],
  E: [3, 'M3 0 H0 V6 H3 M0 3 H2.5'],
  F: [3, 'M3 0 H0 V6 M0 3 H2.5'],
  G: [4, `${open} C3.2 6 4 5.2 4 4 V3.2 H2.2`],
  H: [3.6, 'M0 0 V6 M3.6 0 V6 M0 3 H3.6'],
  I: [0, 'M0 0 V6'],
  J: [2.6, 'M2.6 0 V4.4 C2.6 5.4 2 6 1.2 6 C.6 6 .2 5.8 0 5.4'],
  K: [3.4, 'M0 0 V6 M3.4 0 L0 3.4 M1.2 2.3 L3.4 6'],
  L: [2.8, 'M0 0 V6 H2.8'],
  M: [4.6, 'M0 6 V0 L2.3 4 L4.6 0 V6'],
  N: [3.6, 'M0 6 V0 L3.6 6 V0'],
  O: [4, round],
  P: [3.4, bowl],
  Q: [4, `${round} M2.6 4.4 L4 6`],
  R: [3.4, `${bowl} M1.6 3.4 L3.4 6`],
  S: [
    3.4,
    'M3.2 .9 C2.8 .3 2.3 0 1.7 0 C.7 0 .1 .6 .1 1.5 C.1 2.5 .9 2.8 1.7 3 ' +
      'C2.6 3.2 3.4 3.6 3.4 4.5 C3.4 5.4 2.7 6 1.7 6 C1 6 .4 5.7 0 5',
  ],
  T: [3.6, 'M0 0 H3.6 M1.8 0 V6'],
  U: [3.6, 'M0 0 V4 C0 5.2 .7 6 1.8 6 C2.9 6 3.6 5.2 3.6 4 V0'],
  V: [4, 'M0 0 L2 6 L4 0'],
  W: [5.4, 'M0 0 L1.35 6 L2.7 1 L4.05 6 L5.4 0'],
  X: [3.6, 'M0 0 L3.6 6 M3.6 0 L0 6'],
  Y: [3.8, 'M0 0 L1.9 3 L3.8 0 M1.9 3 V6'],
  Z: [3.4, 'M0 0 H3.4 L0 6 H3.4'],
  0: [4, round],
  1: [1.4, 'M0 1.2 L1.4 0 V6'],
  2: [3.4, 'M.1 1.4 C.2 .5 .9 0 1.7 0 C2.7 0 3.3 .7 3.3 1.6 C3.3 3 0 4.6 0 6 H3.4'],
  3: [3.2, 'M0 0 H3.2 L1.4 2.4 C2.6 2.4 3.2 3.2 3.2 4.2 C3.2 5.3 2.5 6 1.5 6 C.9 6 .3 5.7 0 5.2'],
  4: [3.4, 'M2.5 6 V0 L0 4.3 H3.4'],
  7: [3.2, 'M0 0 H3.2 L1.2 6'],
  8: [
    3.4,
    'M1.7 0 C.8 0 .2 .6 .2 1.5 C.2 2.4 .8 2.9 1.7 2.9 ' +
      'C2.6 2.9 3.2 2.4 3.2 1.5 C3.2 .6 2.6 0 1.7 0 Z ' +
      'M1.7 2.9 C.7 2.9 0 3.5 0 4.4 C0 5.4 .7 6 1.7 6 ' +
      'C2.7 6 3.4 5.4 3.4 4.4 C3.4 3.5 2.7 2.9 1.7 2.9 Z',
  ],
  '&': [
    3.8,
    'M3.8 6 L.9 2.4 C.2 1.4 .7 0 1.8 0 C2.9 0 3.3 1.4 2.4 2.2 ' +
      'L1 3.2 C-.4 4.2 0 6 1.6 6 C2.8 6 3.6 5 3.7 3.8',
  ],
  "'": [0, 'M0 0 V1.4'],
  '.': [0, 'M0 5.9 V6'],
  '-': [2, 'M0 3.2 H2'],
  ':': [0, 'M0 1.9 V2 M0 4.9 V5'],
}
const SPACE = 2.2

export type Lettering = {
  weight: number
  gap: number
  wide: number
  slant: number
  cap: 'round' | 'butt' | 'square'
}

const widthOf = (line: string, { gap, wide }: Lettering) =>
  [...line].reduce((sum, letter) => sum + (glyphs[letter]?.[0] ?? SPACE) * wide + gap, -gap)

/** One line of text with its left end at x and its baseline at y. */
export function drawLine(
  line: string,
  style: Lettering,
  place: { x: number; y: number; size: number; color: string; stroke_width?: number },
): string {
  const { x, y, size, color, stroke_width = style.weight } = place
  let position = 0
  const letters = [...line].map((letter) => {
    const [width, d] = glyphs[letter] ?? [SPACE, '']
    const transform = rounded`translate(${position} 0) scale(${style.wide} 1)`
    position += width * style.wide + style.gap
    return d && path(d, { transform })
  })
  const scale = `scale(${size / 6}) skewX(${-style.slant})`
  const transform = `${rounded`translate(${x} ${y - size})`} ${scale}`
  const stroke = {
    fill: 'none',
    stroke: color,
    'stroke-width': stroke_width,
    'stroke-linecap': style.cap,
    'stroke-linejoin': style.cap === 'round' ? 'round' : 'miter',
    'stroke-miterlimit': 2.2,
  }
  return group({ transform, ...stroke }, ...letters)
}

/** The name in a limited number of lines, as large as the box allows. */
export function fitLines(
  name: string,
  style: Lettering,
  box: { width: number; height: number },
  max_lines = 3,
) {
  const words = name
    .toUpperCase()
    .replace(/[^A-Z0-9&'.:\- ]/g, '')
    .split(' ')
  let best = { lines: [words.join(' ')], size: 0 }
  for (let cuts = 0; cuts < 2 ** (words.length - 1); cuts++) {
    const lines = [words[0]!]
    for (const [i, word] of words.slice(1).entries()) {
      if (cuts & (1 << i)) lines.push(word)
      else lines[lines.length - 1] += ` ${word}`
    }
    if (lines.length > max_lines) continue
    const widest = Math.max(...lines.map((line) => widthOf(line, style) + style.weight))
    const size = Math.min((box.width / widest) * 6, box.height / (lines.length * 1.38))
    if (size > best.size) best = { lines, size }
  }
  return best
}
