/** Lets files be dropped on an image form, and the gallery be reordered by dragging. */
const messageOf = async (answer) =>
  (await answer.json().catch(() => undefined))?.error?.message ??
  `The upload failed with status ${answer.status}. Try again.`

class DropImages extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector('form')
    this.input = this.querySelector('input[type=file]')
    this.message = this.querySelector('.error-text')
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

  async send(files) {
    if (!files.length) return
    this.showMessage('')
    const form = new FormData()
    form.append('kind', this.dataset.kind)
    for (const file of this.dataset.kind === 'gallery' ? files : files.slice(0, 1))
      form.append('file', file)
    this.setAttribute('aria-busy', 'true')
    const answer = await fetch(this.dataset.url, { method: 'POST', body: form }).catch(
      () => undefined,
    )
    this.removeAttribute('aria-busy')
    this.input.value = ''
    if (answer?.ok) return location.reload()
    this.showMessage(
      answer
        ? await messageOf(answer)
        : 'The server could not be reached. Check your connection and try again.',
    )
  }

  showMessage(message) {
    this.message.textContent = message
    this.message.hidden = !message
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
    item[event.clientX < left + width / 2 ? 'before' : 'after'](dragged)
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
