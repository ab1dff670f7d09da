import { formatSize, readTexts, refusalText } from './texts.mjs'

/** Tabs of iPhones and iPads are ended when they use much more than this. */
const IOS_BYTES = 250 * 1024 * 1024
/** Before this much time a token is not worth renewing. */
const RENEW_MS = 2 * 60_000
const MAX_MESSAGE = 4000
/** A game that reports nothing for so long has started without saying so. */
const IDLE_MS = 20_000
/** A game that opened the form for bug reports does not open it again for so long. */
const REOPEN_MS = 60_000

const isIos = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

/** Why a game cannot start in this browser; undefined if nothing speaks against it. */
function problemOf({ isolated, size }) {
  if (typeof WebAssembly !== 'object') return 'no_wasm'
  if (isolated === 'true' && !globalThis.crossOriginIsolated) return 'no_threads'
  const canvas = document.createElement('canvas')
  if (!canvas.getContext('webgl2')) return 'no_webgl'
  if (isIos() && Number(size) > IOS_BYTES) return 'ios_size'
  return undefined
}

const post = (url, body) => fetch(url, { method: 'POST', body, redirect: 'manual' })
/** Tokens are issued to the page of a signed-in person. */
async function readToken(url) {
  const answer = await post(url)
  const { data, error } = await answer.json()
  if (!answer.ok) throw new Error(error.message)
  return data
}
/** A redirect is the answer to a form that was accepted. */
const isAccepted = ({ ok, type }) => ok || type === 'opaqueredirect'
const isBytes = (value) => Number.isFinite(value) && value >= 0

/**
 * The stage of a game. The game is loaded when the player starts it: a frame that plays sound or
 * takes megabytes is nothing to open by itself.
 */
class PlayFrame extends HTMLElement {
  connectedCallback() {
    this.text = readTexts(this)
    this.stage = this.querySelector('.player-stage')
    this.progress = this.querySelector('.player-progress')
    this.loaded = this.querySelector('[data-loaded]')
    const start = this.querySelector('[data-start]')
    start.hidden = false
    start.addEventListener('click', () => this.start())
    const problem = problemOf(this.dataset)
    if (problem) {
      const line = this.querySelector('.player-problem')
      line.textContent = this.text(problem)
      line.hidden = false
    }
    addEventListener('message', (event) => this.connect(event))
    // The window loses the focus to the game; until it returns, the page must not scroll.
    addEventListener('blur', () => this.trapScroll(document.activeElement === this.frame))
    addEventListener('focus', () => this.trapScroll(false))
    document.addEventListener('keydown', (event) => this.returnKeys(event))
    this.prepareFullScreen()
    this.prepareSharing()
    this.prepareBugs()
  }

  async start() {
    const { name, allow, sandbox } = this.dataset
    const frame = document.createElement('iframe')
    frame.title = name
    frame.allow = allow
    frame.setAttribute('sandbox', sandbox)
    frame.allowFullscreen = true
    this.dataset.state = 'loading'
    this.has_booted = false
    this.showProgress(undefined, undefined)
    frame.src = await this.freshUrl()
    frame.addEventListener('load', () => {
      this.dataset.state = 'playing'
      // A game with the SDK says itself when it can be played.
      if (!this.port) this.hideProgress()
      frame.focus()
    })
    this.frame = frame
    this.stage.replaceChildren(frame)
    // Keys of the game, such as space and arrows, would scroll the page.
    frame.addEventListener('pointerenter', () => frame.focus())
  }

  /** The link to a game that not everyone may play expires; the page of now has a new one. */
  async freshUrl() {
    const { url } = this.dataset
    const expires = Number(new URL(url).searchParams.get('expires') ?? Number.POSITIVE_INFINITY)
    if (expires * 1000 > Date.now() + 10_000) return url
    const text = await fetch(location.href).then((answer) => answer.text())
    const page = new DOMParser().parseFromString(text, 'text/html')
    return page.querySelector('play-frame')?.dataset.url ?? url
  }

