// Suggestions under the search box while typing. Without this script the form searches as usual.
const DELAY_MS = 120
const MIN_LENGTH = 2

const form = document.querySelector('.site-search')
const input = form?.querySelector('input[type=search]')

if (input) {
  const list = document.createElement('div')
  list.id = 'suggestions'
  list.className = 'suggestions'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', form.dataset.suggestions)
  list.hidden = true
  form.append(list)
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  input.setAttribute('aria-expanded', 'false')

  let timer
  let request
  let current = -1

  const options = () => [...list.children]
  const show = (is_open) => {
    list.hidden = !is_open
    input.setAttribute('aria-expanded', String(is_open))
    if (!is_open) select(-1)
  }
  const select = (position) => {
    current = position
    for (const [i, option] of options().entries())
      option.setAttribute('aria-selected', String(i === position))
    if (position < 0) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', options()[position].id)
    options()[position]?.scrollIntoView({ block: 'nearest' })
  }
  const close = () => {
    clearTimeout(timer)
    request?.abort()
    show(false)
  }

  async function load(text) {
    request?.abort()
    request = new AbortController()
    const { signal } = request
    try {
      const response = await fetch(`/search/suggestions?q=${encodeURIComponent(text)}`, { signal })
      if (!response.ok || signal.aborted) return
      list.innerHTML = await response.text()
      if (signal.aborted) return
      select(-1)
      show(list.children.length > 0 && document.activeElement === input)
    } catch {
      // The next letter tries again.
    }
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    const text = input.value.trim()
    if (text.length < MIN_LENGTH) return close()
    timer = setTimeout(() => load(text), DELAY_MS)
  })
  input.addEventListener('keydown', (event) => {
    const count = options().length
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      return close()
    }
    if (list.hidden || count === 0) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      // One position more than options: the box itself, between the last and the first.
      select(((current + 1 + step + count + 1) % (count + 1)) - 1)
    }
    if (event.key === 'Enter' && current >= 0) {
      event.preventDefault()
      options()[current].click()
    }
  })
  // A click on a suggestion takes the focus first, and must not close the list before it counts.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  input.addEventListener('blur', close)
}
