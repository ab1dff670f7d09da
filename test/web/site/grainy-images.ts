import sharp from 'sharp'
import type { Core } from '../../../src/core/runtime/core.ts'
import { earlySizes } from '../../../src/listings/renditions/rendition-rules.ts'
import { makeRenditions } from '../../../src/listings/renditions/store.ts'
import { noisyPng } from '../../listings/media/rendition-fixtures.ts'

type Size = readonly [width: number, height: number]

/**
 * Cuts grainy images of these sizes out of one, each at another place. Drawing and compressing each
 * of them takes several times as long.
 */
export async function grainyPngs(sizes: readonly Size[]): Promise<Buffer[]> {
  const width = Math.max(...sizes.map(([width]) => width)) + sizes.length
  const height = Math.max(...sizes.map(([, height]) => height)) + sizes.length
  const { data, info } = await sharp(await noisyPng({ width, height }))
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Promise.all(
    sizes.map(([width, height], nth) =>
      sharp(data, { raw: info })
        .extract({ left: nth, top: nth, width, height })
        .png({ compressionLevel: 1 })
        .toBuffer(),
    ),
  )
}

/** Makes what the job makes of an upload, but only of the images that a test looks at. */
export async function renditionsOf(
  { core }: { core: Core },
  sha256s: readonly string[],
  sizes = earlySizes,
) {
  const { signal } = new AbortController()
  for (const sha256 of sha256s) await makeRenditions(core, sha256, sizes, signal)
}