  trapScroll(is_playing) {
    document.documentElement.classList.toggle('is-playing', is_playing)
  }

  /** Keys that were meant for the game while nothing else of the page has the focus. */
  returnKeys(event) {
    const is_free = document.activeElement === document.body
    if (!this.frame || !is_free || !/^( |Arrow|Page|Home|End)/.test(event.key)) return
    event.preventDefault()
    this.frame.focus()
  }

  prepareFullScreen() {
    const button = this.querySelector('[data-full-screen]')
    button.hidden = !document.fullscreenEnabled
    button.addEventListener('click', () => this.toggleFullScreen())
    document.addEventListener('fullscreenchange', () => {
      const is_full = document.fullscreenElement === this
      button.textContent = this.text(is_full ? 'leave_full_screen' : 'full_screen')
    })
  }

  async toggleFullScreen() {
    if (document.fullscreenElement) return document.exitFullscreen()
    await this.requestFullscreen()
    this.frame?.focus()
    // Only phones and tablets turn; others refuse.
    const { orientation } = this.dataset
    if (orientation !== 'any') await screen.orientation?.lock?.(orientation).catch(() => {})
  }

  /**
   * The handshake of the SDK. Only the frame of this game, on its own origin, gets an answer, and
   * only through the port that it sent.
   */
  async connect({ origin, source, data, ports: [port] }) {
    if (!this.frame || source !== this.frame.contentWindow || origin !== this.dataset.origin) return
    if (data?.type !== 'slipway-connect' || !port) return
    this.port?.close()
    this.port = port
    port.onmessage = ({ data: message }) => this.receive(message ?? {})
    await this.sendPlayer()
  }

  receive({ type, done, total, message }) {
    if (type === 'boot_ok') {
      this.has_booted = true
      this.hideProgress()
    }
    if (type === 'renew') this.sendPlayer()
    if (type === 'progress' && isBytes(done) && !this.has_booted) this.showProgress(done, total)
    if (type === 'report_bug' && Date.now() - (this.bug_closed_at ?? 0) > REOPEN_MS)
      this.openBugForm(message)
  }

  /** What the game learns: which build it is, and who plays if the player shares that. */
  async sendPlayer() {
    const { game: game_uid, build: build_id, version, channel, api } = this.dataset
    const { player = null, token = null, expires_at = null } = await this.readPlayer()
    const build = { game_uid, build_id, version, channel, api }
    this.port?.postMessage({ ...build, player, token, expires_at })
  }

  async readPlayer() {
    if (!this.querySharing()?.checked) return {}
    const rest_ms = Date.parse(this.known?.expires_at ?? 0) - Date.now()
    if (rest_ms > RENEW_MS) return this.known
    this.known = await readToken(this.dataset.playToken).catch(() => undefined)
    return this.known ?? {}
  }

  querySharing = () => document.querySelector('[data-sharing] input')

  prepareSharing() {
    const form = document.querySelector('[data-sharing]')
    if (!form) return
    form.querySelector('button').hidden = true
    form.addEventListener('submit', (event) => event.preventDefault())
    const box = this.querySharing()
    box.addEventListener('change', async () => {
      const status = form.querySelector('[data-sharing-status]')
      const shared = box.checked
      const body = new URLSearchParams(shared ? { shared: 'yes' } : {})
      const answer = await post(form.action, body).catch(() => ({ ok: false }))
      if (!isAccepted(answer)) {
        box.checked = !shared
        status.textContent = this.text('failed')
        return
      }
      this.known = undefined
      status.textContent = this.text(shared ? 'shared' : 'not_shared')
      await this.sendPlayer()
    })
  }

