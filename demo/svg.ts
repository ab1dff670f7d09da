import type { Random } from './random.ts'

/** Colors from background to foreground, then the accent and the light. */
export type Palette = readonly [
  sky: string,
  far: string,
  mid: string,
  near: string,
  accent: string,
  light: string,
]
export type Paint = (random: Random, palette: Palette, width: number, height: number) => string

const round = (value: number) => String(Math.round(value * 100) / 100)

/** A template for paths and transforms that rounds its numbers. */
export const rounded = (texts: TemplateStringsArray, ...values: number[]) =>
  String.raw({ raw: texts }, ...values.map(round))

export const points = (list: [number, number][]) =>
  list.map(([x, y]) => rounded`${x},${y}`).join(' ')

export const times = (count: number, draw: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => draw(i)).join('')

type Attributes = Record<string, string | number>

export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const text = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : value}"`)
    .join('')
  return children.length ? `<${name}${text}>${children.join('')}</${name}>` : `<${name}${text}/>`
}

export const rect = (attributes: Attributes) => element('rect', attributes)
export const circle = (attributes: Attributes) => element('circle', attributes)
export const ellipse = (attributes: Attributes) => element('ellipse', attributes)
export const polygon = (attributes: Attributes) => element('polygon', attributes)
export const path = (d: string, attributes: Attributes) => element('path', { d, ...attributes })
export const group = (attributes: Attributes, ...children: string[]) =>
  element('g', attributes, ...children)
export const gradientStop = (offset: number, color: string, opacity = 1) =>
  element('stop', { offset, 'stop-color': color, 'stop-opacity': opacity })

/** A vertical gradient over the whole image. */
export function backdrop(from: string, to: string, width: number, height: number): string {
  const direction = { id: 'backdrop', x1: 0, y1: 0, x2: 0, y2: 1 }
  const stops = [gradientStop(0, from), gradientStop(1, to)]
  const gradient = element('linearGradient', direction, ...stops)
  return element('defs', {}, gradient) + rect({ width, height, fill: 'url(#backdrop)' })
}

/** A darker or lighter shade of a color; `by` is from -1 to 1. */
export function shade(color: string, by: number): string {
  const target = by < 0 ? 0 : 255
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const shaded = channels.map((channel) =>
    Math.round(channel + (target - channel) * Math.abs(by))
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${shaded.join('')}`
}
