import { type LocalText, type Text, t } from '../../core/text/text.ts'
import { type ImageType, imageTypes } from '../../listings/media/image-rules.ts'
import { type Html, html } from '../components/html.ts'
import { scriptTexts } from '../components/script-texts.ts'

/** The texts of drop-images.mjs. */
const imageTexts = (types: readonly ImageType[]) =>
  scriptTexts({
    pixels: t('image-pixels', { width: '{width}', height: '{height}' }),
    not_image: t(types.includes('image/gif') ? 'image-not-image' : 'image-not-profile-image'),
    too_small: t('image-too-small', { size: '{size}', min: '{min}' }),
    too_wide: t('image-too-wide', { size: '{size}', max: '{max}' }),
    wrong_ratio: t('image-wrong-ratio', { size: '{size}', example: '{example}' }),
    too_many_bytes: t('image-too-many-bytes', { size: '{size}', max: '{max}' }),
    named: t('image-named', { file: '{file}', problems: '{problems}' }),
    failed: t('image-failed', { status: '{status}' }),
    unreachable: t('image-unreachable'),
    result: t('crop-result', { size: '{size}' }),
  })

type Sides = readonly [width: number, height: number]

type ImageForm = {
  /** What the image is for, as the API names it. */
  kind: string
  /** The address of the API that scripts send images to, and that of the form without script. */
  upload_url: string
  action: string
  /** What fits without cropping. */
  rules: { min: Sides; max: Sides; ratio: Sides; bytes: number }
  hint: Text
  types?: readonly ImageType[]
  multiple?: boolean
  /** Fields before that of the file. */
  fields?: Html
  /** Opens the dialog at once for an image that does not fit, without an explanation. */
  crops_at_once?: boolean
}

/** A drop area for images; without JavaScript it is a file input with a button. */
export function imageForm(form: ImageForm): Html {
  const { kind, upload_url, action, rules, hint, types = imageTypes, multiple, fields } = form
  const crop_attribute = form.crops_at_once && html` data-crop="at-once"`
  return html`
    <drop-images data-url="${upload_url}" data-kind="${kind}"${crop_attribute}
      data-rules="${JSON.stringify({ ...rules, types })}" data-texts="${imageTexts(types)}">
      <form class="drop" method="post" enctype="multipart/form-data" action="${action}">
        <input type="hidden" name="kind" value="${kind}">
        ${fields}
        <label for="file-${kind}">
          ${t(multiple ? 'image-drop-several' : 'image-drop')}
        </label>
        <input id="file-${kind}" type="file" name="file"
          accept="${types.join(',')}" required${multiple && html` multiple`}>
        <p class="hint">${hint}</p>
        <p class="error-text" role="alert" hidden></p>
        <button type="button" class="button button-ink button-small crop-button" hidden>
          ${t('crop-open')}
        </button>
        <button class="button button-quiet button-small">${t('image-upload')}</button>
      </form>
    </drop-images>`
}

const cropSlider = (name: string, label: LocalText): Html => html`
  <div class="field">
    <label for="crop-${name}">${label}</label>
    <input id="crop-${name}" type="range" name="${name}">
  </div>`

/** Where crop-image.mjs lets people choose a part of an image. */
export const cropDialog = html`
  <dialog class="crop-dialog" aria-labelledby="crop-title">
    <form method="dialog">
      <h2 id="crop-title">${t('crop-title')}</h2>
      <p class="hint">${t('crop-text')}</p>
      <canvas role="img" aria-label="${t('crop-canvas')}"></canvas>
      ${cropSlider('width', t('crop-width'))}
      ${cropSlider('x', t('crop-x'))}
      ${cropSlider('y', t('crop-y'))}
      <p class="hint"><output></output></p>
      <div class="row">
        <button class="button button-primary" value="crop">${t('crop-upload')}</button>
        <button class="button button-quiet" value="">${t('cancel')}</button>
      </div>
    </form>
  </dialog>`
