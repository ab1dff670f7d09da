/** Sends a form with a video and shows how far it is. Without script the browser sends the form. */
import { formatSize, readTexts, refusalText } from './texts.mjs'
import { ConnectionError, post } from './upload-request.mjs'

class UploadVideo extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector('form')
    this.row = this.querySelector('.upload-row')
    this.bar = this.querySelector('progress')
    this.state = this.querySelector('.upload-state')
    this.message = this.querySelector('.error-text')
    this.text = readTexts(this)
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.send()
    })
    addEventListener('beforeunload', (event) => {
      if (this.busy) event.preventDefault()
    })
  }

  async send() {
    if (this.busy) return
    this.showMessage('')
    const max = Number(this.dataset.maxBytes)
    const file = this.form.elements.video?.files[0]
    if (file?.size > max)
      return this.showMessage(
        this.text('too_large', { size: formatSize(file.size), max: formatSize(max) }),
      )
    this.setBusy(true)
    try {
      await post(this.dataset.url, new FormData(this.form), {
        progress: (loaded, total) => this.showProgress(loaded, total),
      })
      this.busy = false
      location.hash = 'trailers'
      location.reload()
    } catch (error) {
      this.setBusy(false)
      this.showMessage(await this.messageOf(error))
    }
  }

  setBusy(busy) {
    this.busy = busy
    this.row.hidden = !busy
    for (const button of this.form.querySelectorAll('button')) button.disabled = busy
  }

  /** After the last byte, the service checks the video. */
  showProgress(loaded, total) {
    this.bar.value = total ? loaded / total : 0
    this.state.textContent =
      loaded < total
        ? this.text('progress', { done: formatSize(loaded), size: formatSize(total) })
        : this.text('checking')
  }

  /** The answer of a proxy has no message. */
  async messageOf(error) {
    if (error instanceof ConnectionError) return this.text('unreachable')
    return error.message ? refusalText(error) : this.text('failed', { status: error.status })
  }

  showMessage(message) {
    this.message.textContent = message
    this.message.hidden = !message
  }
}
customElements.define('upload-video', UploadVideo)
