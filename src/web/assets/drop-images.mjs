/** A form with a file field becomes a place to drop pictures on; the gallery can be put in order by dragging. */
const messageOf = async (answer) =>
  (await answer.json().catch(() => undefined))?.error?.message ??
  `The server answered ${answer.status}`

class DropImages extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector('form')
    this.field = this.querySelector('input[type=file]')
    this.wrong = this.querySelector('.wrong')
    this.classList.add('can-drop')
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.send([...this.field.files])
    })
    this.field.addEventListener('change', () => this.send([...this.field.files]))
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
    this.say('')
    const form = new FormData()
    form.append('kind', this.dataset.kind)
    for (const file of this.dataset.kind === 'gallery' ? files : files.slice(0, 1))
      form.append('file', file)
    this.setAttribute('aria-busy', 'true')
    const answer = await fetch(this.dataset.url, { method: 'POST', body: form }).catch(
      () => undefined,
    )
    this.removeAttribute('aria-busy')
    this.field.value = ''
    if (answer?.ok) return location.reload()
    this.say(answer ? await messageOf(answer) : 'The server could not be reached. Try again.')
  }

  say(message) {
    this.wrong.textContent = message
    this.wrong.hidden = !message
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
