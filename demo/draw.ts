import sharp from 'sharp'

/**
 * The child process that renders images. The service refuses SVG in its own process, and the demo
 * does not change that.
 */
export type Order = { id: number; svg: string }
export type Drawn = { id: number; bytes?: Uint8Array; error?: string }

process.on('message', async ({ id, svg }: Order) => {
  try {
    // Few colors keep the whole catalog small.
    const bytes = await sharp(Buffer.from(svg))
      .png({ palette: true, colours: 160, effort: 2, dither: 0.5 })
      .toBuffer()
    process.send?.({ id, bytes } satisfies Drawn)
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies Drawn)
  }
})
process.on('disconnect', () => process.exit(0))
