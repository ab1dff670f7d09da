import { checksumOf } from './checksum.mjs'

/** Fills in the checksum of the file that was chosen; typed by hand it stays as it is. */
class FileChecksum extends HTMLElement {
  connectedCallback() {
    const [text, file] = [
      this.querySelector('[name=checksum]'),
      this.querySelector('input[type=file]'),
    ]
    const button = this.closest('form').querySelector('button')
    file.addEventListener('change', async () => {
      const chosen = file.files[0]
      if (!chosen) return
      button.disabled = true
      text.value = ''
      const hex = await checksumOf(chosen, (part) => {
        text.placeholder = `${Math.floor(part * 100)} %`
      }).catch(() => '')
      text.placeholder = ''
      // Another file may have been chosen meanwhile.
      if (file.files[0] === chosen) text.value = hex
      button.disabled = false
    })
  }
}
customElements.define('file-checksum', FileChecksum)
