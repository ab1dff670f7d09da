import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isChatWebhook } from '../../src/bugs/deliveries/chat-webhook.ts'
import { webhookRules } from '../../src/bugs/deliveries/webhook-url.ts'
import { readConfig } from '../../src/core/runtime/config.ts'

test('the ports of every configured server are refused as webhooks', () => {
  const settings = {
    DATABASE_URL: 'postgres://localhost:5001/slipway',
    DATABASE_REPLICA_URL: 'postgresql://127.0.0.1/slipway',
    S3_URL: 'http://key:secret@127.0.0.1:9000/bucket',
    S3_PUBLIC_URL: 'http://localhost:9001',
    REDIS_URL: 'rediss://127.0.0.1',
    CLAMD_URL: 'tcp://127.0.0.1',
    SMTP_URL: 'smtps://127.0.0.1',
  }
  const { own_ports } = webhookRules({
    config: readConfig(settings),
    addresses: {} as never,
    settings: { mail_server: { uid: '', local_port: 2525 } } as never,
  })
  for (const port of [5001, 5432, 9000, 9001, 6379, 3310, 465, 2525])
    assert.ok(own_ports.has(port), String(port))
})

test('webhooks to this machine are allowed only if nobody else reaches the service', () => {
  const isAllowed = (environment: Record<string, string>) =>
    webhookRules({
      config: readConfig(environment),
      addresses: {} as never,
      settings: { mail_server: null } as never,
    }).loopback
  for (const environment of [
    {},
    { HOST: '127.0.0.1' },
    { HOST: '127.0.0.2', BASE_URL: 'http://127.0.0.1:8080' },
    { HOST: 'localhost', BASE_URL: 'http://localhost:8080' },
    { HOST: '::1', BASE_URL: 'http://[::1]:8080', WEB_URL: 'http://127.0.0.1' },
    { HOST: '0.0.0.0', BASE_URL: 'https://store.example', WEBHOOK_LOOPBACK: 'on' },
  ] as Record<string, string>[])
    assert.equal(isAllowed(environment), true, JSON.stringify(environment))
  for (const environment of [
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '10.0.0.5' },
    { HOST: 'store.example' },
    { HOST: '127.0.0.1', BASE_URL: 'https://store.example' },
    { HOST: '127.0.0.1', BASE_URL: 'http://10.0.0.5' },
    { HOST: '127.0.0.1', BASE_URL: 'https://127.0.0.1.example' },
    { HOST: '127.0.0.1', BASE_URL: 'https://localhost.example' },
    { HOST: '127.0.0.1', WEB_URL: 'https://store.example' },
    { HOST: '127.0.0.1', UPLOAD_URL: 'https://upload.example' },
    { HOST: '0.0.0.0', BASE_URL: 'http://127.0.0.1:8080' },
    { WEBHOOK_LOOPBACK: 'off' },
  ] as Record<string, string>[])
    assert.equal(isAllowed(environment), false, JSON.stringify(environment))
})

test('every form of a chat webhook is recognized, and nothing that only looks like one', () => {
  const { chat_webhook_prefixes: prefixes } = readConfig({})
  const hook = 'webhooks/123456789012345678/a-token_of-the-hook'
  const hosts = ['discord.com', 'discordapp.com'].flatMap((host) =>
    ['', 'www.', 'ptb.', 'canary.'].map((site) => site + host),
  )
  for (const host of hosts)
    for (const path of ['api', 'api/v8', 'api/v10'])
      for (const end of ['', '/', '?thread_id=42', '?wait=true']) {
        const url = `https://${host}/${path}/${hook}${end}`
        assert.ok(isChatWebhook(url, prefixes), url)
      }
  assert.ok(isChatWebhook(`https://WWW.Discord.com/api/${hook}`, prefixes))
  for (const url of [
    `https://discord.com/${hook}`,
    `https://discord.com/api/v/${hook}`,
    `https://discord.com/api/v10/v10/${hook}`,
    `https://discord.com/api/vX/${hook}`,
    `https://other.discord.com/api/${hook}`,
    `https://www.ptb.discord.com/api/${hook}`,
    `https://discord.com.example/api/${hook}`,
    `https://www.example.com/api/v10/${hook}`,
    `https://example.com/?https://discord.com/api/${hook}`,
    `http://discord.com/api/${hook}`,
  ])
    assert.ok(!isChatWebhook(url, prefixes), url)
})
