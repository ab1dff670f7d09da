import { drawLine, fitLines, type Lettering } from './letters.ts'
import { type Random, random } from './random.ts'
import { type SceneName, scenes } from './scenes.ts'
import { circle, element, gradientStop, type Palette, rect, shade, times } from './svg.ts'

/** The visual style of a game; the rest is derived from its name. */
export type Look = {
  name: string
  scene: SceneName
  palette: keyof typeof palettes
  lettering: keyof typeof letterings
}

export const palettes = {
  tide: ['#f2d7a6', '#2f7f86', '#1d5a6b', '#12394c', '#e4572e', '#fff3d6'],
  dusk: ['#35275b', '#6a3f7c', '#a44a78', '#4a2350', '#ffb454', '#ffe9c7'],
  moss: ['#c9dba0', '#7ea15f', '#4d7c4a', '#2d5237', '#f2a541', '#fbf7dc'],
  frost: ['#a9cfe0', '#7fa8c4', '#4d7ba0', '#274b6d', '#ff6f59', '#f7fbff'],
  ember: ['#4b1d1d', '#8c2f22', '#c7502b', '#2c1214', '#ffc145', '#ffe8c2'],
  neon: ['#1b1140', '#3b1d78', '#7a2d9c', '#120a2b', '#2ee6c5', '#ff7ad9'],
  paper: ['#efe3cd', '#c9b79a', '#8f7f6b', '#4f463d', '#c0392b', '#fffaf0'],
  coral: ['#ffd0bd', '#f08f7c', '#c85a6a', '#6f2f4c', '#2a9d8f', '#fff1e6'],
  deep: ['#081c2e', '#0f3a55', '#17607a', '#06121f', '#ffd166', '#bff0ea'],
  candy: ['#ffe3ef', '#ff9ec4', '#7fc8f8', '#5a4fcf', '#ffca3a', '#ffffff'],
  rust: ['#d9c9b6', '#b9875b', '#8b5136', '#40291f', '#3f7d8c', '#fbf1e2'],
  lime: ['#18321f', '#2f6b34', '#6aa84f', '#0e2015', '#e6f14a', '#f4ffd8'],
  mono: ['#e9e9e4', '#b8b8b0', '#6e6e68', '#22221f', '#e0452b', '#ffffff'],
} as const satisfies Record<string, Palette>

const letterings = {
  heavy: { weight: 1.5, gap: 2, wide: 1, slant: 0, cap: 'round' },
  stencil: { weight: 1.35, gap: 1.9, wide: 1.05, slant: 0, cap: 'butt' },
  thin: { weight: 0.42, gap: 2.1, wide: 1.1, slant: 0, cap: 'round' },
  wide: { weight: 0.95, gap: 2.1, wide: 1.5, slant: 0, cap: 'square' },
  fast: { weight: 1.25, gap: 1.8, wide: 1.1, slant: 14, cap: 'butt' },
  tall: { weight: 0.9, gap: 1.4, wide: 0.62, slant: 0, cap: 'round' },
} as const satisfies Record<string, Lettering>

export type Size = readonly [width: number, height: number]
/** The smallest sizes that the platform accepts, so that the demo fills quickly. */
export const sizes = {
  cover: [1024, 576],
  thumbnail: [960, 540],
  gallery: [1280, 720],
} as const satisfies Record<string, Size>

