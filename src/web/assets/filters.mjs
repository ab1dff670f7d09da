/**
 * On a phone the filters are a sheet. It stays open while filters are chosen, and its button shows
 * how many listings are left. Without JavaScript each filter is a link.
 */
const rail = document.getElementById('filters')
let latest = 0

const labelOf = (link) => link.textContent.trim().replace(/\s*\d[\d,.]*$/, '')
const summaries = (root) => [...root.querySelectorAll('details.group')]
const titleOf = (group) => group.querySelector('summary').firstChild.textContent.trim()

function replaceRail(next) {
  const open = new Set(
    summaries(rail)
      .filter((group) => group.open)
      .map(titleOf),
  )
  const { activeElement } = document
  const label = rail.contains(activeElement) ? labelOf(activeElement) : undefined
  const class_name = activeElement?.className
  rail.innerHTML = next.innerHTML
  for (const group of summaries(rail)) group.open ||= open.has(titleOf(group))
  const links = [...rail.querySelectorAll('a')]
  links.find((link) => link.className === class_name && labelOf(link) === label)?.focus()
}

function replaceResults(next) {
  for (const selector of ['h1', '.browse-top', '.browse-grid > section']) {
    const current = document.querySelector(`main ${selector}`)
    const replacement = next.querySelector(`main ${selector}`)
    if (current && replacement) current.replaceWith(replacement)
  }
  document.querySelector('main .chips')?.remove()
  const chips = next.querySelector('main .chips')
  if (chips) document.querySelector('.browse-grid').before(chips)
}

async function show(url) {
  const request = ++latest
  const answer = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (!answer?.ok) return location.assign(url)
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  if (request !== latest) return
  replaceRail(next.getElementById('filters'))
  replaceResults(next)
  document.title = next.title
  history.replaceState(null, '', answer.url)
}

rail?.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link || !rail.matches(':popover-open') || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  show(link.href)
})
