import { readTexts } from './texts.mjs'

/** Why a game cannot start in this browser; undefined if nothing speaks against it. */
function problemOf({ isolated }) {
  if (typeof WebAssembly !== 'object') return 'no_wasm'
  if (isolated === 'true' && !globalThis.crossOriginIsolated) return 'no_threads'
  const canvas = document.createElement('canvas')
  if (!canvas.getContext('webgl2')) return 'no_webgl'
  return undefined
}

/**
 * The stage of a game. The game is loaded when the player starts it: a frame that plays sound or
 * takes megabytes is nothing to open by itself.
 */
class PlayFrame extends HTMLElement {
  connectedCallback() {
    this.text = readTexts(this)
    this.stage = this.querySelector('.player-stage')
    const start = this.querySelector('[data-start]')
    start.hidden = false
    start.addEventListener('click', () => this.start())
    const problem = problemOf(this.dataset)
    if (problem) {
      const line = this.querySelector('.player-problem')
      line.textContent = this.text(problem)
      line.hidden = false
    }
    const button = this.querySelector('[data-full-screen]')
    button.hidden = !document.fullscreenEnabled
    button.addEventListener('click', () => this.toggleFullScreen())
    document.addEventListener('fullscreenchange', () => {
      const is_full = document.fullscreenElement === this
      button.textContent = this.text(is_full ? 'leave_full_screen' : 'full_screen')
    })
  }

  start() {
    const { url, name, allow, sandbox } = this.dataset
    const frame = document.createElement('iframe')
    frame.title = name
    frame.allow = allow
    frame.setAttribute('sandbox', sandbox)
    frame.allowFullscreen = true
    frame.src = url
    frame.addEventListener('load', () => {
      this.dataset.state = 'playing'
      frame.focus()
    })
    this.dataset.state = 'loading'
    this.stage.replaceChildren(frame)
    // Keys of the game, such as space and arrows, would scroll the page.
    frame.addEventListener('pointerenter', () => frame.focus())
  }

  async toggleFullScreen() {
    if (document.fullscreenElement) return document.exitFullscreen()
    await this.requestFullscreen()
    this.querySelector('iframe')?.focus()
    // Only phones and tablets turn; others refuse.
    await screen.orientation?.lock?.('landscape').catch(() => {})
  }
}
customElements.define('play-frame', PlayFrame)
