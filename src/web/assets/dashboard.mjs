/** Enhancements of every dashboard page. Everything also works without JavaScript. */

const COPIED_MS = 2000

class CopyText extends HTMLElement {
  connectedCallback() {
    const code = this.querySelector('code')
    const button = this.querySelector('button')
    if (!code || !button || !navigator.clipboard) return
    button.hidden = false
    const label = button.innerHTML
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent)
      button.textContent = this.dataset.copied
      setTimeout(() => {
        button.innerHTML = label
      }, COPIED_MS)
    })
  }
}
customElements.define('copy-text', CopyText)

/** The listing check, which is refreshed after a change and when the window gets focus. */
class LiveCheck extends HTMLElement {
  connectedCallback() {
    this.refresh = this.refresh.bind(this)
    addEventListener('slipway-changed', this.refresh)
    addEventListener('focus', this.refresh)
  }

  disconnectedCallback() {
    removeEventListener('slipway-changed', this.refresh)
    removeEventListener('focus', this.refresh)
  }

  async refresh() {
    // Replacing the panel would take the focus away and close what is open.
    if (this.contains(document.activeElement) || this.querySelector('details[open]')) return
    const answer = await fetch(this.dataset.url, { headers: { accept: 'text/html' } }).catch(
      () => undefined,
    )
    if (!answer?.ok || answer.redirected) return
    this.innerHTML = await answer.text()
    const count = this.querySelector('.check-count strong')?.textContent
    const link = document.querySelector('.project-check')
    if (count && link) link.textContent = count
  }
}
customElements.define('live-check', LiveCheck)

// On a phone the sections are a strip that scrolls sideways: show the current one.
document
  .querySelector('.section-nav [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' })
