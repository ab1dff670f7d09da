import { fitLines, type Lettering, letter } from './letters.ts'
import { type Random, random } from './random.ts'
import { type Palette, type SceneName, scenes, shade } from './scenes.ts'

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

const frame = ([width, height]: Size, inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 1280 720">${inside}</svg>`

/** The name over the scene, with a shadow that keeps it readable. */
export function coverSvg(look: Look, size: Size): string {
  const palette = palettes[look.palette]
  const style: Lettering = letterings[look.lettering]
  const { lines, size: tall } = fitLines(look.name, style, { width: 700, height: 380 })
  const dark = shade(palette[3], -0.55)
  const left = 74
  const name = lines.flatMap((line, i) => {
    const y = 640 - (lines.length - 1 - i) * tall * 1.36
    return [
      letter(line, left + 5, y + 7, tall, dark, style, style.weight + 0.55),
      letter(line, left, y, tall, palette[5], style),
    ]
  })
  const veil = `<defs><linearGradient id="veil" x1="0" y1="1" x2=".75" y2=".1"><stop offset="0" stop-color="${dark}" stop-opacity=".82"/><stop offset=".75" stop-color="${dark}" stop-opacity="0"/></linearGradient></defs><rect width="1280" height="720" fill="url(#veil)"/>`
  return frame(
    size,
    `${scenes[look.scene](random(look.name), palette, 1280, 720)}${veil}${name.join('')}`,
  )
}

/** A screenshot: a variation of the scene with the interface of its genre. */
export function shotSvg(look: Look, number: number, size: Size): string {
  const dice = random(`${look.name} ${number}`)
  const palette = palettes[look.palette]
  return frame(
    size,
    `${scenes[look.scene](dice, palette, 1280, 720)}${hud(dice, palette, number, letterings[look.lettering])}`,
  )
}

function hud(
  dice: Random,
  [, , , near, accent, light]: Palette,
  number: number,
  style: Lettering,
): string {
  const dark = shade(near, -0.6)
  const box = (x: number, y: number, w: number, h: number) =>
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="10" fill="${dark}" opacity=".78"/>`
  const words = (text: string, x: number, y: number, tall: number, color = light) =>
    letter(text, x, y, tall, color, { ...style, weight: 0.8 })
  const bar = (x: number, y: number, w: number, part: number, color: string) =>
    `<rect x="${x}" y="${y}" width="${w}" height="14" rx="7" fill="${light}" opacity=".25"/><rect x="${x}" y="${y}" width="${(w * part).toFixed(0)}" height="14" rx="7" fill="${color}"/>`
  const kinds = [
    () =>
      `${box(36, 34, 330, 92)}${bar(60, 60, 282, dice.between(0.5, 0.95), accent)}${bar(60, 88, 282, dice.between(0.2, 0.7), light)}${box(1090, 34, 154, 92)}${words(String(dice.pick([108, 214, 312, 432, 747])), 1118, 102, 44)}`,
    () =>
      `${box(290, 548, 700, 136)}${words(dice.pick(['WE SAIL AT DAWN', 'THE DOOR IS OPEN', 'LISTEN TO THE TIDE', 'ONE MORE LANTERN', 'KEEP THE FIRE LOW']), 326, 608, 26)}${words('AND NOBODY SLEEPS', 326, 656, 20, accent)}`,
    () =>
      `${[0, 1, 2, 3, 4].map((i) => `${box(400 + i * 98, 606, 86, 86)}<circle cx="${443 + i * 98}" cy="649" r="${dice.whole(14, 28)}" fill="${dice.pick([accent, light])}" opacity="${i === 2 ? 1 : 0.6}"/>`).join('')}`,
    () =>
      `${box(930, 40, 310, 310)}<circle cx="1085" cy="195" r="126" fill="none" stroke="${light}" stroke-width="4" opacity=".6"/>${[...Array(6)].map(() => `<circle cx="${dice.whole(1000, 1170)}" cy="${dice.whole(110, 280)}" r="7" fill="${dice.pick([accent, light])}"/>`).join('')}`,
    () =>
      `${box(36, 590, 420, 94)}${words(dice.pick(['CHAPTER 3', 'NIGHT 7', 'ROUND 12', 'WAVE 4']), 66, 662, 48)}`,
  ]
  return kinds[number % kinds.length]!()
}
