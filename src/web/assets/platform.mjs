const systems = [
  [/android/i, 'android'],
  [/iphone|ipad/i, 'ios'],
  [/windows/i, 'windows'],
  [/mac os/i, 'macos'],
  [/linux|x11|cros/i, 'linux'],
]

/** Moves the files for the visitor's platform to the top and highlights them. */
class YourPlatform extends HTMLElement {
  connectedCallback() {
    const os = systems.find(([pattern]) => pattern.test(navigator.userAgent))?.[1]
    const list = this.querySelector('.files')
    const matching = [...this.querySelectorAll('.file')].filter((file) => file.dataset.os === os)
    if (!list || !matching.length) return
    list.prepend(...matching)
    for (const file of matching) file.classList.add('file-matching')
  }
}
customElements.define('your-platform', YourPlatform)
