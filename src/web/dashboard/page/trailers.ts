import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { MAX_URL } from '../../../listings/fields/text.ts'
import { imageSlots } from '../../../listings/media/image-rules.ts'
import type { Pictures } from '../../../listings/renditions/pictures.ts'
import { peertubeHosts } from '../../../listings/trailers/outside-videos.ts'
import {
  addOutsideVideoRoute,
  changeTrailerRoute,
  deleteCaptionsRoute,
  deletePosterRoute,
  deleteTrailerRoute,
  orderTrailersRoute,
  readTrailersRoute,
  uploadTrailer,
} from '../../../listings/trailers/routes.ts'
import { trailerLimits } from '../../../listings/trailers/trailer-rules.ts'
import { callApi, readApi } from '../../call.ts'
import { scanBadge } from '../../components/badge.ts'
import { fieldForm, fieldValue, textField } from '../../components/form.ts'
import { formatBytes, languageName } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { picture, renditionOf } from '../../components/picture.ts'
import { scriptTexts } from '../../components/script-texts.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { forwardUpload } from '../forward-upload.ts'
import { formSender, formState, projectForm, renameRefusedField, sendTo } from '../project-form.ts'
import type { FormResult, ProjectContext, ShowPage } from '../project-page.ts'
import { moveImage } from './move-image.ts'

export type OwnTrailers = RouteData<typeof readTrailersRoute>
type OwnTrailer = OwnTrailers['trailers'][number]

const OUTSIDE_FORM = 'outside-video'
const VIDEO_TYPES = 'video/mp4,video/webm'
const POSTER_TYPES = 'image/png,image/jpeg,image/webp'

/** The texts of upload-video.mjs. */
const uploadTexts = scriptTexts({
  too_large: t('trailer-too-large', { size: '{size}', max: '{max}' }),
  progress: t('trailer-progress', { done: '{done}', size: '{size}' }),
  checking: t('trailer-checking'),
  failed: t('image-failed', { status: '{status}' }),
  unreachable: t('image-unreachable'),
})

/** Sends its form with the progress of the upload; without script the browser sends it. */
const uploadForm = (url: string, action: string, fields: Html): Html => html`
  <upload-video data-url="${url}" data-max-bytes="${trailerLimits.video_bytes}"
    data-texts="${uploadTexts}">
    <form class="form" method="post" enctype="multipart/form-data" action="${action}">
      ${fields}
      <div class="upload-row" hidden>
        <progress max="1" value="0" aria-label="${t('trailer-upload')}"></progress>
        <p class="upload-state" role="status"></p>
      </div>
      <p class="error-text" role="alert" hidden></p>
    </form>
  </upload-video>`

type FileInput = { id: string; name: string; label: Text; accept: string; hint: Text }

const fileInput = ({ id, name, label, accept, hint }: FileInput, required = false): Html => html`
  <div class="field">
    <label for="${id}">
      ${label}${!required && html` <span class="optional">${t('optional')}</span>`}
    </label>
    <input id="${id}" type="file" name="${name}" accept="${accept}"
      aria-describedby="${id}-hint"${required && html` required`}>
    <p class="hint" id="${id}-hint">${hint}</p>
  </div>`

const titleInput = (id: string, value: string): Html => html`
  <div class="field">
    <label for="${id}">
      ${t('trailer-title')} <span class="optional">${t('optional')}</span>
    </label>
    <input id="${id}" name="title" maxlength="${trailerLimits.title}" value="${value}">
  </div>`

const videoInput = (id: string, label: Text, required: boolean): Html =>
  fileInput(
    {
      id,
      name: 'video',
      label,
      accept: VIDEO_TYPES,
      hint: t('trailer-video-hint', { size: formatBytes(trailerLimits.video_bytes) }),
    },
    required,
  )

const posterInput = (id: string): Html => {
  const { min, max, bytes } = imageSlots.poster
  const size = ([width, height]: readonly number[]) =>
    t('image-size', { width: String(width), height: String(height) })
  return fileInput({
    id,
    name: 'poster',
    label: t('trailer-poster'),
    accept: POSTER_TYPES,
    hint: t('trailer-poster-hint', { min: size(min), max: size(max), bytes: formatBytes(bytes) }),
  })
}

