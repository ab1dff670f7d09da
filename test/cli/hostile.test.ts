import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { hints } from '../../cli/errors.ts'
import { temporaryFolder } from '../support/app.ts'
import { picture } from '../support/images.ts'
import { listen } from '../support/listen.ts'
import { zip } from '../uploads/zips.ts'
import { largeGame, type Options, slipway, tree } from './slipway.ts'

const SECRET = 'svc_dsk_a-secret-that-nobody-may-see'
const ACCESS = 'svc_dat_an-access-token'

/** A web server with these answers, which records the requests. */
async function serve(t: TestContext, answer: RequestListener) {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const received = { method: method!, url: url!, headers, bytes: 0 }
    requests.push(received)
    request.on('data', (piece) => {
      received.bytes += piece.length
    })
    request.on('error', () => {})
    answer(request, response)
  })
  const port = await listen(t, server)
  return { requests, port, url: `http://127.0.0.1:${port}/api/v1` }
}
type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; bytes: number }

const runWith = (url: string, args: string[] = ['info'], { env, ...options }: Options = {}) =>
  slipway([...args, '--json'], {
    ...options,
    env: { SVC_API_URL: url, SVC_ACCESS_TOKEN: ACCESS, SVC_SECRET_KEY: SECRET, ...env },
  })

const json =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))
  }
const failing = (status: number, code: number, message = 'no') =>
  json(status, { success: false, error: { code, message } })

test('requests have credentials and a user agent, and only an envelope is a success', async (t) => {
  const { url, requests } = await serve(t, json(200, { success: true, data: { name: 'Game' } }))
  const result = await runWith(`${url}///`)
  assert.deepEqual([result.code, result.json], [0, { ok: true, info: { name: 'Game' } }])
  const [{ headers, ...rest }] = requests as [ReceivedRequest]
  assert.deepEqual(rest, { method: 'GET', url: '/api/v1/tool/info', bytes: 0 })
  assert.deepEqual(
    [headers['x-access-token'], headers['x-secret-key'], headers.accept],
    [ACCESS, SECRET, 'application/json'],
  )
  assert.match(headers['user-agent']!, /^slipway\/\d+\.\d+\.\d+$/)
  for (const body of [
    { success: true, data: [] },
    { success: false, data: {} },
    { data: {} },
    [],
    null,
  ])
    assert.equal(
      (await runWith((await serve(t, json(200, body))).url)).code,
      2,
      JSON.stringify(body),
    )
})

test('a refusal is reported with code, status and hint, and not retried', async (t) => {
  const { url, requests } = await serve(t, failing(404, 4039, 'Build not found; register it first'))
  const { code, json: answer } = await runWith(url)
  assert.deepEqual([code, requests.length], [2, 1])
  const { hint, ...rest } = answer
  assert.deepEqual(rest, {
    ok: false,
    exit_code: 2,
    error: 'Build not found; register it first',
    code: 4039,
    status: 404,
  })
  assert.match(hint, /slipway build/)
  const people = await slipway(['info'], {
    env: { SVC_API_URL: url, SVC_ACCESS_TOKEN: ACCESS, SVC_SECRET_KEY: SECRET },
  })
  assert.match(
    people.stderr,
    /^API error \[4039\]: Build not found; register it first\n {2}hint: register the build first/,
  )
  assert.equal(people.stdout, '')
  for (const code of [
    4025, 4026, 4037, 4038, 4039, 4041, 4043, 4044, 4045, 4046, 4049, 4096, 4150, 4151, 4152, 4153,
    4154, 4166, 4290, 4291,
  ])
    assert.ok(hints[code], String(code))
})

test('transient failures are retried up to five attempts', async (t) => {
  for (const [status, code] of [
    [429, 4290],
    [500, 5000],
    [503, 5031],
  ] as const) {
    const { url, requests } = await serve(t, failing(status, code))
    assert.deepEqual([(await runWith(url)).code, requests.length], [2, 5])
  }
  let calls = 0
  const { url } = await serve(t, (request, response) =>
    (++calls < 5 ? failing(502, 5000) : json(200, { success: true, data: {} }))(request, response),
  )
  assert.equal((await runWith(url)).code, 0)
})

