import { checksumOf } from './checksum.mjs'

/** Fills in the checksum of the chosen file. */
class FileChecksum extends HTMLElement {
  connectedCallback() {
    const text = this.querySelector('[name=checksum]')
    const file = this.querySelector('input[type=file]')
    const button = this.closest('form').querySelector('button')
    file.addEventListener('change', async () => {
      const chosen = file.files[0]
      if (!chosen) return
      button.disabled = true
      text.value = ''
      const hex = await checksumOf(chosen, (part) => {
        text.placeholder = `${Math.floor(part * 100)}%`
      }).catch(() => '')
      text.placeholder = ''
      // Another file may have been chosen in the meantime.
      if (file.files[0] === chosen) text.value = hex
      button.disabled = false
    })
  }
}
customElements.define('file-checksum', FileChecksum)
