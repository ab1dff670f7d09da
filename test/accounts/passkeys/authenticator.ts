import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** An authenticator in software, with what tests change to forge an answer. */
export type Overrides = {
  origin?: string
  rp_id?: string
  challenge?: string
  user_verified?: boolean
  type?: string
  /** Signs instead of the key of the passkey. */
  private_key?: KeyObject
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** The head of a CBOR item. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Uint8Array) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (entries: [Buffer, Buffer][]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])

const PRESENT = 1
const VERIFIED = 4
const HAS_KEY = 64

export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
  const cose_key = map([
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  ])
  let counter = 0

  function authenticatorData(over: Overrides, key?: Buffer): Buffer {
    const flags = PRESENT | ((over.user_verified ?? true) ? VERIFIED : 0) | (key ? HAS_KEY : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    const attested = key ? [Buffer.alloc(16), Buffer.from([0, id.length]), id, key] : []
    const rp_id = over.rp_id ?? new URL(origin).hostname
    return Buffer.concat([sha256(rp_id), Buffer.from([flags]), count, ...attested])
  }
  const clientData = (type: string, challenge: string, over: Overrides) =>
    Buffer.from(
      JSON.stringify({
        type: over.type ?? type,
        challenge: over.challenge ?? challenge,
        origin: over.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const envelope = { id: base64url(id), rawId: base64url(id), type: 'public-key' }

  return {
    id: envelope.id,
    /** The answer to the options of a new passkey. */
    create({ challenge }: { challenge: string }, over: Overrides = {}) {
      const attestation = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(authenticatorData(over, cose_key))],
      ])
      const response = {
        clientDataJSON: base64url(clientData('webauthn.create', challenge, over)),
        attestationObject: base64url(attestation),
      }
      return { ...envelope, response, clientExtensionResults: {} }
    },
    /** The answer to the options of a sign-in. */
    answer({ challenge }: { challenge: string }, over: Overrides = {}) {
      const data = authenticatorData(over)
      const client = clientData('webauthn.get', challenge, over)
      const signed = Buffer.concat([data, sha256(client)])
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', signed, over.private_key ?? privateKey)),
      }
      return { ...envelope, response, clientExtensionResults: {} }
    },
  }
}

export const strangersKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