const captionInputs = (id: string): Html => html`
  <div class="caption-fields">
    ${fileInput({
      id: `${id}-captions`,
      name: 'captions',
      label: t('trailer-captions-file'),
      accept: '.vtt,text/vtt',
      hint: t('trailer-captions-hint', { size: formatBytes(trailerLimits.captions_bytes) }),
    })}
    <div class="field">
      <label for="${id}-language">
        ${t('trailer-language')} <span class="optional">${t('optional')}</span>
      </label>
      <input id="${id}-language" name="language" maxlength="35"
        aria-describedby="${id}-language-hint">
      <p class="hint" id="${id}-language-hint">${t('trailer-language-hint')}</p>
    </div>
  </div>`

/** The form of a video elsewhere. It is sent to the address of its page, which can be reopened. */
function outsideForm({ base }: ProjectContext, result: FormResult): Html {
  const state = renameRefusedField(formState(result, OUTSIDE_FORM, {}), {
    url: 'trailer-url',
    title: 'trailer-title',
  })
  const fields = html`
    ${textField(state, {
      name: 'trailer-url',
      label: t('trailer-url'),
      type: 'url',
      required: true,
      maxlength: MAX_URL,
      hint: t('trailer-url-hint', { hosts: peertubeHosts.join(', ') }),
    })}
    ${textField(state, {
      name: 'trailer-title',
      label: t('trailer-title'),
      maxlength: trailerLimits.title,
    })}`
  const form = {
    action: `${base}/images#trailers`,
    names: ['trailer-url', 'trailer-title'],
    submit: html`<button class="button button-ink button-small">${t('trailer-add')}</button>`,
  }
  return fieldForm(state, form, fields)
}

function addForms(project: ProjectContext, result: FormResult): Html {
  const { uid, base } = project
  const add = html`
    ${videoInput('trailer-new-video', t('trailer-video'), true)}
    ${titleInput('trailer-new-title', '')}
    ${posterInput('trailer-new-poster')}
    ${captionInputs('trailer-new')}
    <button class="button button-ink button-small">${t('trailer-upload')}</button>`
  return html`
    <div class="add-trailer">
      <div class="panel">
        <h3>${t('trailer-add-file')}</h3>
        ${uploadForm(routePath(uploadTrailer.url, { uid }), `${base}/trailers/add`, add)}
      </div>
      <div class="panel">
        <h3>${t('trailer-add-outside')}</h3>
        ${outsideForm(project, result)}
      </div>
    </div>`
}

function trailerImage({ poster, title, position }: OwnTrailer, pictures: Pictures): Html {
  if (!poster) return html`<span class="trailer-blank soft">${t('trailer-no-poster')}</span>`
  return picture(pictures, poster, {
    alt: title || t('trailer-numbered', { number: position + 1 }),
    width: 320,
    height: 180,
    widths: [320, 640],
    sizes: '(max-width: 760px) 92vw, 320px',
    loading: 'lazy',
  })
}

/** The video itself once it is scanned, otherwise its poster. */
function trailerPreview(trailer: OwnTrailer, pictures: Pictures): Html {
  const { kind, scan, url, type, title, position, poster } = trailer
  if (kind === 'outside' || scan !== 'clean') return trailerImage(trailer, pictures)
  const label = title || t('trailer-numbered', { number: position + 1 })
  return html`
    <video controls playsinline preload="none" width="320" height="180" aria-label="${label}"
      ${poster && html`poster="${renditionOf(pictures, poster, 640)}"`}>
      <source src="${url}" type="${type}">
    </video>`
}

const captionList = (address: string, { captions }: OwnTrailer): Html => html`
  <ul class="caption-list">
    ${captions.map(
      ({ language, url }) => html`
        <li>
          <a href="${url}">${languageName(language)}</a>
          ${postButton(
            richText('trailer-remove-captions', {
              language: languageName(language),
              hidden: hiddenText,
            }),
            `${address}/captions/${language}/remove`,
          )}
        </li>`,
    )}
  </ul>`

function editForm({ uid, base }: ProjectContext, trailer: OwnTrailer): Html {
  const id = `trailer-${trailer.uid}`
  const is_file = trailer.kind === 'file'
  const fields = html`
    ${titleInput(`${id}-title`, trailer.title)}
    ${posterInput(`${id}-poster`)}
    ${is_file && captionInputs(id)}
    ${is_file && videoInput(`${id}-video`, t('trailer-replace-video'), false)}
    <button class="button button-ink button-small">${t('trailer-save')}</button>`
  const url = routePath(changeTrailerRoute.url, { uid, trailer: trailer.uid })
  return html`
    <details class="trailer-edit">
      <summary>${t('trailer-edit')}</summary>
      ${uploadForm(url, `${base}/trailers/${trailer.uid}/change`, fields)}
    </details>`
}

