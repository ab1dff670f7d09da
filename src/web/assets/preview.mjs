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

/** The settings of a store show its name and its accent color as they are typed. */
const brand = document.querySelector('.brand-preview')
const settings = brand?.closest('form')
const field = (name) => settings.elements.namedItem(name)

const isDark = () => {
  const { theme } = document.documentElement.dataset
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}

function showBrand() {
  const name = field('store_name')?.value.trim()
  // A wide logo takes the place of the name.
  const label = brand.querySelector('.brand span')
  if (name && label) label.textContent = name
  const color = field(isDark() ? 'accent_color_dark' : 'accent_color')?.value.trim() ?? ''
  if (/^#[0-9a-f]{6}$/i.test(color)) brand.style.setProperty('--accent', color)
  else brand.style.removeProperty('--accent')
}

settings?.addEventListener('input', showBrand)
