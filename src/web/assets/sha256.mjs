/** SHA-256 in pieces: the browser's own takes only what fits into memory at once. */
const K = new Int32Array(64)
const START = new Int32Array(8)
// The fractions of the square and cube roots of the first primes.
for (let n = 2, found = 0; found < 64; n++) {
  let prime = true
  for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false
  if (!prime) continue
  if (found < 8) START[found] = (Math.sqrt(n) % 1) * 2 ** 32
  K[found++] = (Math.cbrt(n) % 1) * 2 ** 32
}

export function sha256() {
  const state = START.slice()
  const block = new Uint8Array(64)
  const words = new Int32Array(64)
  let filled = 0
  let length = 0

  function take(bytes, at) {
    for (let i = 0; i < 16; i++, at += 4)
      words[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
    for (let i = 16; i < 64; i++) {
      const a = words[i - 15]
      const b = words[i - 2]
      const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3)
      const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10)
      words[i] = words[i - 16] + s0 + words[i - 7] + s1
    }
    let a = state[0]
    let b = state[1]
    let c = state[2]
    let d = state[3]
    let e = state[4]
    let f = state[5]
    let g = state[6]
    let h = state[7]
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + words[i]) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d
    state[4] += e
    state[5] += f
    state[6] += g
    state[7] += h
  }

  function update(bytes) {
    length += bytes.length
    let at = 0
    if (filled) {
      const more = Math.min(64 - filled, bytes.length)
      block.set(bytes.subarray(0, more), filled)
      filled += more
      at = more
      if (filled < 64) return
      take(block, 0)
      filled = 0
    }
    for (; at + 64 <= bytes.length; at += 64) take(bytes, at)
    block.set(bytes.subarray(at))
    filled = bytes.length - at
  }

  function hex() {
    const bits = length * 8
    const end = new Uint8Array(filled < 56 ? 64 - filled : 128 - filled)
    end[0] = 0x80
    new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(bits))
    update(end)
    return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  return { update, hex }
}

const SLICE = 4 * 1024 * 1024

/** The checksum of a file, read slice by slice; tells how far it is, and stops when told. */
export async function checksumOf(file, progress, signal) {
  const hash = sha256()
  for (let at = 0; at < file.size; at += SLICE) {
    signal?.throwIfAborted()
    hash.update(new Uint8Array(await file.slice(at, at + SLICE).arrayBuffer()))
    progress(Math.min(1, (at + SLICE) / file.size))
  }
  return hash.hex()
}
