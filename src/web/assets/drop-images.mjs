/**
 * Lets files be dropped on an image form, and the gallery be reordered by dragging. Images that do
 * not fit are refused before they are sent, and can be cropped here.
 */
import { cropImage } from './crop-image.mjs'
import { findProblem } from './image-problems.mjs'
import { readTexts, refusalText } from './texts.mjs'

class DropImages extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector('form')
    this.input = this.querySelector('input[type=file]')
    this.message = this.querySelector('.error-text')
    this.crop = this.querySelector('.crop-button')
    this.rules = JSON.parse(this.dataset.rules)
    this.text = readTexts(this)
    this.classList.add('can-drop')
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.send([...this.input.files])
    })
    this.input.addEventListener('change', () => this.send([...this.input.files]))
    for (const name of ['dragenter', 'dragover'])
      this.addEventListener(name, (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        this.classList.add('over')
      })
    this.addEventListener('dragleave', (event) => {
      if (!this.contains(event.relatedTarget)) this.classList.remove('over')
    })
    this.addEventListener('drop', (event) => {
      event.preventDefault()
      this.classList.remove('over')
      this.send([...event.dataTransfer.files])
    })
  }

  async send(chosen) {
    const files = this.dataset.kind === 'gallery' ? chosen : chosen.slice(0, 1)
    if (!files.length) return
    this.showMessage('')
    if (await this.refuse(files)) return
    const form = new FormData()
    form.append('kind', this.dataset.kind)
    for (const file of files) form.append('file', file)
    const alt = this.form.elements.alt?.value
    if (alt && files.length === 1) form.append('alt', alt)
    this.setAttribute('aria-busy', 'true')
    const answer = await fetch(this.dataset.url, { method: 'POST', body: form }).catch(
      () => undefined,
    )
    this.removeAttribute('aria-busy')
    this.input.value = ''
    if (answer?.ok) return location.reload()
    this.showMessage(answer ? await this.messageOf(answer) : this.text('unreachable'))
  }

  /** The answer of a proxy has no message. */
  async messageOf(answer) {
    const { error, data } = (await answer.json().catch(() => undefined)) ?? {}
    return error?.message
      ? refusalText({ ...error, data })
      : this.text('failed', { status: answer.status })
  }

  /** Shows what is wrong with the first file that does not fit, and offers to crop it. */
  async refuse(files) {
    for (const [index, file] of files.entries()) {
      const problem = await findProblem(file, this.rules, this.text)
      if (!problem) continue
      this.input.value = ''
      const openCrop = async () => {
        const dialog = document.querySelector('.crop-dialog')
        const part = await cropImage(dialog, file, { rules: this.rules, text: this.text })
        if (part) this.send(files.with(index, part))
      }
      if (problem.can_crop && this.dataset.crop === 'at-once') {
        openCrop()
        return true
      }
      this.showMessage(problem.message)
      this.crop.hidden = !problem.can_crop
      this.crop.onclick = openCrop
      if (problem.can_crop) this.crop.focus()
      return true
    }
    return false
  }

  showMessage(message) {
    this.message.textContent = message
    this.message.hidden = !message
    this.crop.hidden = true
  }
}
customElements.define('drop-images', DropImages)

const gallery = document.querySelector('.gallery[data-order]')
let dragged
for (const item of gallery?.children ?? []) {
  item.draggable = true
  item.addEventListener('dragstart', (event) => {
    dragged = item
    event.dataTransfer.effectAllowed = 'move'
    item.classList.add('dragged')
  })
  item.addEventListener('dragover', (event) => {
    if (!dragged || dragged === item) return
    event.preventDefault()
    const { left, width } = item.getBoundingClientRect()
    const is_left = event.clientX < left + width / 2
    const is_rtl = getComputedStyle(gallery).direction === 'rtl'
    item[is_left === is_rtl ? 'after' : 'before'](dragged)
  })
  item.addEventListener('dragend', async () => {
    item.classList.remove('dragged')
    dragged = undefined
    const order = [...gallery.children].map(({ dataset }) => dataset.uid)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(gallery.dataset.order, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ order }),
    }).catch(() => undefined)
    if (!answer?.ok) location.reload()
  })
}
