import sharp from 'sharp'

/**
 * The child process that renders images. The service refuses SVG in its own process, and the demo
 * does not change that.
 */
export type RenderRequest = { id: number; svg: string }
export type RenderResult = { id: number; bytes?: Uint8Array; error?: string }

process.on('message', async ({ id, svg }: RenderRequest) => {
  try {
    // Few colors keep the whole catalog small.
    const bytes = await sharp(Buffer.from(svg))
      .png({ palette: true, colours: 160, effort: 2, dither: 0.5 })
      .toBuffer()
    process.send?.({ id, bytes } satisfies RenderResult)
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies RenderResult)
  }
})
process.on('disconnect', () => process.exit(0))
