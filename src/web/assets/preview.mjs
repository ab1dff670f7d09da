/** Shows the preview of a form in a dialog. Without JavaScript it opens in a new tab. */
const button = document.querySelector('button[data-preview]')
const dialog = document.querySelector('.preview-dialog')

async function readPreview() {
  const body = new URLSearchParams(new FormData(button.form))
  const answer = await fetch(button.formAction, {
    method: 'POST',
    body,
    headers: { accept: 'text/html' },
  }).catch(() => undefined)
  if (!answer?.ok) return undefined
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return page.querySelector('.preview') ?? undefined
}

button?.addEventListener('click', async (event) => {
  if (button.dataset.preview === 'plain') return
  event.preventDefault()
  const preview = await readPreview()
  if (preview) {
    dialog.querySelector('.preview-place').replaceChildren(preview)
    dialog.showModal()
    return
  }
  // The new tab says what is wrong, such as a session that has ended.
  button.dataset.preview = 'plain'
  button.click()
  button.dataset.preview = ''
})