function trailerItem(
  project: ProjectContext,
  trailer: OwnTrailer,
  { count, pictures }: { count: number; pictures: Pictures },
): Html {
  const { uid, kind, title, url, position, scan, scan_detail, size, poster } = trailer
  const address = `${project.base}/trailers/${uid}`
  const name = title || t('trailer-numbered', { number: position + 1 })
  const details =
    kind === 'outside'
      ? html`<a href="${url}" rel="noopener">${url}</a>`
      : html`${scanBadge(scan)} <span class="soft">${formatBytes(size ?? 0)}</span>`
  return html`
    <li class="own-trailer">
      <div class="trailer-preview">${trailerPreview(trailer, pictures)}</div>
      <div>
        <h3>${name}</h3>
        <p class="trailer-details">${details}</p>
        ${scan === 'scanning' && html`<p class="hint">${t('trailer-scanning')}</p>`}
        ${scan_detail && html`<p class="error-text">${scan_detail}</p>`}
        ${trailer.captions.length > 0 && captionList(address, trailer)}
        <div class="row">
          ${position > 0 && postButton(t('image-earlier'), `${address}/earlier`)}
          ${position < count - 1 && postButton(t('image-later'), `${address}/later`)}
          ${poster && postButton(t('trailer-remove-poster'), `${address}/poster/remove`)}
          ${confirmButton({
            label: t('image-remove'),
            sentence: t('trailer-remove-text'),
            action: `${address}/remove`,
          })}
        </div>
        ${editForm(project, trailer)}
      </div>
    </li>`
}

/** The trailers of a project, and forms that add one. */
export function trailerEditor(
  project: ProjectContext,
  { trailers, trailers_max }: OwnTrailers,
  { pictures, result }: { pictures: Pictures; result: FormResult },
): Html {
  const count = trailers.length
  const items = trailers.map((trailer) => trailerItem(project, trailer, { count, pictures }))
  return html`
    ${count > 0 && html`<ol class="own-trailers">${items}</ol>`}
    ${count < trailers_max && addForms(project, result)}`
}

export const readOwnTrailers = ({ request, uid }: ProjectContext): Promise<OwnTrailers> =>
  readApi(request, readTrailersRoute, { params: { uid } })

const sendToTrailer = formSender(({ uid, params }) => ({ uid, trailer: params.trailer! }))
const sendToCaptions = formSender(({ uid, params }) => ({
  uid,
  trailer: params.trailer!,
  language: params.language!,
}))

/** The forms of trailers, which are on the page `show`. */
export function trailerRoutes(show: ShowPage) {
  const parts = { form: 'images', show, back: 'images#trailers' }
  const move = (name: 'earlier' | 'later', by: -1 | 1) =>
    projectForm(
      `trailers/:trailer/${name}`,
      `Move a trailer ${name}`,
      async (project) => {
        const { request, uid, params } = project
        const { trailers } = await readOwnTrailers(project)
        const current = trailers.map((trailer) => trailer.uid)
        const body = { order: moveImage(current, params.trailer!, by) }
        return callApi(request, orderTrailersRoute, { params: { uid }, body })
      },
      { ...parts, done: t('trailer-moved') },
    )
  return [
    forwardUpload('trailers/add', 'Add a trailer to a project', {
      ...parts,
      to: uploadTrailer,
      done: t('trailer-added'),
    }),
    forwardUpload('trailers/:trailer/change', 'Change a trailer', {
      ...parts,
      to: changeTrailerRoute,
      done: t('trailer-saved'),
    }),
    projectForm(
      'images',
      'Add a video of another host',
      sendTo(addOutsideVideoRoute, (sent) => ({
        url: fieldValue(sent, 'trailer-url'),
        title: fieldValue(sent, 'trailer-title'),
      })),
      { ...parts, form: OUTSIDE_FORM, done: t('trailer-outside-added') },
    ),
    move('earlier', -1),
    move('later', 1),
    projectForm('trailers/:trailer/remove', 'Remove a trailer', sendToTrailer(deleteTrailerRoute), {
      ...parts,
      done: t('trailer-removed'),
    }),
    projectForm(
      'trailers/:trailer/poster/remove',
      'Remove the poster of a trailer',
      sendToTrailer(deletePosterRoute),
      { ...parts, done: t('trailer-poster-removed') },
    ),
    projectForm(
      'trailers/:trailer/captions/:language/remove',
      'Remove captions of a trailer',
      sendToCaptions(deleteCaptionsRoute),
      { ...parts, done: t('trailer-captions-removed') },
    ),
  ]
}
