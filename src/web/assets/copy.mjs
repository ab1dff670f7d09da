/** Adds a button that copies a text, with the labels that the page gives it. */
class CopyText extends HTMLElement {
  connectedCallback() {
    if (!navigator.clipboard || this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button button-quiet button-small'
    button.textContent = this.dataset.copy
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(this.querySelector('code').textContent.trim())
      button.textContent = this.dataset.copied
      setTimeout(() => {
        button.textContent = this.dataset.copy
      }, 2000)
    })
    this.append(button)
  }
}
customElements.define('copy-text', CopyText)
