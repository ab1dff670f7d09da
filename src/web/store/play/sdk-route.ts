import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyone, route } from '../../../core/http/route.ts'
import { perIp } from '../../../core/security/limits.ts'

const file = join(import.meta.dirname, '../../../../sdk/play.js')
let source: string | undefined
/** The line of the source that names the store. */
const STORE = /^( *const STORE = )'[^']*'$/m

/** Games include a copy of it, so it has the address of the store that they may talk to. */
export const playSdkRoute = route({
  method: 'GET',
  url: '/sdk/play.js',
  summary: 'Download the script that games in the browser include, set up for this store',
  role: 'web',
  auth: anyone,
  limits: [perIp(120)],
  cache: 'public, max-age=300',
  cors: true,
  envelope: false,
  produces: 'text/javascript',
  handle({ core: { addresses }, reply }) {
    source ??= readFileSync(file, 'utf8')
    const text = source.replace(STORE, `$1'${new URL(addresses.web_url).origin}'`)
    return reply.type('text/javascript; charset=utf-8').send(text)
  },
})
