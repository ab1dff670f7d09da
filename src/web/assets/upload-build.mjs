import { checksumOf } from './checksum.mjs'

/**
 * Registers a build and sends its zip in pieces, as docs/uploading.md describes. What was begun is remembered in the browser: the same file
 * chosen again goes on where it stopped, after a pause, a lost line or a closed lid.
 */
const CHUNK = 16 * 1024 * 1024
const TRIES = 6
const SESSION_GONE = 4045
const CHUNK_BUSY = 4047
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const size = (bytes) =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`

class Refused extends Error {
  constructor({ code, message, data }, status) {
    super(message)
    Object.assign(this, { code, status, data })
  }
}

/** With the progress of what goes out, which fetch does not tell. */
function post(url, body, { headers = {}, progress, signal } = {}) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (progress) request.upload.onprogress = ({ loaded }) => progress(loaded)
    request.responseType = 'json'
    request.onload = () => {
      const { success, data, error } = request.response ?? {
        error: { message: `The server answered ${request.status}` },
      }
      if (success) done(data)
      else failed(new Refused({ ...error, data: error?.data ?? data }, request.status))
    }
    request.onerror = () => failed(new Error('line'))
    signal?.addEventListener('abort', () => request.abort())
    request.onabort = () => failed(signal.reason)
    request.send(body)
  })
}

class UploadBuild extends HTMLElement {
  connectedCallback() {
    const find = (selector) => this.querySelector(selector)
    this.form = find('form')
    this.file = find('input[type=file]')
    this.row = find('.upload-row')
    this.bar = find('progress')
    this.state = find('.upload-state')
    this.wrong = find('.upload-wrong')
    this.stop = find('.upload-stop')
    this.button = find('form button')
    find('.upload-file').hidden = false
    find('.upload-idle').textContent = 'Upload'
    this.file.required = true
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.upload()
    })
    this.stop.addEventListener('click', () => this.control?.abort(new Error('paused')))
    addEventListener('beforeunload', (event) => {
      if (this.busy) event.preventDefault()
    })
  }

  async upload() {
    const file = this.file.files[0]
    if (!file || this.busy) return
    this.busy = true
    this.control = new AbortController()
    this.button.disabled = true
    this.wrong.hidden = true
    this.row.hidden = false
    this.stop.hidden = false
    this.querySelector('.upload-name').textContent = `${file.name}, ${size(file.size)}`
    try {
      await this.send(file, this.control.signal)
    } catch (error) {
      this.say(error.message === 'paused' ? 'Paused. Press Upload to go on.' : error.message)
    } finally {
      this.busy = false
      this.button.disabled = false
      this.stop.hidden = true
    }
  }

  say(message) {
    this.wrong.textContent = message
    this.wrong.hidden = false
    this.tell('', this.bar.value)
  }

  tell(text, part) {
    this.state.textContent = text
    this.bar.value = part
  }

  async send(file, signal) {
    const checksum = await checksumOf(
      file,
      (part) => this.tell(`Reading the file, ${Math.round(part * 100)} %`, part),
      signal,
    )
    const build = await this.register()
    const done = await this.pieces(file, checksum, build, signal)
    await this.scanned(done.build_id ?? build.build_id)
  }

  async register() {
    const sent = new FormData(this.form)
    const fields = ['version', 'os', 'arch', 'channel', 'title', 'engine_version'].flatMap(
      (name) => (sent.get(name) ? [[name, sent.get(name)]] : []),
    )
    const changes = String(sent.get('changelog') ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
    const body = {
      ...Object.fromEntries(fields),
      changelog_items: changes.map((title) => ({ title, description: '' })),
    }
    return post(`${this.dataset.api}/builds`, JSON.stringify(body), {
      headers: { 'content-type': 'application/json' },
    })
  }

  open(file, checksum, { build_id }) {
    const body = new URLSearchParams({
      build_id,
      filename: file.name,
      total_size: file.size,
      checksum,
    })
    return post(`${this.dataset.api}/files/sessions`, body)
  }

  /** In order, from wherever the server is; after a lost line the server says where that is. */
  async pieces(file, checksum, build, signal) {
    const memory = `upload ${build.build_id} ${checksum}`
    let session = localStorage.getItem(memory)
    let at = 0
    const begun = performance.now()
    const before = { at: undefined }
    for (let tries = 0; ; ) {
      signal.throwIfAborted()
      if (!session) {
        const opened = await this.open(file, checksum, build)
        session = opened.session_id
        at = opened.current_size
        localStorage.setItem(memory, session)
      }
      before.at ??= at
      try {
        const answer = await this.piece(file, session, at, signal, (sent) =>
          this.progress(file, at + sent, before.at, begun),
        )
        if (answer.file_uid) {
          localStorage.removeItem(memory)
          return answer
        }
        at = answer.current_size
        tries = 0
      } catch (error) {
        if (signal.aborted) throw error
        const known = error.data?.current_size
        if (error.code === SESSION_GONE) session = undefined
        else if (error.status === 409 && known !== undefined) {
          at = known
          before.at = at
        } else if (
          error instanceof Refused &&
          error.status < 500 &&
          error.status !== 429 &&
          error.code !== CHUNK_BUSY
        )
          throw error
        if (++tries > TRIES)
          throw error instanceof Refused
            ? error
            : new Error('The line is gone. What arrived is safe: press Upload to go on.')
        if (known === undefined) await this.wait(tries)
      }
    }
  }

  async wait(tries) {
    this.tell('Waiting for the line', this.bar.value)
    await pause(Math.min(30, 2 ** (tries - 1)) * 1000)
  }

  piece(file, session, at, signal, progress) {
    const end = Math.min(at + CHUNK, file.size)
    const body = new FormData()
    body.append('file', file.slice(at, end), file.name)
    const headers = {
      'x-upload-session-id': session,
      'content-range': `bytes ${at}-${end - 1}/${file.size}`,
    }
    return post(`${this.dataset.api}/files`, body, {
      headers,
      progress: (sent) => progress(Math.min(sent, end - at)),
      signal,
    })
  }

  progress(file, done, from, begun) {
    const speed = (done - from) / ((performance.now() - begun) / 1000 + 0.001)
    const left = Math.round((file.size - done) / Math.max(speed, 1))
    this.tell(
      `${size(done)} of ${size(file.size)}, ${size(speed)}/s${left > 5 ? `, about ${left > 90 ? `${Math.round(left / 60)} minutes` : `${left} seconds`} left` : ''}`,
      done / file.size,
    )
  }

  /** The file is safe; what the scanner says comes a moment later. */
  async scanned(build_id) {
    this.bar.removeAttribute('value')
    this.state.textContent = 'Uploaded. Scanning…'
    for (;;) {
      const answer = await fetch(`${this.dataset.api}/builds/${build_id}`).catch(() => undefined)
      const { data } = (await answer?.json().catch(() => undefined)) ?? {}
      const file = data?.files.at(-1)
      if (file && file.scan !== 'scanning') {
        this.busy = false
        dispatchEvent(new Event('slipway-changed'))
        if (file.scan === 'clean') return location.assign(`${this.dataset.base}/builds/${build_id}`)
        this.bar.value = 1
        throw new Error(
          `The scanner refused it: ${file.findings ?? file.scan}. Its bytes were removed; upload a clean zip.`,
        )
      }
      await pause(1000)
    }
  }
}
customElements.define('upload-build', UploadBuild)
