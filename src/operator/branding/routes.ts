import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { readRequestBody } from '../../core/http/read-body.ts'
import { FileBytes, nameSchemas, OneOf, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import {
  type BrandImageKind,
  brandImageEndings,
  brandImageKinds,
  brandImagePath,
  brandKey,
} from '../../core/settings/brand-images.ts'
import { writeSetting } from '../../core/settings/queries.ts'
import { MAX_BRAND_IMAGE_BYTES, prepareBrandImage } from './prepare-image.ts'

const BRANDING = '/api/v1/private/operations/branding'
const CHANGES_PER_HOUR = 60

const BrandImageData = Type.Object({
  url: Type.String({ description: 'Its address, which changes with its content' }),
  type: OneOf(Object.keys(brandImageEndings) as (keyof typeof brandImageEndings)[]),
  width: Type.Integer({ description: 'In pixels' }),
  height: Type.Integer({ description: 'In pixels' }),
  sha256: Type.String(),
})
nameSchemas({ BrandImage: BrandImageData })

const BrandingData = Type.Object({
  logo: Type.Union([BrandImageData, Type.Null()], { description: 'Null for the default' }),
  favicon: Type.Union([BrandImageData, Type.Null()], {
    description: 'Null for the default',
  }),
})

function showImage({ settings, addresses }: Core, kind: BrandImageKind) {
  const image = settings.images[kind]
  if (!image) return null
  const { type, width, height, sha256 } = image
  return { url: addresses.web_url + brandImagePath(kind, image), type, width, height, sha256 }
}

const showBranding = (core: Core) => ({
  logo: showImage(core, 'logo'),
  favicon: showImage(core, 'favicon'),
})

export const readBrandingRoute = route({
  method: 'GET',
  url: BRANDING,
  summary: 'For operators: the logo and the favicon of the store',
  auth: operator,
  limits: [perAccount(60)],
  data: BrandingData,
  handle: ({ core }) => showBranding(core),
})

const imageLimits = [perAccount(CHANGES_PER_HOUR, { seconds: HOUR, bucket: 'branding images' })]
const params = Type.Object({ kind: Type.String({ description: 'logo or favicon' }) })
const described_params = { kind: OneOf(brandImageKinds, { description: 'Which image' }) }
const kindOf = (kind: string): BrandImageKind =>
  brandImageKinds.find((name) => name === kind) ?? refuse('NOT_FOUND')

export const uploadBrandImageRoute = route({
  method: 'PUT',
  url: `${BRANDING}/:kind`,
  summary: 'For operators: upload the logo or the favicon of the store',
  description:
    'The body is an SVG, PNG or WebP image of at most 2 MiB; a favicon that is not SVG has at ' +
    'least 512 x 512 pixels. Of SVG only shapes, text, gradients, masks and filters are kept. ' +
    'All processes follow within a second.',
  auth: operator,
  limits: imageLimits,
  params,
  raw_body: true,
  stores_files: 'account',
  described: {
    params: described_params,
    body: Object.fromEntries(
      Object.keys(brandImageEndings).map((type) => [type, FileBytes('The image')]),
    ),
  },
  data: BrandingData,
  errors: ['NOT_FOUND', 'FILE_MISSING', 'IMAGE_REJECTED', 'BODY_TOO_LARGE'],
  async handle({ core, who, params, request }) {
    const kind = kindOf(params.kind)
    const bytes = await readRequestBody(request.raw, MAX_BRAND_IMAGE_BYTES)
    if (!bytes.length)
      refuse('FILE_MISSING', { field: kind }, explain('no_image', `${kind}: send an image`))
    const { image, files } = await prepareBrandImage(kind, bytes)
    if (core.settings.images[kind]?.sha256 === image.sha256) return showBranding(core)
    for (const [name, file] of Object.entries(files))
      await core.storage.put(brandKey(image.uid, name), file, { fresh: true })
    crashPoint('brand-image-stored')
    await core.sql.begin((tx) =>
      writeSetting(tx, { name: kind, value: image, user_uid: who.user_uid }),
    )
    crashPoint('brand-image-recorded')
    await core.settings.reload()
    return showBranding(core)
  },
})

export const removeBrandImageRoute = route({
  method: 'DELETE',
  url: `${BRANDING}/:kind`,
  summary: 'For operators: remove the logo or the favicon, which restores the default',
  auth: operator,
  limits: imageLimits,
  params,
  described: { params: described_params },
  data: BrandingData,
  errors: ['NOT_FOUND'],
  async handle({ core, who, params }) {
    const kind = kindOf(params.kind)
    const removed = await core.sql.begin((tx) =>
      writeSetting(tx, { name: kind, value: null, user_uid: who.user_uid }),
    )
    if (!removed) refuse('NOT_FOUND')
    await core.settings.reload()
    return showBranding(core)
  },
})

export const brandingRoutes = [readBrandingRoute, uploadBrandImageRoute, removeBrandImageRoute]
