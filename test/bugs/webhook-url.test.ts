import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  const { own_ports } = webhookRules({ config: readConfig(settings), addresses: {} as never })
  for (const port of [5001, 5432, 9000, 9001, 6379, 3310, 465])
    assert.ok(own_ports.has(port), String(port))
})