test('a hanging, resetting or unreachable server is an error after five attempts', async (t) => {
  let connections = 0
  const tcp = async (behave: (socket: Socket) => void) => {
    const server = createTcpServer((socket) => {
      connections++
      socket.on('error', () => {})
      behave(socket)
    })
    connections = 0
    return `http://127.0.0.1:${await listen(t, server)}/api/v1`
  }
  const hanging = await runWith(await tcp(() => {}), ['info'], {
    env: { SLIPWAY_TIMEOUT_SECONDS: '0.2' },
  })
  assert.deepEqual([hanging.code, hanging.json.exit_code, connections], [3, 3, 5])
  assert.match(hanging.json.error, /sent no data/)
  const half = await runWith(
    await tcp((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a"')),
    ['info'],
    {
      env: { SLIPWAY_TIMEOUT_SECONDS: '0.2' },
    },
  )
  assert.deepEqual([half.code, connections], [3, 5])
  const reset = await runWith(
    await tcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
  )
  assert.deepEqual([reset.code, connections], [3, 5])
  const nonsense = await runWith(await tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')))
  assert.deepEqual([nonsense.code, connections], [3, 1])
  assert.match(nonsense.json.error, /does not speak HTTP/)
  const nobody = await runWith('http://127.0.0.1:9/api/v1')
  assert.equal(nobody.code, 3)
  assert.match(nobody.json.hint, /is the server running/)
  assert.equal(nobody.stderr.split('retrying in').length, 5)
})

test('a web page as answer is reported, and an overlong answer is not read', async (t) => {
  const page =
    (status: number): RequestListener =>
    (_request, response) =>
      response
        .writeHead(status, { 'content-type': 'text/html' })
        .end('<html><title>Bad \x1b[31mGateway</title></html>')
  const forbidden = await runWith((await serve(t, page(403))).url)
  assert.deepEqual(
    [forbidden.code, forbidden.json.status, 'code' in forbidden.json],
    [2, 403, false],
  )
  assert.match(forbidden.json.error, /HTTP 403 with a web page: Bad .*Gateway/)
  assert.doesNotMatch(forbidden.json.error, /\x1b/)
  const gateway = await serve(t, page(502))
  assert.deepEqual([(await runWith(gateway.url)).code, gateway.requests.length], [2, 5])
  assert.equal((await runWith((await serve(t, page(200))).url)).code, 2)
  const endless = await serve(t, (_request, response) => {
    response.writeHead(200)
    const more = () => {
      while (response.writable && response.write(Buffer.alloc(65_536, ' ')));
      response.once('drain', more)
    }
    more()
  })
  assert.match((await runWith(endless.url)).json.error, /larger than 8 MiB/)
})

test('redirects keep the key on the same host, never use plain http, and end at ten', async (t) => {
  const target = await serve(t, json(200, { success: true, data: { name: 'moved' } }))
  const other = await serve(t, (request, response) =>
    response.writeHead(302, { location: `${target.url}${request.url!.slice(7)}` }).end(),
  )
  const moved = await runWith(other.url)
  assert.equal(moved.json.info.name, 'moved')
  assert.deepEqual(
    [target.requests[0]!.headers['x-access-token'], target.requests[0]!.headers['x-secret-key']],
    [undefined, undefined],
  )
  const strict = await serve(t, failing(401, 4020, 'Send the deploy key'))
  const lost = await runWith(
    (
      await serve(t, (_request, response) =>
        response.writeHead(307, { location: strict.url }).end(),
      )
    ).url,
  )
  assert.equal(lost.code, 2)
  assert.match(
    lost.json.hint,
    /redirects to 127\.0\.0\.1:\d+, which does not get your key; use --url/,
  )
  const plain = await serve(t, (_request, response) =>
    response.writeHead(301, { location: 'http://games.example.com/api/v1' }).end(),
  )
  const rejected = await runWith(plain.url)
  assert.deepEqual([rejected.code, plain.requests.length], [3, 1])
  assert.match(rejected.json.error, /redirects to plain http \(games\.example\.com\)/)
  const loop = await serve(t, (request, response) =>
    response.writeHead(302, { location: request.url! }).end(),
  )
  assert.deepEqual([(await runWith(loop.url)).code, loop.requests.length], [3, 11])
  const same = await serve(t, (request, response) =>
    request.url!.endsWith('/x')
      ? json(200, { success: true, data: {} })(request, response)
      : response.writeHead(308, { location: '/api/v1/x' }).end(),
  )
  assert.equal((await runWith(same.url)).code, 0)
  assert.equal(
    same.requests[1]!.headers['x-secret-key'],
    SECRET,
    'the same host did not get the key',
  )
})

test('a redirected upload is sent again, and refused if its method would change', async (t) => {
  const folder = tree(t, { 'a.exe': 'x'.repeat(100_000) })
  const TMPDIR = temporaryFolder(t)
  const server = (status: number) =>
    serve(t, (request, response) => {
      const ok = (data: unknown, code = 200) =>
        json(code, { success: true, data })(request, response)
      if (request.url!.endsWith('/tool/info')) return ok({})
      if (request.url!.endsWith('/upload/build'))
        return ok({ build_id: '0198c0de-0000-7000-8000-000000000000' })
      request.on('end', () =>
        request.url!.endsWith('/there')
          ? ok({ file_uid: 'f' }, 201)
          : response.writeHead(status, { location: '/there' }).end(),
      )
    })
  const redirecting = await server(307)
  const args = ['push', folder, '--version', '1', '--os', 'windows']
  const sent = await runWith(redirecting.url, args, { env: { TMPDIR } })
  assert.equal(sent.code, 0, sent.stderr)
  const [first, second] = redirecting.requests.filter(({ bytes }) => bytes > 100)
  assert.equal(first!.headers['content-length'], String(first!.bytes))
  assert.equal(first!.headers['transfer-encoding'], undefined)
  assert.equal(second!.bytes, first!.bytes)
  const changed = await runWith((await server(302)).url, args, { env: { TMPDIR } })
  assert.equal(changed.code, 3)
  assert.match(changed.json.error, /redirects POST requests/)
  assert.deepEqual(readdirSync(TMPDIR), [])
})

test('a secret echoed by the server appears in no output', async (t) => {
  const { url } = await serve(t, (request, response) =>
    failing(
      400,
      4026,
      `you sent ${request.headers['x-secret-key']} and ${ACCESS}`,
    )(request, response),
  )
  assert.equal((await runWith(url)).json.error, 'you sent *** and ***')
  const page = await serve(t, (request, response) =>
    response.writeHead(500).end(`<p>${request.headers['x-secret-key']}</p>`),
  )
  const people = await slipway(['info'], {
    env: { SVC_API_URL: page.url, SVC_ACCESS_TOKEN: ACCESS, SVC_SECRET_KEY: SECRET },
  })
  assert.doesNotMatch(people.stdout + people.stderr, /may-see/)
  assert.match(people.stderr, /\*\*\*/)
})

test('an invalid command line does not print the secret', async () => {
  const env = { SVC_ACCESS_TOKEN: ACCESS, SVC_SECRET_KEY: SECRET }
  for (const args of [
    ['info', SECRET],
    [ACCESS],
    ['--secret', 'one-on-the-command-line', 'one-on-the-command-line'],
    ['--secret=one-on-the-command-line', 'info', 'one-on-the-command-line'],
  ]) {
    const { code, stderr } = await slipway(args, { env })
    assert.equal(code, 1)
    assert.match(stderr, /"\*\*\*"/)
    assert.doesNotMatch(stderr, /may-see|an-access|on-the-command/)
  }
})

const BUILD = '0198c0de-0000-7000-8000-000000000000'

/** A server that knows a game and registers builds; `rest` answers all other requests. */
const serveGame = (
  t: TestContext,
  build: unknown,
  rest: (
    path: string,
    ok: (data: unknown) => void,
    no: (status: number, code: number) => void,
  ) => void,
) =>
  serve(t, (request, response) => {
    const ok = (data: unknown) => json(200, { success: true, data })(request, response)
    const no = (status: number, code: number) => failing(status, code)(request, response)
    if (request.url!.endsWith('/tool/info')) return ok({})
    if (request.url!.endsWith('/upload/build')) return ok(build)
    if (request.url!.includes('/tool/builds/')) return ok({ files: [] })
    if (request.method === 'GET') return rest(request.url!, ok, no)
    request.on('end', () => rest(request.url!, ok, no))
  })

test('an invalid ID is not printed into lines that a CI sources', async (t) => {
  const folder = tree(t, { 'a.exe': 'x' })
  const push = async (build: unknown) =>
    runWith((await serveGame(t, build, (_path, ok) => ok({ file_uid: 'f' }))).url, [
      'push',
      folder,
      '--version',
      '1',
      '--os',
      'windows',
    ])
  const bad = await push({ build_id: 'x\nPATH=/tmp' })
  assert.deepEqual(
    [bad.code, bad.json.error],
    [2, 'the server registered the build but returned no build_id'],
  )
  assert.deepEqual(
    'app_id' in (await push({ build_id: BUILD, app_id: '$(reboot)' })).json.builds[0],
    false,
  )
  assert.equal((await push({ build_id: BUILD, app_id: BUILD })).json.builds[0].app_id, BUILD)
})

test('a file that disappears during the upload is reported at once', async (t) => {
  const path = join(temporaryFolder(t), 'game.zip')
  writeFileSync(path, zip([{ name: 'a.exe', body: 'x' }]))
  const { url, requests } = await serveGame(t, { build_id: BUILD }, (_path, _ok, no) => {
    rmSync(path, { force: true })
    no(503, 5030)
  })
  const result = await runWith(url, ['push', path, '--version', '1', '--os', 'windows'])
  assert.equal(result.code, 1, result.stderr)
  assert.match(result.json.error, /game\.zip changed while it was being uploaded/)
  const uploads = requests.filter((request) => request.url.endsWith('/upload/files'))
  assert.equal(uploads.length, 1)
})

test('waits while another process uploads a chunk of the same session', async (t) => {
  let busy = 7
  const { url } = await serveGame(t, { build_id: BUILD }, (path, ok, no) => {
    if (path.endsWith('/sessions')) return ok({ session_id: 's', current_size: 64 * 1024 * 1024 })
    return busy-- > 0 ? no(409, 4047) : ok({ file_uid: 'f' })
  })
  const env = { XDG_STATE_HOME: temporaryFolder(t) }
  const args = ['push', largeGame(t), '--version', '1', '--os', 'windows']
  const waited = await runWith(url, args, { env })
  assert.equal(waited.code, 0, waited.stderr)
  assert.equal(
    waited.stderr.split('another process is uploading the same file').length,
    2,
    'the message was not printed once',
  )
  busy = 1000
  const timed_out = await runWith(
    url,
    ['push', largeGame(t), '--version', '2', '--os', 'windows'],
    {
      env: { ...env, SLIPWAY_TIMEOUT_SECONDS: '0.5' },
    },
  )
  assert.deepEqual([timed_out.code, timed_out.json.code], [2, 4047])
})

test('an image that arrived despite a gateway error is not sent again', async (t) => {
  const gallery: unknown[] = []
  const { url } = await serve(t, (request, response) => {
    if (request.method === 'GET')
      return json(200, { success: true, data: { gallery } })(request, response)
    request.on('end', () => {
      gallery.push({ uid: BUILD, url: '/x', position: gallery.length })
      response.writeHead(502).end('<h1>Bad gateway</h1>')
    })
  })
  const folder = tree(t, { '1.png': await picture(1280, 720) })
  const { code, stderr } = await runWith(url, ['media', 'add', join(folder, '1.png')])
  assert.deepEqual([code, gallery.length], [0, 1], stderr)
})
