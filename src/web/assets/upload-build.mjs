import { checksumOf } from './checksum.mjs'
import { formatBytes } from './format-bytes.mjs'

/**
 * Registers a build and uploads its zip in chunks, as docs/uploading.md describes. The browser
 * remembers the upload session: choosing the same file again resumes the upload after a pause or a
 * lost connection.
 */
const CHUNK_BYTES = 16 * 1024 * 1024
const MAX_ATTEMPTS = 6
const MAX_BACKOFF_SECONDS = 30
const SCAN_POLL_MS = 1000
const SESSION_GONE = 4045
const CHUNK_BUSY = 4047
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The API refused a request. */
class ApiError extends Error {
  constructor({ code, message, data }, status) {
    super(message)
    Object.assign(this, { code, status, data })
  }
}

/** Uses XMLHttpRequest because fetch does not report the progress of an upload. */
function post(url, body, { headers = {}, progress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (progress) request.upload.onprogress = ({ loaded }) => progress(loaded)
    request.responseType = 'json'
    request.onload = () => {
      const { success, data, error } = request.response ?? {
        error: { message: `The upload failed with status ${request.status}` },
      }
      if (success) resolve(data)
      else reject(new ApiError({ ...error, data: error?.data ?? data }, request.status))
    }
    request.onerror = () => reject(new Error('connection lost'))
    signal?.addEventListener('abort', () => request.abort())
    request.onabort = () => reject(signal.reason)
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
    this.message = find('.upload-error')
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
    this.message.hidden = true
    this.row.hidden = false
    this.stop.hidden = false
    this.querySelector('.upload-name').textContent = `${file.name}, ${formatBytes(file.size)}`
    try {
      await this.send(file, this.control.signal)
    } catch (error) {
      this.showError(error.message === 'paused' ? 'Paused. Press Upload to resume.' : error.message)
    } finally {
      this.busy = false
      this.button.disabled = false
      this.stop.hidden = true
    }
  }

  showError(message) {
    this.message.textContent = message
    this.message.hidden = false
    this.showProgress('', this.bar.value)
  }

  showProgress(text, part) {
    this.state.textContent = text
    this.bar.value = part
  }

  async send(file, signal) {
    const checksum = await checksumOf(
      file,
      (part) => this.showProgress(`Reading the file, ${Math.round(part * 100)}%`, part),
      signal,
    )
    const build = await this.register()
    const uploaded = await this.sendChunks(file, checksum, build, signal)
    await this.waitForScan(uploaded.build_id ?? build.build_id)
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
    return post(this.dataset.builds, JSON.stringify(body), {
      headers: { 'content-type': 'application/json' },
    })
  }

  openSession(file, checksum, { build_id }) {
    const body = new URLSearchParams({
      build_id,
      filename: file.name,
      total_size: file.size,
      checksum,
    })
    return post(this.dataset.sessions, body)
  }

  /** Sends chunks in order. After a lost connection the server reports the offset to go on from. */
  async sendChunks(file, checksum, build, signal) {
    const storage_key = `upload ${build.build_id} ${checksum}`
    let session = localStorage.getItem(storage_key)
    let offset = 0
    const started = performance.now()
    let first_offset
    for (let attempts = 0; ; ) {
      signal.throwIfAborted()
      if (!session) {
        const opened = await this.openSession(file, checksum, build)
        session = opened.session_id
        offset = opened.current_size
        localStorage.setItem(storage_key, session)
      }
      first_offset ??= offset
      try {
        const answer = await this.sendChunk({ file, session, offset, signal }, (sent) =>
          this.reportSpeed(file, offset + sent, first_offset, started),
        )
        if (answer.file_uid) {
          localStorage.removeItem(storage_key)
          return answer
        }
        offset = answer.current_size
        attempts = 0
      } catch (error) {
        if (signal.aborted) throw error
        const known = error.data?.current_size
        if (error.code === SESSION_GONE) session = undefined
        else if (error.status === 409 && known !== undefined) {
          offset = known
          first_offset = offset
        } else if (
          error instanceof ApiError &&
          error.status < 500 &&
          error.status !== 429 &&
          error.code !== CHUNK_BUSY
        )
          throw error
        if (++attempts > MAX_ATTEMPTS)
          throw error instanceof ApiError
            ? error
            : new Error('The connection was lost. Press Upload to resume where it stopped.')
        if (known === undefined) await this.backOff(attempts)
      }
    }
  }

  async backOff(attempts) {
    this.showProgress('Waiting for the connection', this.bar.value)
    await delay(Math.min(MAX_BACKOFF_SECONDS, 2 ** (attempts - 1)) * 1000)
  }

  sendChunk({ file, session, offset, signal }, progress) {
    const end = Math.min(offset + CHUNK_BYTES, file.size)
    const body = new FormData()
    body.append('file', file.slice(offset, end), file.name)
    const headers = {
      'x-upload-session-id': session,
      'content-range': `bytes ${offset}-${end - 1}/${file.size}`,
    }
    return post(this.dataset.files, body, {
      headers,
      progress: (sent) => progress(Math.min(sent, end - offset)),
      signal,
    })
  }

  reportSpeed(file, done, first_offset, started) {
    const speed = (done - first_offset) / ((performance.now() - started) / 1000 + 0.001)
    const left = Math.round((file.size - done) / Math.max(speed, 1))
    const time = left > 90 ? `${Math.round(left / 60)} minutes` : `${left} seconds`
    const sizes = `${formatBytes(done)} of ${formatBytes(file.size)}, ${formatBytes(speed)}/s`
    this.showProgress(left > 5 ? `${sizes}, about ${time} left` : sizes, done / file.size)
  }

  /** The upload is complete; the result of the scan follows. */
  async waitForScan(build_id) {
    this.bar.removeAttribute('value')
    this.state.textContent = 'Uploaded. Scanning…'
    for (;;) {
      const answer = await fetch(`${this.dataset.builds}/${build_id}`).catch(() => undefined)
      const { data } = (await answer?.json().catch(() => undefined)) ?? {}
      const file = data?.files.at(-1)
      if (file && file.scan !== 'scanning') {
        this.busy = false
        dispatchEvent(new Event('slipway-changed'))
        if (file.scan === 'clean') return location.assign(`${this.dataset.base}/builds/${build_id}`)
        this.bar.value = 1
        throw new Error(
          `The scanner refused the file: ${file.findings ?? file.scan}. Upload a clean zip.`,
        )
      }
      await delay(SCAN_POLL_MS)
    }
  }
}
customElements.define('upload-build', UploadBuild)
