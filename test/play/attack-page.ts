/**
 * A page of a hostile game. It makes the attempt that its query names, against the addresses there,
 * and collects in `window.collected` everything that it got hold of.
 */
export const attackPage = `<!doctype html>
<html lang="en"><title>Attempt</title><body><p>Attempt</p>
<script type="module">
const { family, target, mode, method, seed, store, other, other_file } =
  Object.fromEntries(new URLSearchParams(location.search))
const collected = []
const got = (name, value) => collected.push(name + ': ' + String(value).slice(0, 20000))
const attempt = async (name, run) => {
  try {
    const waiting = new Promise((done) => setTimeout(done, 300, 'no answer'))
    got(name, await Promise.race([run(), waiting]))
  } catch (error) {
    got(name, 'refused ' + error.name)
  }
}
const add = (tag, attributes) => {
  const element = Object.assign(document.createElement(tag), attributes)
  document.body.append(element)
  return element
}
const loaded = (element) => new Promise((done) => {
  element.onload = () => done('loaded')
  element.onerror = () => done('failed')
})
const framed = async (url, attributes = {}) => {
  const frame = document.createElement('iframe')
  for (const name in attributes) frame.setAttribute(name, attributes[name])
  frame.src = url
  document.body.append(frame)
  await Promise.race([loaded(frame), new Promise((done) => setTimeout(done, 300))])
  return frame
}

const families = {
  async cookies() {
    await attempt('document', () => document.cookie)
    await attempt('cookieStore', async () => JSON.stringify(await cookieStore.getAll()))
    await attempt('of the store', async () => JSON.stringify(await cookieStore.getAll({ url: store })))
    await attempt('domain', () => {
      document.cookie = 'svc_session=forged; Domain=' + new URL(store).hostname + '; Path=/'
      return document.cookie
    })
  },
  async ancestors() {
    for (const name of ['parent', 'top', 'opener'])
      for (const path of ['document.title', 'document.cookie', 'localStorage.canary', 'location.href',
        'frames[0].document.title', 'document.body.innerHTML', 'name', 'history.length', 'origin'])
        await attempt(name + '.' + path, () => path.split('.').reduce((value, part) =>
          part === 'frames[0]' ? value.frames[0] : value[part], window[name]))
    await attempt('frameElement', () => frameElement.ownerDocument.title)
    await attempt('prototype', () => top.Object.constructor('return document.cookie')())
    await attempt('write', () => { parent.canary = 1; return parent.canary })
    await attempt('ancestors', () => { location.ancestorOrigins; return 'known' })
  },
  async navigate() {
    const url = target ? store + target : 'https://other.example/'
    const ways = {
      href: () => { top.location.href = url },
      assign: () => top.location.assign(url),
      replace: () => top.location.replace(url),
      hash: () => { top.location.hash = 'moved' },
      parent: () => { parent.location = url },
      script: () => { top.location = 'javascript:document.title=1' },
      open: () => open(url, '_top'),
      parent_open: () => open(url, '_parent'),
      link: () => add('a', { href: url, target: '_top' }).click(),
      form: () => add('form', { action: url, target: '_top' }).submit(),
      post: () => add('form', { action: url, target: '_parent', method: 'post' }).submit(),
      base: () => { add('base', { target: '_top' }); add('a', { href: url }).click() },
      history: () => history.go(-1),
      parent_history: () => parent.history.back(),
      close: () => top.close(),
      stop: () => top.stop(),
      write: () => top.document.write('x'),
      navigation: () => top.navigation.navigate(url),
    }
    // All of them, each time in another order: what succeeds ends the others.
    const names = Object.keys(ways)
    for (let n = 0; n < names.length; n++) {
      const name = names[(n + Number(seed)) % names.length]
      await attempt(name, async () => typeof (await ways[name]()))
    }
    await new Promise((done) => setTimeout(done, 100))
  },
  async fetches() {
    const options = { method, mode, credentials: 'include', redirect: 'follow' }
    if (method !== 'GET') options.body = new URLSearchParams({ accept_terms: 'yes', shared: 'yes' })
    await attempt('fetch', async () => {
      const answer = await fetch(store + target, options)
      return answer.type + ' ' + (await answer.text())
    })
    await attempt('XMLHttpRequest', () => new Promise((done, fail) => {
      const request = new XMLHttpRequest()
      request.open(method, store + target)
      request.withCredentials = true
      request.onload = () => done(request.responseText)
      request.onerror = () => fail(new TypeError('refused'))
      request.send(options.body)
    }))
    await attempt('beacon', () => navigator.sendBeacon(store + target, new URLSearchParams({ a: 1 })))
    await attempt('credential', async () => {
      const headers = { Authorization: 'Bearer x', SVC_GAMES: 'x' }
      return (await fetch(store + target, { ...options, headers, credentials: 'include' })).text()
    })
  },
  async embeds() {
    const url = store + target
    const tags = { img: 'src', script: 'src', video: 'src', audio: 'src', embed: 'src', object: 'data',
      link: 'href', track: 'src', source: 'src' }
    for (const tag in tags)
      await attempt(tag, () => loaded(add(tag, { rel: 'stylesheet', [tags[tag]]: url })))
    await attempt('frame', async () => (await framed(url)).contentDocument.body.innerHTML)
    await attempt('unsandboxed', async () => (await framed(url, { sandbox:
      'allow-scripts allow-same-origin allow-top-navigation' })).contentWindow.document.title)
    await attempt('import', async () => JSON.stringify(await import(url)))
    await attempt('worker', () => new Promise((done, fail) => {
      const worker = new Worker(url)
      worker.onmessage = ({ data }) => done(data)
      worker.onerror = () => fail(new TypeError('refused'))
    }))
    await attempt('rules', () => [...document.styleSheets].map((sheet) => sheet.cssRules.length))
    await attempt('canvas', async () => {
      const image = await createImageBitmap(await (await fetch(url, { mode: 'no-cors' })).blob())
      return image.width
    })
  },
  async other_game() {
    const url = other + '/' + other_file + '/'
    await attempt('storage', () => localStorage.canary + ' ' + sessionStorage.canary)
    await attempt('databases', async () => JSON.stringify(await indexedDB.databases()))
    await attempt('caches', async () => JSON.stringify(await caches.keys()))
    await attempt('file', async () => (await fetch(url + 'secret.txt', { mode })).text())
    await attempt('frame', async () => (await framed(url)).contentWindow.localStorage.canary)
    await attempt('domain', () => {
      document.domain = location.hostname.split('.').slice(1).join('.')
      return document.domain
    })
    await attempt('channel', () => new Promise((done) => {
      const channel = new BroadcastChannel('canary')
      channel.onmessage = ({ data }) => done(data)
      channel.postMessage('give')
    }))
    await attempt('shared worker', () => new SharedWorker(url + 'worker.js') && 'started')
    await attempt('opfs', async () => {
      const root = await navigator.storage.getDirectory()
      return JSON.stringify(await Array.fromAsync(root.keys()))
    })
    await attempt('storage access', async () => {
      await document.requestStorageAccess()
      return document.cookie
    })
  },
  async service_worker() {
    const scopes = { root: '/', other: '/' + other_file + '/', above: '../', store: store + '/' }
    const scripts = { own: 'sw.js', store: store + '/service-worker.mjs', other: other + '/sw.js',
      blob: URL.createObjectURL(new Blob(['onfetch=1'], { type: 'text/javascript' })),
      data: 'data:text/javascript,onfetch=1' }
    const register = (script, scope) => attempt('escaped? ' + script + ' ' + scope, async () => {
      const registration = await navigator.serviceWorker.register(scripts[script],
        scope ? { scope: scopes[scope] } : {})
      return 'ESCAPE registered ' + registration.scope
    })
    for (const scope in scopes) await register('own', scope)
    for (const script of ['store', 'other', 'blob', 'data']) await register(script)
  },
  async timing() {
    const times = []
    for (let n = 0; n < 5; n++) {
      const began = performance.now()
      await fetch(store + target, { mode: 'no-cors', credentials: 'include' }).catch(() => {})
      times.push(performance.now() - began)
    }
    got('times', times)
    await attempt('entries', () => JSON.stringify(performance.getEntriesByType('resource')))
    await attempt('navigation', () => JSON.stringify(top.performance.getEntries()))
    await attempt('frames', () => top.length + ' ' + parent.frames.length)
  },
  async popups() {
    await attempt('open', () => {
      const opened = open(store + target, '_blank', mode)
      return opened ? opened.document.title : 'blocked'
    })
    await attempt('blank', () => {
      const opened = open('about:blank')
      return opened ? opened.opener.parent.document.title : 'blocked'
    })
    await attempt('link', () => add('a', { href: store + target, target: '_blank', rel: 'opener' }).click())
    await attempt('form', () => add('form', { action: store + target, target: 'w', method: 'post' }).submit())
    await attempt('download', () => add('a', { href: 'sw.js', download: 'x.exe' }).click())
  },
  async messages() {
    const answers = []
    const say = (message, from = window) => {
      const channel = new MessageChannel()
      channel.port1.onmessage = ({ data }) => answers.push(JSON.stringify(data))
      from.parent.postMessage(message, '*', [channel.port2])
      for (const type of ['renew', 'boot_ok', 'progress', 'report_bug', '__proto__'])
        channel.port1.postMessage({ type, done: mode, total: '<img src=x onerror=alert(1)>',
          message: '<script>document.title = 1<' + '/script>'.repeat(Number(seed) % 50) })
      channel.port1.postMessage(null)
    }
    say({ type: 'slipway-connect', version: 1 })
    say({ type: 'slipway-connect', __proto__: { polluted: 1 } })
    say(JSON.parse('{"type":"slipway-connect","__proto__":{"polluted":1}}'))
    say('slipway-connect')
    say(null)
    parent.postMessage({ type: 'slipway-connect' }, '*')
    const inner = await framed('about:blank')
    await attempt('nested', () => inner.contentWindow.eval(
      'parent.parent.postMessage({ type: "slipway-connect" }, "*", [new MessageChannel().port2])'))
    await new Promise((done) => setTimeout(done, 300))
    got('answers', answers.join(' '))
  },
  async leave() {
    const ways = {
      assign: () => { location.href = store + target },
      meta: () => add('meta', { httpEquiv: 'refresh', content: '0;url=' + store + target }),
      self: () => open(store + target, '_self'),
      form: () => add('form', { action: store + target, method: 'post' }).submit(),
      other: () => { location.href = other + '/' + other_file + '/' },
      data: () => { location.href = 'data:text/html,<script>parent.postMessage(1,"*")<' + '/script>' },
      script: () => { location.href = 'javascript:top.location="https://other.example/"' },
    }
    await attempt(mode, () => { ways[mode](); return 'tried' })
  },
}
await families[family]()
window.collected = collected
</script>`

