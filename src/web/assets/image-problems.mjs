/** The rules of an image slot, checked in the browser before anything is sent. */
import { formatSize } from './texts.mjs'

/** Decodes a file; undefined if the browser cannot. */
export const decode = (file) => createImageBitmap(file).catch(() => undefined)

/** The width of the largest and the smallest part that fits the slot. */
export function cropWidths({ width, height }, { min }) {
  const ratio = min[0] / min[1]
  const largest = Math.floor(Math.min(width, height * ratio))
  return { ratio, largest, smallest: Math.min(min[0], largest) }
}

function sizeProblem({ width, height }, { min, max, ratio }, text) {
  const pixels = (width, height) => text('pixels', { width, height })
  const size = pixels(width, height)
  if (width < min[0] || height < min[1]) return text('too_small', { size, min: pixels(...min) })
  if (width > max[0] || height > max[1]) return text('too_wide', { size, max: pixels(...max) })
  const actual = width / height
  return actual < ratio[0] || actual > ratio[1]
    ? text('wrong_ratio', { size, example: pixels(...min) })
    : ''
}

/**
 * What is wrong with a file, and whether a part of it would fit. Undefined if nothing is wrong, or
 * if only the service can tell.
 */
export async function findProblem(file, rules, text) {
  const named = (problems) => text('named', { file: file.name, problems })
  const image = await decode(file)
  if (!image) return { message: named(text('not_image')), can_crop: false }
  const problems = [
    rules.types.includes(file.type) ? '' : text('not_image'),
    sizeProblem(image, rules, text),
    file.size > rules.bytes
      ? text('too_many_bytes', { size: formatSize(file.size), max: formatSize(rules.bytes) })
      : '',
  ].filter(Boolean)
  const can_crop = cropWidths(image, rules).largest >= rules.min[0]
  image.close()
  return problems.length ? { message: named(problems.join(' ')), can_crop } : undefined
}
