/** Shows the name and the accent color of the settings form in its preview as they are typed. */
const preview = document.querySelector('.brand-preview')
const form = preview?.closest('form') ?? document.querySelector('form[data-guard]')
const field = (name) => form?.elements.namedItem(name)

const isDark = () => {
  const { theme } = document.documentElement.dataset
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}

function update() {
  const name = field('store_name')?.value.trim()
  if (name) preview.querySelector('.brand span').textContent = name
  const color = field(isDark() ? 'accent_color_dark' : 'accent_color')?.value.trim() ?? ''
  if (/^#[0-9a-f]{6}$/i.test(color)) preview.style.setProperty('--accent', color)
  else preview.style.removeProperty('--accent')
}

if (preview && form) form.addEventListener('input', update)
