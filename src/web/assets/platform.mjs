import { browserSystem } from './browser-system.mjs'

/** Moves the files for the visitor's platform to the top and highlights them. */
class YourPlatform extends HTMLElement {
  connectedCallback() {
    const os = browserSystem(navigator.userAgent)
    const list = this.querySelector('.files')
    const matching = [...this.querySelectorAll('.file')].filter((file) => file.dataset.os === os)
    if (!list || !matching.length) return
    list.prepend(...matching)
    for (const file of matching) file.classList.add('file-matching')
  }
}
customElements.define('your-platform', YourPlatform)
