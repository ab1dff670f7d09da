import { checksumOf } from './checksum.mjs'
import { findPending, listPending, removePending, savePending } from './pending-uploads.mjs'
import { formatSize, formatUnit, readTexts, refusalText } from './texts.mjs'
import { ApiError, ConnectionError, get, post } from './upload-request.mjs'

/**
 * Registers a build and uploads its zip in chunks, as docs/uploading.md describes. The browser
 * remembers the upload: choosing the same file again resumes it after a pause or a lost connection.
 * If the service refuses the file, the build that was registered for it is deleted.
 */
const MAX_ATTEMPTS = 6
const MAX_BACKOFF_SECONDS = 30
const SCAN_POLL_MS = 1000
const SESSION_GONE = 4045
const CHUNK_BUSY = 4047
const PROOF_REQUIRED = 4032
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const BUILD_FIELDS = ['version', 'os', 'arch', 'channel', 'title', 'engine_version', 'coep']
/** The first bytes of a zip, and of one without entries. */
const ZIP_STARTS = ['PK\x03\x04', 'PK\x05\x06']

/** What is wrong with a file that can be told before its build is registered. */
async function fileProblem(file, max_bytes, text) {
  const start = await file.slice(0, 4).text()
  if (!/\.zip$/i.test(file.name) || !ZIP_STARTS.includes(start))
    return text('not_zip', { file: file.name })
  if (file.size > max_bytes)
    return text('too_large', {
      file: file.name,
      size: formatSize(file.size),
      max: formatSize(max_bytes),
    })
  return ''
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
    this.text = readTexts(this)
    find('.upload-idle').textContent = this.text('upload')
    this.file.required = true
    this.followSystem()
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.upload()
    })
    this.stop.addEventListener('click', () => this.control?.abort(new Error('paused')))
    addEventListener('beforeunload', (event) => {
      if (this.busy) event.preventDefault()
    })
    this.offerPending()
  }

  /** Shows the usual processor of the chosen system, until the person chooses another. */
  followSystem() {
    const { os, arch } = this.form.elements
    const usual = JSON.parse(this.dataset.usualArch)
    let is_chosen = arch.value !== 'usual'
    for (const option of [...arch.options]) if (option.value === 'usual') option.remove()
    const follow = () => {
      if (!is_chosen) arch.value = usual[os.value] ?? ''
    }
    follow()
    os.addEventListener('change', follow)
    arch.addEventListener('change', () => {
      is_chosen = true
    })
  }

  /** Offers to resume uploads that were interrupted, unless their builds are gone or complete. */
  async offerPending() {
    const { project } = this.dataset
    for (const upload of listPending(project)) {
      const build = await get(`${this.dataset.builds}/${upload.build_id}`)
      const is_complete = build?.files.some(({ checksum }) => checksum === upload.checksum)
      if (build === null || is_complete) removePending(project, upload.build_id)
      else if (build) this.showOffer(upload)
    }
  }

  showOffer(upload) {
    const offer = this.querySelector('template').content.firstElementChild.cloneNode(true)
    const { version, os } = upload.fields
    const options = [...this.form.elements.namedItem('os').options]
    const system = options.find(({ value }) => value === os)?.text ?? os
    const percent = Math.floor((upload.offset / upload.size) * 100)
    const file = upload.filename
    const text = this.text('offer', { file, version, system, percent })
    offer.querySelector('.offer-text').textContent = text
    offer.querySelector('.offer-resume').addEventListener('click', () => this.resume(upload))
    offer.querySelector('.offer-discard').addEventListener('click', async () => {
      offer.remove()
      await this.discard(upload)
      location.reload()
    })
    this.prepend(offer)
  }

  /** Fills in the fields; the browser lets only the person choose the file again. */
  resume({ fields, filename }) {
    for (const [name, value] of Object.entries(fields)) {
      const field = this.form.elements.namedItem(name)
      if (field) field.value = value
    }
    if (fields.title || fields.changelog || fields.engine_version || fields.coep)
      this.querySelector('details').open = true
    const hint = this.querySelector('.upload-file .hint')
    hint.textContent = this.text('choose_again', { file: filename })
    this.file.focus()
  }

  /** Forgets an upload, and deletes its build if it was registered for it and has no file. */
  async discard({ build_id, created }) {
    const url = `${this.dataset.builds}/${build_id}`
    const build = created ? await get(url) : undefined
    if (build?.files.length === 0) await fetch(url, { method: 'DELETE' }).catch(() => {})
    removePending(this.dataset.project, build_id)
  }

  async upload() {
    const file = this.file.files[0]
    if (!file || this.busy) return
    this.busy = true
    this.control = new AbortController()
    this.button.disabled = true
    this.message.hidden = true
    this.querySelector('.upload-collisions').hidden = true
    this.querySelector('.upload-confirm').hidden = true
    this.row.hidden = false
    this.stop.hidden = false
    this.querySelector('.upload-name').textContent = `${file.name}, ${formatSize(file.size)}`
    try {
      await this.send(file, this.control.signal)
    } catch (error) {
      const is_paused = error.message === 'paused'
      if (error.code === PROOF_REQUIRED) this.askToConfirm()
      else this.showError(is_paused ? this.text('paused') : await this.messageOf(error))
    } finally {
      this.busy = false
      this.button.disabled = false
      this.stop.hidden = true
    }
  }

  /** The answer of a proxy has no message. */
  async messageOf(error) {
    if (error instanceof ConnectionError) return this.text('lost')
    if (error instanceof ApiError && error.message) return refusalText(error)
    return error.message || this.text('failed', { status: error.status })
  }

  showError(message) {
    this.message.textContent = message
    this.message.hidden = false
    this.showProgress('', this.bar.value)
  }

  /** The person confirms on another page, and then presses Upload again. */
  askToConfirm() {
    this.row.hidden = true
    this.querySelector('.upload-confirm').hidden = false
  }

  showProgress(text, part) {
    this.state.textContent = text
    this.bar.value = part
  }

  async send(file, signal) {
    const problem = await fileProblem(file, Number(this.dataset.maxBytes), this.text)
    if (problem) throw new Error(problem)
    const checksum = await checksumOf(
      file,
      (part) => this.showProgress(this.text('reading', { percent: Math.round(part * 100) }), part),
      signal,
    )
    const upload = await this.register(file, checksum)
    try {
      const uploaded = await this.sendChunks(file, upload, signal)
      removePending(this.dataset.project, upload.build_id)
      await this.waitForScan(uploaded.build_id ?? upload.build_id, uploaded.name_collisions)
    } catch (error) {
      if (error instanceof ApiError && error.is_final) await this.discard(upload)
      throw error
    }
  }

  /** Registers the build, and keeps what is needed to resume the upload of this file for it. */
  async register(file, checksum) {
    const { project } = this.dataset
    const sent = new FormData(this.form)
    const text = (name) => String(sent.get(name) ?? '')
    const fields = Object.fromEntries(BUILD_FIELDS.filter(text).map((name) => [name, text(name)]))
    const changelog = text('changelog')
    const changes = changelog
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
    const body = {
      ...fields,
      changelog_items: changes.map((title) => ({ title, description: '' })),
    }
    const { build_id, created } = await post(this.dataset.builds, JSON.stringify(body), {
      headers: { 'content-type': 'application/json' },
    })
    const before = findPending(project, build_id)
    const upload = {
      ...(before?.checksum === checksum ? before : { offset: 0 }),
      build_id,
      checksum,
      created: created || before?.created === true,
      filename: file.name,
      size: file.size,
      fields: { ...fields, changelog },
    }
    savePending(project, upload)
    return upload
  }

  openSession(file, { build_id, checksum }) {
    const body = new URLSearchParams({
      build_id,
      filename: file.name,
      total_size: file.size,
      checksum,
    })
    return post(this.dataset.sessions, body)
  }

  /** Sends chunks in order. After a lost connection the server reports the offset to go on from. */
  async sendChunks(file, upload, signal) {
    let { session } = upload
    let offset = 0
    const keep = () => savePending(this.dataset.project, { ...upload, session, offset })
    const started = performance.now()
    let first_offset
    for (let attempts = 0; ; ) {
      signal.throwIfAborted()
      if (!session) {
        const opened = await this.openSession(file, upload)
        session = opened.session_id
        offset = opened.current_size
        keep()
      }
      first_offset ??= offset
      try {
        const answer = await this.sendChunk({ file, session, offset, signal }, (sent) =>
          this.reportSpeed(file, offset + sent, first_offset, started),
        )
        if (answer.file_uid) return answer
        offset = answer.current_size
        attempts = 0
        keep()
      } catch (error) {
        if (signal.aborted) throw error
        const known = error.data?.current_size
        if (error.code === SESSION_GONE) session = undefined
        else if (error.status === 409 && known !== undefined) {
          offset = known
          first_offset = offset
        } else if (error instanceof ApiError && error.is_final && error.code !== CHUNK_BUSY)
          throw error
        if (++attempts > MAX_ATTEMPTS)
          throw error instanceof ApiError ? error : new Error(this.text('lost'))
        if (known === undefined) await this.backOff(attempts)
      }
    }
  }

  async backOff(attempts) {
    this.showProgress(this.text('waiting'), this.bar.value)
    await delay(Math.min(MAX_BACKOFF_SECONDS, 2 ** (attempts - 1)) * 1000)
  }

  sendChunk({ file, session, offset, signal }, progress) {
    const end = Math.min(offset + Number(this.dataset.chunkBytes), file.size)
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
    const time =
      left > 90 ? formatUnit(Math.round(left / 60), 'minute') : formatUnit(left, 'second')
    const progress = this.text('progress', {
      done: formatSize(done),
      size: formatSize(file.size),
      speed: formatSize(speed),
    })
    const text = left > 5 ? this.text('remaining', { progress, time }) : progress
    this.showProgress(text, done / file.size)
  }

  /** The upload is complete; the result of the scan follows. */
  async waitForScan(build_id, name_collisions = []) {
    this.bar.removeAttribute('value')
    this.state.textContent = this.text('scanning')
    for (;;) {
      const build = await get(`${this.dataset.builds}/${build_id}`)
      const file = build?.files.at(-1)
      if (file && file.scan !== 'scanning') {
        this.busy = false
        dispatchEvent(new Event('slipway-changed'))
        const url = `${this.dataset.base}/builds/${build_id}`
        if (file.scan === 'clean' && !name_collisions.length) return location.assign(url)
        this.bar.value = 1
        if (file.scan === 'clean') return this.showCollisions(name_collisions, url)
        throw new Error(this.text('refused', { findings: file.findings ?? file.scan }))
      }
      await delay(SCAN_POLL_MS)
    }
  }

  /** Stays on the page: the answer to the upload is the only one that names them. */
  showCollisions(name_collisions, url) {
    const notice = this.querySelector('.upload-collisions')
    const items = name_collisions.map((collision) => {
      const item = document.createElement('li')
      item.textContent = this.text('collision', collision)
      return item
    })
    notice.querySelector('ul').replaceChildren(...items)
    notice.querySelector('a').href = url
    notice.hidden = false
    this.state.textContent = this.text('scanned')
  }
}
customElements.define('upload-build', UploadBuild)
