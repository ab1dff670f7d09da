const POLYNOMIAL = 0xedb88320

let table: Uint32Array | undefined

/** For releases of Node without a crc32 of their own. */
export function slowCrc32(bytes: Uint8Array, before = 0): number {
  table ??= Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n
    for (let k = 0; k < 8; k++) c = c & 1 ? POLYNOMIAL ^ (c >>> 1) : c >>> 1
    return c >>> 0
  })
  let crc = ~before
  for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}

/** The checksum of two concatenated blocks, from the checksums of each. */
export function combineCrc32(first: number, second: number, second_length: number): number {
  let crc = first
  // x^(8·length) modulo the polynomial, by squaring.
  let power = 0x00800000
  for (let rest = second_length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2) crc = multiply(power, crc)
    power = multiply(power, power)
  }
  return (crc ^ second) >>> 0
}

/** The product of two polynomials over GF(2), modulo the polynomial, with reflected bits. */
function multiply(a: number, b: number): number {
  let product = 0
  let factor = b
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= factor
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1
  }
  return product >>> 0
}
