import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'

/**
 * A program of its own that reads an SVG image and writes it as a square PNG. The decoder of SVG is
 * blocked in the service, where it would also be offered bytes that players upload.
 */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
const side = Number(process.argv[2])
const png = await sharp(await buffer(process.stdin), { limitInputPixels: 4 * side * side })
  .resize({ width: side, height: side, fit: 'contain', background: '#0000' })
  .png()
  .toBuffer()
process.stdout.write(png)
