/** What every page of the dashboard can do with script; all of it works without, only with a press more. */

class CopyText extends HTMLElement {
  connectedCallback() {
    const [code, button] = [this.querySelector('code'), this.querySelector('button')]
    if (!code || !button || !navigator.clipboard) return
    button.hidden = false
    const label = button.innerHTML
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.innerHTML = label
      }, 2000)
    })
  }
}
customElements.define('copy-text', CopyText)

/** The check beside every room, asked again when something changed or somebody comes back to the page. */
class LiveCheck extends HTMLElement {
  connectedCallback() {
    this.renew = this.renew.bind(this)
    addEventListener('slipway-changed', this.renew)
    addEventListener('focus', this.renew)
  }

  disconnectedCallback() {
    removeEventListener('slipway-changed', this.renew)
    removeEventListener('focus', this.renew)
  }

  async renew() {
    // Nobody loses their place: what is open or in use stays as it is.
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

// On a phone the rooms are a strip: the one we are in is in view.
document
  .querySelector('.section-nav [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' })