const WIDTH = 1280
const HEIGHT = 720
const document = ([width, height]: Size, ...children: string[]) => {
  const xmlns = 'http://www.w3.org/2000/svg'
  return element('svg', { xmlns, width, height, viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, ...children)
}

/** The name over the scene, with a shadow that keeps it readable. */
export function coverSvg(look: Look, size: Size): string {
  const palette = palettes[look.palette]
  const style: Lettering = letterings[look.lettering]
  const { lines, size: letter_size } = fitLines(look.name, style, { width: 700, height: 380 })
  const dark = shade(palette[3], -0.55)
  const x = 74
  const name = lines.flatMap((line, i) => {
    const y = 640 - (lines.length - 1 - i) * letter_size * 1.36
    const shadow = { x: x + 5, y: y + 7, color: dark, stroke_width: style.weight + 0.55 }
    return [
      drawLine(line, style, { size: letter_size, ...shadow }),
      drawLine(line, style, { size: letter_size, x, y, color: palette[5] }),
    ]
  })
  const scene = scenes[look.scene](random(look.name), palette, WIDTH, HEIGHT)
  return document(size, scene, darkCorner(dark), ...name)
}

/** Darkens the lower left corner, where the name is. */
function darkCorner(color: string): string {
  const direction = { id: 'corner', x1: 0, y1: 1, x2: 0.75, y2: 0.1 }
  const stops = [gradientStop(0, color, 0.82), gradientStop(0.75, color, 0)]
  const gradient = element('linearGradient', direction, ...stops)
  return (
    element('defs', {}, gradient) + rect({ width: WIDTH, height: HEIGHT, fill: 'url(#corner)' })
  )
}

/** A screenshot: a variation of the scene with the interface of its genre. */
export function shotSvg(look: Look, number: number, size: Size): string {
  const dice = random(`${look.name} ${number}`)
  const palette = palettes[look.palette]
  const scene = scenes[look.scene](dice, palette, WIDTH, HEIGHT)
  const draw = interfaces[number % interfaces.length]!
  return document(size, scene, draw(dice, palette, letterings[look.lettering]))
}

type DrawInterface = (dice: Random, palette: Palette, style: Lettering) => string
type Position = { x: number; y: number }
type Box = Position & { width: number; height: number }

const panel = (box: Box, [, , , near]: Palette) =>
  rect({ ...box, rx: 10, fill: shade(near, -0.6), opacity: 0.78 })

const caption = (
  text: string,
  style: Lettering,
  place: Position & { size: number; color: string },
) => drawLine(text, { ...style, weight: 0.8 }, place)

const bar = (place: Position, share: number, color: string, [, , , , , light]: Palette) => {
  const shape = { ...place, height: 14, rx: 7 }
  const background = rect({ ...shape, width: 282, fill: light, opacity: 0.25 })
  return background + rect({ ...shape, width: 282 * share, fill: color })
}

const health: DrawInterface = (dice, palette, style) => {
  const [, , , , accent, light] = palette
  const bars = [
    bar({ x: 60, y: 60 }, dice.between(0.5, 0.95), accent, palette),
    bar({ x: 60, y: 88 }, dice.between(0.2, 0.7), light, palette),
  ]
  const score = String(dice.pick([108, 214, 312, 432, 747]))
  return [
    panel({ x: 36, y: 34, width: 330, height: 92 }, palette),
    ...bars,
    panel({ x: 1090, y: 34, width: 154, height: 92 }, palette),
    caption(score, style, { x: 1118, y: 102, size: 44, color: light }),
  ].join('')
}

const lines = [
  'WE SAIL AT DAWN',
  'THE DOOR IS OPEN',
  'LISTEN TO THE TIDE',
  'ONE MORE LANTERN',
  'KEEP THE FIRE LOW',
]
const dialog: DrawInterface = (dice, palette, style) => {
  const [, , , , accent, light] = palette
  return [
    panel({ x: 290, y: 548, width: 700, height: 136 }, palette),
    caption(dice.pick(lines), style, { x: 326, y: 608, size: 26, color: light }),
    caption('AND NOBODY SLEEPS', style, { x: 326, y: 656, size: 20, color: accent }),
  ].join('')
}

const inventory: DrawInterface = (dice, palette) => {
  const [, , , , accent, light] = palette
  return times(5, (i) => {
    const slot = panel({ x: 400 + i * 98, y: 606, width: 86, height: 86 }, palette)
    const r = dice.integer(14, 28)
    const fill = dice.pick([accent, light])
    return slot + circle({ cx: 443 + i * 98, cy: 649, r, fill, opacity: i === 2 ? 1 : 0.6 })
  })
}

const map: DrawInterface = (dice, palette) => {
  const [, , , , accent, light] = palette
  const border = { fill: 'none', stroke: light, 'stroke-width': 4, opacity: 0.6 }
  const markers = times(6, () => {
    const cx = dice.integer(1000, 1170)
    const cy = dice.integer(110, 280)
    return circle({ cx, cy, r: 7, fill: dice.pick([accent, light]) })
  })
  return [
    panel({ x: 930, y: 40, width: 310, height: 310 }, palette),
    circle({ cx: 1085, cy: 195, r: 126, ...border }),
    markers,
  ].join('')
}

const heading: DrawInterface = (dice, palette, style) => {
  const text = dice.pick(['CHAPTER 3', 'NIGHT 7', 'ROUND 12', 'WAVE 4'])
  const place = { x: 66, y: 662, size: 48, color: palette[5] }
  return panel({ x: 36, y: 590, width: 420, height: 94 }, palette) + caption(text, style, place)
}

const interfaces = [health, dialog, inventory, map, heading]
