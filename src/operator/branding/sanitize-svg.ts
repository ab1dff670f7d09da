import { Parser } from 'htmlparser2'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'

/**
 * Makes an SVG image harmless: what is not in the lists below is left out, and what is left is
 * written anew, so that nothing depends on how another parser would read the uploaded text.
 *
 * The lists are ours because the sanitizers that are kept well need a DOM, and those of the DOM
 * libraries are made for HTML: they keep links, images and style sheets with `url()`, which an
 * image of a store does not need. The parser is htmlparser2, in its mode for XML.
 */

const elements = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'style'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'tspan'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask', 'filter'],
  ...['feBlend', 'feColorMatrix', 'feComposite', 'feDropShadow', 'feFlood', 'feGaussianBlur'],
  ...['feMerge', 'feMergeNode', 'feOffset'],
])

/** Properties that are attributes, or part of a style. */
const properties = new Set([
  ...['fill', 'fill-opacity', 'fill-rule', 'stroke', 'stroke-width', 'stroke-opacity'],
  ...['stroke-linecap', 'stroke-linejoin', 'stroke-miterlimit', 'stroke-dasharray'],
  ...['stroke-dashoffset', 'opacity', 'color', 'display', 'visibility', 'overflow'],
  ...['clip-path', 'clip-rule', 'mask', 'mask-type', 'filter', 'isolation', 'mix-blend-mode'],
  ...['stop-color', 'stop-opacity', 'flood-color', 'flood-opacity', 'paint-order'],
  ...['color-interpolation-filters', 'vector-effect', 'shape-rendering', 'transform'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'font-variant', 'letter-spacing'],
  ...['word-spacing', 'text-anchor', 'text-decoration', 'dominant-baseline'],
])

const attributes = new Set([
  ...properties,
  ...['id', 'class', 'viewBox', 'preserveAspectRatio', 'width', 'height', 'x', 'y', 'd'],
  ...['cx', 'cy', 'r', 'rx', 'ry', 'fx', 'fy', 'x1', 'y1', 'x2', 'y2', 'dx', 'dy', 'points'],
  ...['pathLength', 'rotate', 'textLength', 'lengthAdjust', 'offset', 'gradientUnits'],
  ...['gradientTransform', 'spreadMethod', 'clipPathUnits', 'maskUnits', 'maskContentUnits'],
  ...['filterUnits', 'primitiveUnits', 'in', 'in2', 'result', 'mode', 'type', 'values'],
  ...['operator', 'k1', 'k2', 'k3', 'k4', 'stdDeviation'],
])

/** Elements that may refer to another element of the image. */
const referrers = new Set(['use', 'linearGradient', 'radialGradient'])
const textElements = new Set(['text', 'tspan', 'title', 'desc', 'style'])
/** References within these could multiply, and a small file would take minutes to draw. */
const sealedElements = new Set(['clipPath', 'mask', 'symbol'])
const multiplyingProperties = new Set(['clip-path', 'mask', 'filter'])

