import { startExtstore } from './extstore.ts'
import { DEMO_APP, DEMO_KEY, populate } from './extstore-world.ts'
import { startPaymentSimulator } from './payments/server.ts'
import { DEMO_SECRET_KEY, DEMO_WEBHOOK_SECRET } from './payments/world.ts'

/**
 * `npm run sim` starts a simulated store until Ctrl-C. `npm run sim -- 9000` sets the port.
 * `npm run sim -- payments [port] [webhook URL]` starts a simulated payment provider instead.
 */
const USAGE = `Usage:
  npm run sim -- [port]                          a simulated store, on port 8095
  npm run sim -- payments [port] [webhook URL]   a simulated payment provider, on port 8096

Both run until Ctrl-C and print the settings that npm start needs. No money moves.
The webhook URL is http://127.0.0.1:8080/api/v1/payments/webhook by default.
`
const [first, ...rest] = process.argv.slice(2)
const port_text = first === 'payments' ? rest[0] : first
const webhook_text = first === 'payments' ? rest[1] : undefined
if ([first, ...rest].some((word) => word === '--help' || word === '-h')) {
  process.stdout.write(USAGE)
  process.exit(0)
}
if (!isPort(port_text) || (webhook_text !== undefined && !URL.canParse(webhook_text))) {
  process.stderr.write(USAGE)
  process.exit(2)
}
await (first === 'payments' ? simulatePayments(rest) : simulateStore(first))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))

function isPort(text = '0'): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
}

async function simulateStore(port = '8095') {
  const store = await startExtstore({ port: Number(port) })
  populate(store.world)
  process.stdout.write(`The simulated store. Start the service with it:

  EXTSTORE_API_URL=${store.url} \\
    EXTSTORE_OPENID_URL=${store.url}/openid \\
    EXTSTORE_STORE_URL=${store.url} \\
    EXTSTORE_PUBLIC_API_URL=${store.url} \\
    EXTSTORE_IMAGE_HOSTS=${new URL(store.url).host} npm start

Publisher key ${DEMO_KEY} covers app ${DEMO_APP}, whose page can be imported.
Issue tickets at ${store.url}/ and control the store with POST ${store.url}/sim/<verb>.
ready ${store.url}
`)
}

async function simulatePayments([port = '8096', webhook_url]: string[]) {
  const payments = await startPaymentSimulator({ port: Number(port) })
  const url = webhook_url ?? 'http://127.0.0.1:8080/api/v1/payments/webhook'
  payments.control.webhook({ url })
  process.stdout.write(`The simulated payment provider. Start the service with it:

  STRIPE_API_URL=${payments.url} \\
    STRIPE_SECRET_KEY=${DEMO_SECRET_KEY} \\
    STRIPE_WEBHOOK_SECRET=${DEMO_WEBHOOK_SECRET} npm start

Webhooks go to ${url}. No money moves.
Payments are listed at ${payments.url}/; control it with POST ${payments.url}/sim/<verb>.
ready ${payments.url}
`)
}
