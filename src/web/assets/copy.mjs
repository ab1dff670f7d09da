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

/** Copies the token of a set-up link from the address, which no server sees, to its field. */
const setup_field = document.querySelector('form[action="/setup"] input[name="token"]')
const setup_token = location.hash.slice(1)
if (setup_field && setup_token.startsWith('svc_set_')) {
  setup_field.value = setup_token
  history.replaceState(null, '', location.pathname)
}
