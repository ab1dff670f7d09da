import { startExtstore } from './extstore.ts'
import { DEMO_APP, DEMO_KEY, populate } from './extstore-world.ts'

/** `npm run sim` starts a simulated store until Ctrl-C. `npm run sim -- 9000` sets the port. */
const port = Number(process.argv[2] ?? 8095)
const store = await startExtstore({ port })
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
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))
