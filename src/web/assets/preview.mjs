/** Shows the previews of forms in a dialog. Without JavaScript they open in a new tab. */
const dialog = document.querySelector('.preview-dialog')

async function readPreview(button) {
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

async function showPreview(event) {
  const button = event.currentTarget
  if (button.dataset.preview === 'plain') return
  event.preventDefault()
  const preview = await readPreview(button)
  if (preview) {
    dialog.querySelector('.preview-place').replaceChildren(preview)
    dialog.showModal()
    return
  }
  // The new tab says what is wrong, such as a session that has ended.
  button.dataset.preview = 'plain'
  button.click()
  button.dataset.preview = ''
}

for (const button of document.querySelectorAll('button[data-preview]'))
  button.addEventListener('click', showPreview)
