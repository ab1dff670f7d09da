import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addresses, ConfigError, readConfig } from '../../../src/core/runtime/config.ts'

test('every setting has a working default', () => {
  const config = readConfig({})
  assert.equal(config.port, 8080)
  assert.equal(config.host, '127.0.0.1')
  assert.deepEqual(config.roles, ['api', 'upload', 'worker', 'web'])
  assert.match(config.data_dir, /\/\.data$/)
  assert.equal(config.database_url, undefined)
})

test('reports all invalid variables at once, without their values', () => {
  const env = {
    PORT: '99999',
    SLIPWAY_ROLES: 'api,cook',
    DATABASE_URL: 'mysql://user:hunter2@x/y',
    REDIS_URL: 'nonsense',
    BASE_URL: 'https://x.example/path',
    PROXY_HOPS: '-1',
    LOG_LEVEL: 'loud',
    SECRETS_KEY: 'hunter2',
  }
  assert.throws(
    () => readConfig(env),
    (error: Error) => {
      assert.ok(error instanceof ConfigError)
      for (const name of Object.keys(env))
        assert.match(error.message, new RegExp(`^  ${name} must be `, 'm'))
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

test('rejects a highest price below the lowest', () => {
  const { fixed_settings } = readConfig({ MIN_PRICE_CENTS: '500', MAX_PRICE_CENTS: '500' })
  assert.deepEqual(fixed_settings, { min_price_cents: 500, max_price_cents: 500 })
  assert.throws(
    () => readConfig({ MIN_PRICE_CENTS: '501', MAX_PRICE_CENTS: '500' }),
    /MAX_PRICE_CENTS must be at least MIN_PRICE_CENTS/,
  )
})

test('accepts numbers at their bounds and rejects them beyond', () => {
  assert.equal(readConfig({ PORT: '0' }).port, 0)
  assert.equal(readConfig({ PORT: '65535' }).port, 65535)
  for (const PORT of ['65536', '-1', '80.5', '0x50', 'eighty'])
    assert.throws(() => readConfig({ PORT }), /PORT must be a whole number from 0 to 65535/)
})

test('treats an empty or blank variable as unset', () => {
  assert.equal(readConfig({ PORT: '', HOST: '  ' }).port, 8080)
})

test('metrics can be turned off', () => {
  assert.equal(readConfig({ METRICS_PORT: 'off' }).metrics_port, undefined)
  assert.equal(readConfig({}).metrics_port, 9464)
})

test('each address defaults to BASE_URL, and that to the address of the server', () => {
  assert.deepEqual(addresses(readConfig({}), 'http://127.0.0.1:1'), {
    base_url: 'http://127.0.0.1:1',
    upload_url: 'http://127.0.0.1:1',
    web_url: 'http://127.0.0.1:1',
    issuer: 'http://127.0.0.1:1',
    mcp_auth_url: 'http://127.0.0.1:1',
    play_url: 'http://*.play.localhost:1',
  })
  const set = addresses(
    readConfig({ BASE_URL: 'https://api.example/', UPLOAD_URL: 'https://up.example' }),
    'http://127.0.0.1:1',
  )
  assert.deepEqual(set, {
    base_url: 'https://api.example',
    upload_url: 'https://up.example',
    web_url: 'https://api.example',
    issuer: 'https://api.example',
    mcp_auth_url: 'https://api.example',
    play_url: undefined,
  })
})

test('games are played on this machine, or on the origins of PLAY_URL', () => {
  const playUrl = (env: Record<string, string>) =>
    addresses(readConfig(env), 'http://127.0.0.1:8080').play_url
  assert.equal(playUrl({ WEB_URL: 'http://localhost:8080' }), 'http://*.play.localhost:8080')
  assert.equal(playUrl({ WEB_URL: 'https://store.example' }), undefined)
  const set = { WEB_URL: 'https://store.example', PLAY_URL: 'https://*.play.example/' }
  assert.equal(playUrl(set), 'https://*.play.example')
  for (const wrong of [
    'https://play.example',
    'https://*.*.example',
    'https://a.*.example',
    'https://*.play.example/games',
    'ftp://*.play.example',
    '*.play.example',
  ])
    assert.throws(() => playUrl({ PLAY_URL: wrong }), /PLAY_URL must be/, wrong)
  const PLAY_URL = 'https://*.store.example'
  for (const name of ['BASE_URL', 'WEB_URL', 'UPLOAD_URL', 'MCP_AUTH_URL'])
    for (const host of ['www.store.example', 'store.example'])
      assert.throws(
        () => playUrl({ PLAY_URL, [name]: `https://${host}` }),
        /covers an address of the store/,
        `${name} ${host}`,
      )
  assert.equal(playUrl({ PLAY_URL, WEB_URL: 'https://otherstore.example' }), PLAY_URL)
})