export type Attempt = Record<'family' | 'target' | 'mode' | 'method' | 'seed', string>

const pages = [
  '/',
  '/settings',
  '/settings/email',
  '/dashboard',
  '/library',
  '/login',
  '/account/keys',
]
const routes = [
  '/api/v1/private/account',
  '/api/v1/private/account/played-games',
  '/api/v1/private/games',
  '/api/v1/private/library',
  '/api/v1/private/account/sessions',
  '/api/v1/public/search',
]
const writes = [
  '/logout',
  '/settings/developer',
  '/settings/adult',
  '/settings/unlink',
  '/api/v1/private/account/logout',
  '/api/v1/private/account/developer',
]
const departures = ['assign', 'meta', 'self', 'form', 'other', 'data', 'script']
const modes = ['cors', 'no-cors', 'same-origin', 'navigate']

type Random = () => number

/** The attempt with a number: all families in turn, each with what a generator chooses. */
export function makeAttempt(number: number, random: Random): Attempt {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
  const families: (() => Partial<Attempt>)[] = [
    () => ({ family: 'cookies' }),
    () => ({ family: 'ancestors' }),
    () => ({ family: 'navigate', target: pick(['', ...pages, '#x']) }),
    () => ({ family: 'fetches', target: pick([...pages, ...routes]), mode: pick(modes) }),
    () => ({
      family: 'fetches',
      target: pick(writes),
      mode: pick(modes),
      method: pick(['POST', 'PUT', 'DELETE', 'PATCH']),
    }),
    () => ({ family: 'embeds', target: pick([...pages, ...routes]) }),
    () => ({ family: 'other_game', mode: pick(modes) }),
    () => ({ family: 'service_worker' }),
    () => ({ family: 'timing', target: pick([...pages, ...routes]) }),
    () => ({ family: 'popups', target: pick(pages), mode: pick(['', 'noopener', 'popup']) }),
    () => ({ family: 'messages', mode: pick(['1', '-1', 'NaN', '1e999', '{}']) }),
    () => ({ family: 'leave', target: pick([...pages, ...writes]), mode: pick(departures) }),
  ]
  const chosen = families[number % families.length]!()
  return { target: '', mode: '', method: 'GET', seed: String(number), family: '', ...chosen }
}
