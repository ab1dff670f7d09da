/** Adds a button that copies a text. */
class CopyText extends HTMLElement {
  connectedCallback() {
    if (!navigator.clipboard || this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button button-quiet button-small'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(this.querySelector('code').textContent.trim())
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    this.append(button)
  }
}
customElements.define('copy-text', CopyText)
