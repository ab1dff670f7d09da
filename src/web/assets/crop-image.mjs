/**
 * Lets a person choose the part of an image that fits a slot: by dragging, or by three sliders that
 * work with the keyboard. The dialog is in the page, see images/image-form.ts.
 */
import { cropWidths, decode } from './image-problems.mjs'

const JPEG_QUALITIES = [0.92, 0.8, 0.6]
const MAY_BE_TRANSPARENT = ['image/png', 'image/webp']

const toBlob = (canvas, type, quality) =>
  new Promise((resolve) => canvas.toBlob(resolve, type, quality))

/** The part as a file: PNG if the image can be transparent and the part is small enough, else JPEG. */
async function encode(canvas, file, max_bytes) {
  const name = file.name.replace(/\.\w+$/, '')
  const attempts = [
    ...(MAY_BE_TRANSPARENT.includes(file.type) ? [['image/png']] : []),
    ...JPEG_QUALITIES.map((quality) => ['image/jpeg', quality]),
  ]
  for (const [type, quality] of attempts) {
    const blob = await toBlob(canvas, type, quality)
    const ending = type === 'image/png' ? 'png' : 'jpg'
    if (blob && blob.size <= max_bytes) return new File([blob], `${name}.${ending}`, { type })
  }
  return undefined
}

class Cropper {
  constructor(dialog, image, { rules, text }) {
    this.dialog = dialog
    this.image = image
    this.rules = rules
    this.text = text
    this.canvas = dialog.querySelector('canvas')
    this.sliders = Object.fromEntries(
      [...dialog.querySelectorAll('input[type=range]')].map((input) => [input.name, input]),
    )
    const { ratio, largest, smallest } = cropWidths(image, rules)
    Object.assign(this, { ratio, width: largest, x: 0, y: 0 })
    this.x = (image.width - largest) / 2
    this.y = (image.height - largest / ratio) / 2
    Object.assign(this.sliders.width, { min: smallest, max: largest, step: 1, value: largest })
    this.sliders.width.closest('.field').hidden = smallest === largest
    this.draw()
  }

  get height() {
    return this.width / this.ratio
  }

  /** Moves or resizes the part, and keeps it inside the image. */
  place({ x = this.x, y = this.y, width = this.width }) {
    this.width = width
    this.x = Math.max(0, Math.min(x, this.image.width - this.width))
    this.y = Math.max(0, Math.min(y, this.image.height - this.height))
    this.draw()
  }

  draw() {
    const { canvas, image } = this
    const scale = Math.min(1, 720 / image.width, 460 / image.height)
    canvas.width = Math.round(image.width * scale)
    canvas.height = Math.round(image.height * scale)
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    context.fillStyle = 'rgb(0 0 0 / 60%)'
    context.fillRect(0, 0, canvas.width, canvas.height)
    const part = [this.x, this.y, this.width, this.height]
    const drawn = part.map((pixels) => pixels * scale)
    context.drawImage(image, ...part, ...drawn)
    context.strokeStyle = 'white'
    context.lineWidth = 2
    context.strokeRect(drawn[0] + 1, drawn[1] + 1, drawn[2] - 2, drawn[3] - 2)
    this.showPosition('x', image.width - this.width, this.x)
    this.showPosition('y', image.height - this.height, this.y)
    const [width, height] = this.outputSize()
    const size = this.text('pixels', { width, height })
    this.dialog.querySelector('output').textContent = this.text('result', { size })
  }

  showPosition(name, max, value) {
    const slider = this.sliders[name]
    Object.assign(slider, { min: 0, max: Math.round(max), step: 1, value: Math.round(value) })
    slider.disabled = max < 1
  }

  listen(signal) {
    for (const [name, slider] of Object.entries(this.sliders))
      slider.addEventListener(
        'input',
        () => {
          const value = Number(slider.value)
          // Resizing keeps the middle of the part where it is.
          const middle = { x: this.x + this.width / 2, y: this.y + this.height / 2 }
          if (name !== 'width') this.place({ [name]: value })
          else
            this.place({
              width: value,
              x: middle.x - value / 2,
              y: middle.y - value / this.ratio / 2,
            })
        },
        { signal },
      )
    const move = (event) => {
      if (!event.buttons) return
      const scale = this.image.width / this.canvas.getBoundingClientRect().width
      this.place({ x: this.x + event.movementX * scale, y: this.y + event.movementY * scale })
    }
    this.canvas.addEventListener(
      'pointerdown',
      (event) => this.canvas.setPointerCapture(event.pointerId),
      { signal },
    )
    this.canvas.addEventListener('pointermove', move, { signal })
  }

  /** The size of the part, or the largest one that the slot accepts. */
  outputSize() {
    const { max } = this.rules
    const scale = Math.min(1, max[0] / this.width, max[1] / this.height)
    return [Math.round(this.width * scale), Math.round(this.height * scale)]
  }

  /** The part as it is uploaded. */
  cut() {
    const [width, height] = this.outputSize()
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const part = [this.x, this.y, this.width, this.height]
    canvas.getContext('2d').drawImage(this.image, ...part, 0, 0, width, height)
    return canvas
  }
}

/** Opens the dialog. Resolves to the part as a file, or undefined if the person cancels. */
export async function cropImage(dialog, file, { rules, text }) {
  const image = await decode(file)
  if (!image) return undefined
  const cropper = new Cropper(dialog, image, { rules, text })
  const control = new AbortController()
  cropper.listen(control.signal)
  dialog.returnValue = ''
  dialog.showModal()
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  control.abort()
  const part =
    dialog.returnValue === 'crop' ? await encode(cropper.cut(), file, rules.bytes) : undefined
  image.close()
  return part
}
