/*
 * The play SDK of Slipway, version 1. Put it beside your index.html, and load it before your game:
 *
 *   <script src="play.js"></script>
 *   const { connected, player } = await slipway.ready
 *
 * Away from the page of the store, every call resolves to { ok: false, reason }. See docs/play.md.
 */
globalThis.slipway = (() => {
  // The page that the game talks to. The copy at {store}/sdk/play.js has the address of the store.
  const STORE = 'http://localhost:8080'

  // 1. The handshake: browsers deliver it to the page of the store only, whoever else shows the
  // game in a frame. The page answers through the port, now and whenever the player changes.
  let state = { connected: false, reason: 'not_in_store', player: null }
  let port
  const listeners = new Set()
  const tellPage = (message) => port?.postMessage(message)
  const ready = new Promise((resolve) => {
    const [page = STORE] = location.ancestorOrigins ?? []
    if (window.parent === window || page !== STORE) return resolve(state)
    const channel = new MessageChannel()
    channel.port1.onmessage = ({ data }) => {
      port = channel.port1
      state = { connected: true, ...data }
      resolve(state)
      for (const listener of [...listeners]) listener(state.player)
    }
    setTimeout(() => {
      if (!state.connected) resolve((state = { ...state, reason: 'no_answer' }))
    }, 5000)
    window.parent.postMessage({ type: 'slipway-connect', version: 1 }, STORE, [channel.port2])
  })
  ready.then(() => navigator.storage?.persist?.()).catch(() => {})
  function onPlayer(listener) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  // 2. The token of the player, if they share who they are. It is renewed before it expires.
  async function token() {
    await ready
    if (state.token && Date.parse(state.expires_at) < Date.now() + 60_000)
      await new Promise((resolve) => {
        const stop = onPlayer(() => resolve(stop()))
        setTimeout(resolve, 5000)
        tellPage({ type: 'renew' })
      })
    return state.token ?? null
  }

  async function call(method, path, { needs_player = true, headers, ...request } = {}) {
    const bearer = await token()
    if (!state.connected) return { ok: false, reason: state.reason }
    if (needs_player && !bearer) return { ok: false, reason: 'not_shared' }
    const sent = { 'X-App-Id': state.game_uid, 'X-Build-Id': state.build_id, ...headers }
    if (bearer) sent.Authorization = `Bearer ${bearer}`
    try {
      const address = state.api + path.replace('{game}', state.game_uid)
      const answer = await fetch(address, { method, headers: sent, ...request })
      const { ok, status } = answer
      const etag = answer.headers.get('etag')
      if (!/json/.test(answer.headers.get('content-type')))
        return { ok, status, etag, bytes: new Uint8Array(await answer.arrayBuffer()) }
      const { data, error } = await answer.json()
      return ok ? { ok, status, etag, data } : { ok, status, reason: error.message, ...error }
    } catch {
      return { ok: false, reason: 'offline' }
    }
  }

  // 3. Events and crashes, which need no player. Launch health is made of them.
  const session_id = crypto.randomUUID()
  const began = performance.now()
  const own_device = crypto.randomUUID()
  // A browser that blocks storage in frames throws here; the device is new in each run then.
  function device() {
    try {
      return (localStorage.slipway_device ??= own_device)
    } catch {
      return own_device
    }
  }
  const post = (path, body) =>
    call('POST', path, {
      needs_player: false,
      keepalive: true,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  function event(name, fields = {}) {
    const ids = { event_id: crypto.randomUUID(), session_id, device_uid: device() }
    const sent = { event: name, timestamp: new Date().toISOString(), ...ids, ...fields }
    return post('/api/v1/public/events', { events: [sent] })
  }
  function crash(error) {
    const metadata = { message: String(error?.message ?? error), stack: String(error?.stack ?? '') }
    const program = { os: 'web', app_version: state.version, session_id, device_uid: device() }
    return post('/api/v1/public/crashes', { severity: 'error', ...program, metadata })
  }
  function bootOk() {
    observer.disconnect()
    ready.then(() => tellPage({ type: 'boot_ok' }))
    return event('boot_ok', { ms: Math.round(performance.now() - began) })
  }
  let crashes = 0
  // Errors of the start are the ones that matter, so they wait for the page.
  const report = (error) =>
    ready.then(({ connected }) => connected && ++crashes <= 5 && crash(error))
  addEventListener('error', ({ error, message }) => report(error ?? message))
  addEventListener('unhandledrejection', ({ reason }) => report(reason))
  addEventListener('pagehide', () => {
    const seconds = Math.round((performance.now() - began) / 1000)
    if (state.connected) event('session_end', { seconds: Math.min(86_400, seconds) })
  })
  ready.then(({ connected }) => connected && event('session_start'))

  // 4. Loading: the files that have arrived, until the game reports what it knows better.
  let arrived = 0
  const observer = new PerformanceObserver((list) => {
    for (const { encodedBodySize } of list.getEntries()) arrived += encodedBodySize
    ready.then(() => tellPage({ type: 'progress', done: arrived }))
  })
  observer.observe({ type: 'resource', buffered: true })
  function progress(done, total) {
    observer.disconnect()
    ready.then(() => tellPage({ type: 'progress', done, total }))
  }

  // 5. Bugs: with a message it is sent at once; otherwise the page asks the player for one.
  async function reportBug(message, { log, screenshot } = {}) {
    await ready
    if (!message || !state.token) {
      tellPage({ type: 'report_bug', message })
      return { ok: false, reason: state.connected ? 'player_decides' : state.reason }
    }
    const body = new FormData()
    body.append('message', message)
    body.append('os', 'web')
    body.append('client_version', state.version)
    body.append('build_id', state.build_id)
    if (log) body.append('log', new Blob([log]), 'log.txt')
    if (screenshot) body.append('screenshot', screenshot, 'screenshot.png')
    return call('POST', '/api/v1/games/{game}/bugs', { body })
  }

  // 6. Saves in the account of the player. With the ETag of what you read, a save that another
  // device has changed meanwhile is not replaced (status 412).
  const slots = '/api/v1/public/games/{game}/saves'
  const slot = (name) => `${slots}/${encodeURIComponent(name)}`
  const saves = {
    list: () => call('GET', slots),
    read: (name) => call('GET', slot(name)),
    versions: (name) => call('GET', `${slot(name)}/versions`),
    readVersion: (name, version) => call('GET', `${slot(name)}/versions/${version}`),
    write: (name, body, etag) =>
      call('PUT', slot(name), {
        body,
        headers: { 'Content-Type': 'application/octet-stream', ...(etag && { 'If-Match': etag }) },
      }),
    remove: (name) => call('DELETE', slot(name)),
  }

  return { ready, onPlayer, token, event, crash, bootOk, progress, reportBug, saves }
})()
