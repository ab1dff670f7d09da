/**
 * Marks the fields of a long form that are not saved, warns before they are lost, and saves with
 * Ctrl+S. Without JavaScript the form is a plain one.
 */
const form = document.querySelector('form[data-guard]')
const status = form?.querySelector('.save-state')

/** The values of a form as the server sent it, whatever the browser has restored since. */
function initialValues(source) {
  const copy = source.cloneNode(true)
  copy.reset()
  return new FormData(copy)
}

/** After a refusal the form shows what was typed, so the saved values are on the page itself. */
async function savedValues() {
  if (form.dataset.guard !== 'refused') return initialValues(form)
  const answer = await fetch(form.action, { headers: { accept: 'text/html' } }).catch(() => null)
  if (!answer?.ok || answer.redirected) return undefined
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const saved = page.querySelector('form[data-guard]')
  return saved ? initialValues(saved) : undefined
}

/** Empty rows at the end of a list mean nothing. */
const valuesOf = (values, name) => JSON.stringify(values.getAll(name)).replace(/(,"")+\]$/, ']')

const isChanged = (field, saved, current) => {
  const names = new Set([...field.querySelectorAll('[name]')].map(({ name }) => name))
  return [...names].some((name) => valuesOf(saved, name) !== valuesOf(current, name))
}

function mark(field, changed) {
  if (field.classList.contains('field-changed') === changed) return
  field.classList.toggle('field-changed', changed)
  const label = field.querySelector('label, legend')
  if (!changed) return label?.querySelector('.unsaved')?.remove()
  const note = document.createElement('span')
  note.className = 'unsaved'
  note.textContent = status.dataset.mark
  label?.append(' ', note)
}

/** The page has the text for one change and for several. */
function countText(count) {
  const { one, other } = status.dataset
  const plurals = new Intl.PluralRules(document.documentElement.lang)
  return (plurals.select(count) === 'one' ? one : other).replace('#', count)
}

async function guard() {
  const saved = await savedValues()
  const fields = [...form.querySelectorAll('.field')]
  let unsaved = 0
  let submitting = false
  function update() {
    const current = new FormData(form)
    const changed = fields.filter((field) => !saved || isChanged(field, saved, current))
    for (const field of fields) mark(field, Boolean(saved) && changed.includes(field))
    unsaved = changed.length
    form.classList.toggle('form-changed', unsaved > 0)
    status.textContent = unsaved ? countText(unsaved) : ''
  }
  form.addEventListener('input', update)
  form.addEventListener('change', update)
  form.addEventListener('submit', () => {
    submitting = true
  })
  addEventListener('pageshow', () => {
    submitting = false
    update()
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved && !submitting) event.preventDefault()
  })
  update()
}

if (form) {
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    form.requestSubmit()
  })
  guard()
}