/** Without these characters a value can name no address and leave no attribute or rule. */
const VALUE = /^[\p{L}\p{N}\s#%.,()+'"*!-]*$/u
const URL_FUNCTION = /url|src|image/i
const LOCAL_URL = /^url\(\s*(['"]?)#[A-Za-z_][\w.-]*\1\s*\)$/
const LOCAL_REFERENCE = /^#[A-Za-z_][\w.-]*$/
const SELECTOR = /^[\w\s.#,*-]+$/

const MAX_ELEMENTS = 5_000
const MAX_DEPTH = 40
/** The size at which the image is drawn where nothing says another. */
const LONGER_SIDE = 512

type Element = { name: string; attributes: Map<string, string>; children: (Element | string)[] }

export type SanitizedSvg = { text: string; width: number; height: number }

/** The image without what could do harm, or why it cannot be used. */
export function sanitizeSvg(source: string): SanitizedSvg | Explanation {
  const root = parse(source)
  if (!('name' in root)) return root
  const shape = sizeOf(root)
  if (!shape)
    return explain(
      'svg_no_size',
      'it has neither a viewBox nor a width and a height; export it with one of them',
    )
  const scale = LONGER_SIDE / Math.max(shape.width, shape.height)
  const [width, height] = [shape.width, shape.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number]
  const box = root.attributes.get('viewBox') ?? `0 0 ${shape.width} ${shape.height}`
  root.attributes.set('viewBox', box)
  root.attributes.set('width', String(width))
  root.attributes.set('height', String(height))
  dropNestedUses(root)
  return { text: `${write(root, true)}\n`, width, height }
}

const NOT_SVG = explain('svg_unreadable', 'it is not an SVG image that can be read')
const TOO_COMPLEX = explain('svg_too_complex', 'it has too many parts; simplify it')
const DECLARATIONS = explain('svg_declarations', 'it declares entities; export it as plain SVG')

function parse(source: string): Element | Explanation {
  const document: Element = { name: '', attributes: new Map(), children: [] }
  const open = [document]
  let problem: Explanation | undefined
  let count = 0
  /** How deep the parser is in an element that is left out. */
  let skipped = 0
  const parser = new Parser(
    {
      onopentag(name, given) {
        if (skipped || !elements.has(name)) {
          skipped++
          return
        }
        if (++count > MAX_ELEMENTS || open.length > MAX_DEPTH) problem ??= TOO_COMPLEX
        const is_sealed = open.some((parent) => sealedElements.has(parent.name))
        const element = { name, attributes: keptAttributes(name, given, is_sealed), children: [] }
        open.at(-1)!.children.push(element)
        open.push(element)
      },
      onclosetag() {
        if (skipped) skipped--
        else open.pop()
      },
      ontext(text) {
        if (!skipped && textElements.has(open.at(-1)!.name)) open.at(-1)!.children.push(text)
      },
      onprocessinginstruction(_, data) {
        if (/\[|entity/i.test(data)) problem ??= DECLARATIONS
      },
      onerror() {
        problem ??= NOT_SVG
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(source)
  const [root, ...others] = document.children.filter((child) => typeof child !== 'string')
  if (problem) return problem
  return root?.name === 'svg' && !others.length ? root : NOT_SVG
}

function keptAttributes(
  element: string,
  given: Record<string, string>,
  is_sealed: boolean,
): Map<string, string> {
  const kept = new Map<string, string>()
  for (const [name, text] of Object.entries(given)) {
    const value = text.trim()
    if (name === 'style') {
      const style = keptDeclarations(value, is_sealed)
      if (style) kept.set(name, style)
    } else if (/^(?:xlink:)?href$/.test(name)) {
      if (referrers.has(element) && LOCAL_REFERENCE.test(value)) kept.set('href', value)
    } else if (attributes.has(name) && isHarmless(name, value, is_sealed)) kept.set(name, value)
  }
  return kept
}

function isHarmless(name: string, value: string, is_sealed: boolean): boolean {
  if (is_sealed && multiplyingProperties.has(name)) return false
  if (LOCAL_URL.test(value)) return properties.has(name)
  return VALUE.test(value) && !(URL_FUNCTION.test(value) && value.includes('('))
}

/** Those declarations of a style that are known properties with harmless values. */
const keptDeclarations = (style: string, is_sealed: boolean): string =>
  style
    .split(';')
    .flatMap((declaration) => {
      const [, name = '', text = ''] = /^\s*([a-z-]+)\s*:(.*)$/s.exec(declaration) ?? []
      const value = text.trim()
      return properties.has(name) && value && isHarmless(name, value, is_sealed)
        ? [`${name}:${value}`]
        : []
    })
    .join(';')

/** Those rules of a style sheet that select by name, class or id. */
function keptRules(sheet: string): string {
  const rules = sheet.replace(/\/\*.*?\*\//gs, ' ').matchAll(/([^{}]*)\{([^{}]*)\}/g)
  return [...rules]
    .flatMap(([, selector = '', style = '']) => {
      // A sheet also styles what is in a mask, so its rules have no references that multiply.
      const declarations = keptDeclarations(style, true)
      return SELECTOR.test(selector) && declarations ? [`${selector.trim()}{${declarations}}`] : []
    })
    .join('\n')
}

const LENGTH = /^(\d{1,6}(?:\.\d{1,10})?|\.\d{1,10})(?:px|pt|mm|cm|in|pc)?$/
const lengthOf = (text: string | undefined) => Number(LENGTH.exec(text ?? '')?.[1])

/** The shape of the image, of its viewBox or else of its width and height. */
function sizeOf({ attributes }: Element): { width: number; height: number } | undefined {
  const box = attributes
    .get('viewBox')
    ?.split(/[\s,]+/)
    .map(Number)
  if (box?.length === 4 && box.every(Number.isFinite) && box[2]! > 0 && box[3]! > 0)
    return { width: box[2]!, height: box[3]! }
  attributes.delete('viewBox')
  const [width, height] = [lengthOf(attributes.get('width')), lengthOf(attributes.get('height'))]
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** Uses of elements that use others again could multiply; one level is enough for a logo. */
function dropNestedUses(root: Element): void {
  const using = new Set<string>()
  const collect = (element: Element): boolean => {
    const parts = element.children.filter((child) => typeof child !== 'string')
    const uses = parts.map(collect).includes(true) || element.name === 'use'
    const id = element.attributes.get('id')
    if (uses && id) using.add(`#${id}`)
    return uses
  }
  const drop = (element: Element) => {
    element.children = element.children.filter(
      (child) =>
        typeof child === 'string' ||
        child.name !== 'use' ||
        !using.has(child.attributes.get('href') ?? ''),
    )
    for (const child of element.children) if (typeof child !== 'string') drop(child)
  }
  collect(root)
  drop(root)
}

const codes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) =>
  text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ').replace(/[&<>"]/g, (mark) => codes[mark]!)

function write({ name, attributes, children }: Element, is_root = false): string {
  const namespace = is_root ? ' xmlns="http://www.w3.org/2000/svg"' : ''
  const written = [...attributes].map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')
  const texts = children.filter((child) => typeof child === 'string').join('')
  const content =
    name === 'style'
      ? escaped(keptRules(texts))
      : children
          .map((child) => (typeof child === 'string' ? escaped(child) : write(child)))
          .join('')
  return content
    ? `<${name}${namespace}${written}>${content}</${name}>`
    : `<${name}${namespace}${written}/>`
}
