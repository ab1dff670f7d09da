const systems = [
  [/android/i, 'android'],
  [/iphone|ipad/i, 'ios'],
  [/windows/i, 'windows'],
  [/mac os/i, 'macos'],
  [/linux|x11|cros/i, 'linux'],
]

/** Moves the files for this machine to the top, and says so. */
class YourPlatform extends HTMLElement {
  connectedCallback() {
    const os = systems.find(([pattern]) => pattern.test(navigator.userAgent))?.[1]
    const list = this.querySelector('.files')
    const mine = [...this.querySelectorAll('.file')].filter((file) => file.dataset.os === os)
    if (!list || !mine.length) return
    list.prepend(...mine)
    for (const file of mine) file.classList.add('file-mine')
  }
}
customElements.define('your-platform', YourPlatform)
