import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { readForm } from '../../core/http/multipart.ts'
import type { RouteData } from '../../core/http/route.ts'
import { MIB } from '../../core/runtime/units.ts'
import {
  type BrandImageKind,
  brandImageEndings,
  brandImageKinds,
} from '../../core/settings/brand-images.ts'
import { t } from '../../core/text/text.ts'
import { MAX_BRAND_IMAGE_BYTES } from '../../operator/branding/prepare-image.ts'
import type { readBrandingRoute } from '../../operator/branding/routes.ts'
import { emptyForm, type FormState, formMessage } from '../components/form.ts'
import { formatBytes } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { postButton } from '../components/secret-field.ts'

export const BRAND_IMAGES = '/operator/settings/images'
const ACCEPTED = Object.keys(brandImageEndings).join(',')

export type RefusedImage = { kind: string; state: FormState }
type Branding = RouteData<typeof readBrandingRoute>

/** The forms that change the logo and the favicon. */
export const brandImageSection = (branding: Branding, refused?: RefusedImage): Html => html`
  <section class="subsection" id="images" aria-labelledby="images-title">
    <header>
      <h2 id="images-title">${t('brand-images')}</h2>
      <p class="soft">${t('brand-images-text')}</p>
    </header>
    ${brandImageKinds.map((kind) =>
      imagePanel(kind, branding, refused?.kind === kind ? refused.state : emptyForm),
    )}
  </section>`

function imagePanel(kind: BrandImageKind, branding: Branding, state: FormState): Html {
  const image = branding[kind]
  return html`
    <div class="brand-image" id="${kind}">
      <h3 id="${kind}-title">${t(`brand-${kind}`)}</h3>
      ${formMessage(state)}
      ${
        image
          ? html`
              <img src="${image.url}" alt="${t(`brand-${kind}-alt`)}"
                width="${image.width}" height="${image.height}">
              ${postButton(t(`brand-${kind}-remove`), `${BRAND_IMAGES}/${kind}/remove`)}`
          : html`<p class="hint">${t(`brand-${kind}-none`)}</p>`
      }
      <form class="brand-image-form" method="post" enctype="multipart/form-data"
        action="${BRAND_IMAGES}/${kind}">
        <label for="file-${kind}">${t(`brand-${kind}-file`)}</label>
        <input id="file-${kind}" type="file" name="file" accept="${ACCEPTED}" required
          aria-describedby="hint-${kind}">
        <p class="hint" id="hint-${kind}">
          ${t(`brand-${kind}-hint`, { bytes: formatBytes(MAX_BRAND_IMAGE_BYTES) })}
        </p>
        <button class="button button-quiet button-small">${t('image-upload')}</button>
      </form>
    </div>`
}

export const kindParams = Type.Object({ kind: Type.String() })

const MAX_FORM_BYTES = 64 * MIB

/** The file of a form as a stream, up to the byte after which the API refuses it. */
export async function readImageFile(request: IncomingMessage): Promise<Readable> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const part of readForm(request, { max_bytes: MAX_FORM_BYTES, max_parts: 4 })) {
    if (!('bytes' in part) || part.name !== 'file') continue
    for await (const chunk of part.bytes) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BRAND_IMAGE_BYTES) return Readable.from(chunks)
    }
  }
  return Readable.from(chunks)
}
