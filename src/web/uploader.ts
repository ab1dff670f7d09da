import { anyone, route } from '../core/http/route.ts'
import { perIp } from '../core/security/limits.ts'
import { bundleUploader } from './uploader-bundle.ts'

const bundles = new Map<string, Promise<string>>()

/** Bundled when it is first requested, with the addresses of this server built in. */
function uploader(api_url: string, upload_url: string): Promise<string> {
  const key = `${api_url} ${upload_url}`
  const bundle = bundles.get(key) ?? bundleUploader({ api_url, upload_url })
  bundles.set(key, bundle)
  bundle.catch(() => bundles.delete(key))
  return bundle
}

export const uploaderRoute = route({
  method: 'GET',
  url: '/cli/slipway.mjs',
  summary: 'Download the uploader: one file for Node 20 or newer, set up for this server',
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
