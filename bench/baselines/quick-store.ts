import { createServer } from 'node:http'
import { listen } from '../support/baseline.ts'

/**
 * An external store that answers at once: every ticket is valid and every account owns everything.
 */
const ACCOUNT = '76561198000000001'
const answers: Record<string, unknown> = {
  AuthenticateUserTicket: {
    response: {
      params: {
        result: 'OK',
        steamid: ACCOUNT,
        ownersteamid: ACCOUNT,
        vacbanned: false,
        publisherbanned: false,
      },
    },
  },
  CheckAppOwnership: {
    appownership: { ownsapp: true, permanent: true, ownersteamid: ACCOUNT, result: 'OK' },
  },
  GetPartnerAppListForWebAPIKey: {
    applist: { apps: { app: [{ appid: 1, app_type: 'game', app_name: 'Bench' }] } },
  },
}
const bytes = Object.entries(answers).map(([name, value]) => [name, JSON.stringify(value)] as const)
const server = createServer((request, response) => {
  const body = bytes.find(([name]) => request.url?.includes(name))?.[1] ?? '{}'
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
await listen(server, '')
