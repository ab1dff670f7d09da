/**
 * Finds listings by name while a person types, and fills in their addresses. A field for one
 * listing stays the input that it is without script; one for several becomes a list.
 */
import { readTexts } from './texts.mjs'

const SEARCH = '/api/v1/public/search'
const OWN = '/api/v1/private/games?page_size=100'
const MAX_OPTIONS = 8
const PAUSE_MS = 150

let pickers = 0

const readItems = async (url, signal) => {
  const answer = await fetch(url, { signal }).catch(() => undefined)
  const { data } = (await answer?.json().catch(() => undefined)) ?? {}
  return data?.items ?? []
}

function element(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children)
  return created
}

class ListingPicker extends HTMLElement {
  connectedCallback() {
    this.text = readTexts(this)
    this.types = this.dataset.types?.split(',') ?? []
    const area = this.querySelector('textarea')
    if (area) this.replaceArea(area)
    this.input = this.querySelector('input')
    this.input.id ||= `picker-${++pickers}`
    this.list = element('ul', { className: 'picker-list', id: `${this.input.id}-list` })
    this.list.role = 'listbox'
    this.list.ariaLabel = this.text('list')
    this.list.hidden = true
    this.status = element('p', { className: 'sr' })
    this.status.role = 'status'
    this.input.after(this.list, this.status)
    this.input.role = 'combobox'
    this.input.autocomplete = 'off'
    this.input.ariaAutoComplete = 'list'
    this.input.setAttribute('aria-controls', this.list.id)
    this.close()
    this.input.addEventListener('input', () => this.searchSoon())
    this.input.addEventListener('keydown', (event) => this.onKey(event))
    this.input.addEventListener('blur', () => this.close())
  }

  /** Shows the addresses of a text area, one per line, as a list with a search field below. */
  replaceArea(area) {
    this.area = area
    this.names = JSON.parse(this.dataset.names ?? '{}')
    const search = element('input', { type: 'search', id: area.id })
    search.placeholder = this.text('search')
    const description = area.getAttribute('aria-describedby')
    if (description) search.setAttribute('aria-describedby', description)
    area.removeAttribute('id')
    area.hidden = true
    this.chosen = element('ol', { className: 'picker-chosen' })
    area.after(this.chosen, search)
    this.showChosen()
  }

  get addresses() {
    return this.area.value
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  }

  set addresses(addresses) {
    this.area.value = addresses.join('\n')
    this.area.dispatchEvent(new Event('input', { bubbles: true }))
    this.showChosen()
  }

  showChosen() {
    const addresses = this.addresses
    this.chosen.replaceChildren(
      ...addresses.map((address, i) => {
        const name = this.names[address] ?? address
        const button = (label, onclick) =>
          element('button', {
            type: 'button',
            className: 'button button-quiet button-small',
            textContent: this.text(label),
            ariaLabel: this.text(`${label}_named`, { name }),
            onclick,
          })
        const others = addresses.toSpliced(i, 1)
        const earlier = button('earlier', () => {
          this.addresses = others.toSpliced(i - 1, 0, address)
          this.chosen.children[i - 1].querySelector('button').focus()
        })
        const remove = button('remove', () => {
          this.addresses = others
          this.input.focus()
        })
        const label = element('span', { className: 'picker-name', textContent: name })
        return element('li', {}, label, ...(i > 0 ? [earlier] : []), remove)
      }),
    )
  }

  searchSoon() {
    clearTimeout(this.timer)
    this.control?.abort()
    const query = this.input.value.trim()
    if (query.length < 2) return this.close()
    this.timer = setTimeout(() => this.search(query), PAUSE_MS)
  }

  async search(query) {
    this.control = new AbortController()
    const { signal } = this.control
    const parameters = new URLSearchParams({ q: query, page_size: MAX_OPTIONS })
    for (const type of this.types) parameters.append('asset_type', type)
    const [own, listed] = await Promise.all([
      this.findOwn(query),
      readItems(`${SEARCH}?${parameters}`, signal),
    ])
    if (signal.aborted) return
    const taken = new Set([this.dataset.self, ...(this.area ? this.addresses : [])])
    const options = new Map()
    for (const item of [...own, ...listed])
      if (!taken.has(item.vanity_name)) options.set(item.vanity_name, item)
    this.show([...options.values()].slice(0, MAX_OPTIONS))
  }

  /** A parent may also be a hidden listing of the person, which search does not find. */
  async findOwn(query) {
    if (!this.hasAttribute('data-own')) return []
    this.own ??= readItems(OWN)
    const words = query.toLowerCase()
    return (await this.own).filter(
      ({ name, vanity_name, asset_type }) =>
        (!this.types.length || this.types.includes(asset_type)) &&
        `${name} ${vanity_name}`.toLowerCase().includes(words),
    )
  }

  show(options) {
    this.options = options
    this.active = -1
    this.list.replaceChildren(
      ...options.map((option, i) => {
        const { name, vanity_name, developer } = option
        const by = developer ? `${developer.username}/${vanity_name}` : vanity_name
        const item = element('li', { id: `${this.list.id}-${i}` })
        item.role = 'option'
        item.ariaSelected = 'false'
        item.append(
          element('strong', { textContent: name }),
          ' ',
          element('small', { textContent: by }),
        )
        // Choosing must not take the focus away from the input, which would close the list.
        item.addEventListener('pointerdown', (event) => event.preventDefault())
        item.addEventListener('click', () => this.choose(option))
        return item
      }),
    )
    this.list.hidden = !options.length
    this.input.ariaExpanded = String(options.length > 0)
    const results = { 0: 'none', 1: 'found_one' }[options.length] ?? 'found'
    this.status.textContent = this.text(results, { count: options.length })
  }

  close() {
    clearTimeout(this.timer)
    this.options = []
    this.active = -1
    this.list.hidden = true
    this.input.ariaExpanded = 'false'
    this.input.removeAttribute('aria-activedescendant')
  }

  activate(index) {
    this.active = index
    for (const [i, item] of [...this.list.children].entries())
      item.ariaSelected = String(i === index)
    const item = this.list.children[index]
    this.input.setAttribute('aria-activedescendant', item.id)
    item.scrollIntoView({ block: 'nearest' })
  }

  onKey(event) {
    const { length } = this.options
    if (event.key === 'Enter' && (this.area || length)) event.preventDefault()
    if (!length) return
    const moves = { ArrowDown: 1, ArrowUp: -1 }
    if (event.key in moves) {
      event.preventDefault()
      const start = this.active < 0 && event.key === 'ArrowUp' ? 0 : this.active
      this.activate((start + moves[event.key] + length) % length)
    } else if (event.key === 'Enter') this.choose(this.options[Math.max(0, this.active)])
    else if (event.key === 'Escape') {
      event.preventDefault()
      this.close()
    }
  }

  choose({ vanity_name, name }) {
    if (this.area) {
      this.names[vanity_name] = name
      this.addresses = [...this.addresses, vanity_name]
      this.input.value = ''
    } else {
      this.input.value = vanity_name
      this.input.dispatchEvent(new Event('change', { bubbles: true }))
    }
    this.status.textContent = this.text('chosen', { name })
    this.close()
  }
}
customElements.define('listing-picker', ListingPicker)
