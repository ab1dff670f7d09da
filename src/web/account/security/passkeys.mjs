import './simplewebauthn.js'

const { browserSupportsWebAuthn, startAuthentication, startRegistration } =
  globalThis.SimpleWebAuthnBrowser

/** Asks the authenticator before the form is sent, with the options that the page carries. */
async function answer(form) {
  const start = form.dataset.passkey === 'create' ? startRegistration : startAuthentication
  const problem = form.querySelector('[role=alert]')
  problem.hidden = true
  try {
    const response = await start({ optionsJSON: JSON.parse(form.dataset.options) })
    form.elements.response.value = JSON.stringify(response)
    form.submit()
  } catch {
    // The person closed the dialog, or has no passkey of this site.
    problem.hidden = false
  }
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!browserSupportsWebAuthn()) continue
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    answer(form)
  })
}
