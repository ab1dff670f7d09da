import { Type } from 'typebox'
import { anyone, route } from '../../core/http/route.ts'
import { publicKeys } from './signing-keys.ts'

const Text = Type.String()

export const jwksRoute = route({
  method: 'GET',
  url: '/.well-known/jwks.json',
  summary: 'The public keys that verify player tokens and update manifests',
  auth: anyone,
  envelope: false,
  cors: true,
  cache: 'public, max-age=3600',
  data: Type.Object({
    keys: Type.Array(
      Type.Object({ kty: Text, crv: Text, alg: Text, use: Text, kid: Text, x: Text }),
    ),
  }),
  handle: ({ core }) => ({ keys: publicKeys(core.secrets, new Date()) }),
})
