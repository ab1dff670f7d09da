import { anyone, route } from '../core/http/route.ts'
import { perIp } from '../core/security/limits.ts'
import { bundleUploader } from './uploader-bundle.ts'

const made = new Map<string, Promise<string>>()

/** Made once, when it is first asked for; it knows the server it came from. */
function uploader(api_url: string, upload_url: string): Promise<string> {
  const key = `${api_url} ${upload_url}`
  const bundle = made.get(key) ?? bundleUploader({ api_url, upload_url })
  made.set(key, bundle)
  bundle.catch(() => made.delete(key))
  return bundle
}

export const uploaderRoute = route({
  method: 'GET',
  url: '/cli/slipway.mjs',
  summary: 'The uploader: one file that runs on Node 20 and newer and publishes to this server',
  role: 'web',
  auth: anyone,
  limits: [perIp(120)],
  cache: 'public, max-age=300',
  envelope: false,
  produces: 'text/javascript',
  async handle({ core: { addresses }, reply }) {
    const text = await uploader(`${addresses.base_url}/api/v1`, `${addresses.upload_url}/api/v1`)
    return reply.type('text/javascript; charset=utf-8').send(text)
  },
})