  /** Without a total of the game itself, the size of the build is what can arrive at most. */
  showProgress(done, total) {
    const { progress, loaded, text, dataset } = this
    const all = isBytes(total) && total > 0 ? total : Number(dataset.size)
    progress.hidden = false
    clearTimeout(this.idle)
    this.idle = setTimeout(() => this.hideProgress(), IDLE_MS)
    if (done === undefined) {
      progress.removeAttribute('value')
      loaded.textContent = `· ${text('loading')}`
      return
    }
    progress.max = all
    progress.value = Math.min(done, all)
    // A game may count in other units than bytes, such as from 0 to 1.
    const has_bytes = all > 1024
    const values = { done: formatSize(Math.min(done, all)), total: formatSize(all) }
    loaded.textContent = has_bytes ? `· ${text('loaded_of', values)}` : `· ${text('loading')}`
    if (isBytes(total) && done >= total) this.hideProgress()
  }

  hideProgress() {
    clearTimeout(this.idle)
    this.progress.hidden = true
    this.loaded.textContent = ''
  }

  prepareBugs() {
    this.dialog = this.querySelector('[data-bug-dialog]')
    if (!this.dialog) return
    const button = this.querySelector('[data-report-bug]')
    button.hidden = false
    button.addEventListener('click', () => this.openBugForm())
    this.querySelector('[data-bug-close]').addEventListener('click', () => this.dialog.close())
    this.dialog.addEventListener('close', () => {
      this.bug_closed_at = Date.now()
      this.frame?.focus()
    })
    const form = this.querySelector('[data-bug-form]')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.sendBug(form)
    })
    const capture = this.querySelector('[data-capture]')
    capture.hidden = !navigator.mediaDevices?.getDisplayMedia
    capture.addEventListener('click', () => this.capture(form).catch(() => {}))
  }

  /** A game may open it and suggest a message; the player changes and sends it, or not. */
  openBugForm(message) {
    if (!this.dialog || this.dialog.open) return
    const field = this.dialog.querySelector('textarea')
    if (typeof message === 'string' && !field.value) field.value = message.slice(0, MAX_MESSAGE)
    this.querySelector('[data-bug-status]').textContent = ''
    this.dialog.showModal()
  }

  /** The browser asks the player what to show; one picture of it becomes the screenshot. */
  async capture(form) {
    this.dialog.close()
    const options = { video: true, preferCurrentTab: true, selfBrowserSurface: 'include' }
    const stream = await navigator.mediaDevices.getDisplayMedia(options).catch(() => undefined)
    const video = Object.assign(document.createElement('video'), { muted: true })
    try {
      if (!stream) return
      video.srcObject = stream
      await video.play()
      const canvas = document.createElement('canvas')
      canvas.width = video.videoWidth
      canvas.height = video.videoHeight
      canvas.getContext('2d').drawImage(video, 0, 0)
      const bytes = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
      const files = new DataTransfer()
      files.items.add(new File([bytes], 'screenshot.png', { type: 'image/png' }))
      form.elements.screenshot.files = files.files
    } finally {
      for (const track of stream?.getTracks() ?? []) track.stop()
      this.dialog.showModal()
    }
  }

  async sendBug(form) {
    const { game, build, version, api } = this.dataset
    const status = this.querySelector('[data-bug-status]')
    const body = new FormData(form)
    body.append('client_version', version)
    body.append('build_id', build)
    body.append('os', 'web')
    if (!body.get('screenshot')?.size) body.delete('screenshot')
    try {
      const { token } = await readToken(this.dataset.bugToken)
      const headers = { Authorization: `Bearer ${token}` }
      const sent = await fetch(`${api}/api/v1/games/${game}/bugs`, {
        method: 'POST',
        body,
        headers,
      })
      const { error } = await sent.json()
      status.textContent = sent.ok ? this.text('bug_sent') : await refusalText(error)
      if (sent.ok) form.reset()
    } catch {
      status.textContent = this.text('failed')
    }
  }
}
customElements.define('play-frame', PlayFrame)
