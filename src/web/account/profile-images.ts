import { type LocalText, t } from '../../core/text/text.ts'
import {
  MAX_PROFILE_IMAGE_BYTES,
  type ProfileSlot,
  profileImages,
  profileImageTypes,
} from '../../listings/profiles/image-rules.ts'
import { uploadProfileImage } from '../../listings/profiles/routes.ts'
import type { Pictures } from '../../listings/renditions/pictures.ts'
import { emptyForm, type FormState, formMessage } from '../components/form.ts'
import { formatBytes } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { picture } from '../components/picture.ts'
import { postButton } from '../components/secret-field.ts'
import { avatarImage, type Pictured } from '../images/avatar.ts'
import { imageForm } from '../images/image-form.ts'

/** Where the images of a profile are changed without script. */
export const IMAGES_PATH = '/settings/profile/images'

const EXACT_SHAPE = 0.005

/** An image that fits needs no cropping, so that scripts upload it at once. */
function fittingRules(slot: ProfileSlot) {
  const { min, max } = profileImages[slot]
  const ratio = max[0] / max[1]
  const range = [ratio * (1 - EXACT_SHAPE), ratio * (1 + EXACT_SHAPE)] as const
  return { min, max, ratio: range, bytes: MAX_PROFILE_IMAGE_BYTES }
}

const hints: Record<ProfileSlot, (values: Record<string, LocalText>) => LocalText> = {
  avatar: (values) => t('profile-avatar-hint', values),
  banner: (values) => t('profile-banner-hint', values),
}

const uploadForm = (slot: ProfileSlot): Html => {
  const [width, height] = profileImages[slot].min
  return imageForm({
    kind: slot,
    upload_url: uploadProfileImage.url,
    action: IMAGES_PATH,
    rules: fittingRules(slot),
    hint: hints[slot]({
      min: t('image-size', { width: String(width), height: String(height) }),
      bytes: formatBytes(MAX_PROFILE_IMAGE_BYTES),
    }),
    types: profileImageTypes,
    crops_at_once: true,
  })
}

const removeButton = (slot: ProfileSlot): Html =>
  postButton(t('image-remove'), `${IMAGES_PATH}/${slot}/remove`)

/** The avatar and the banner of a person, and the forms that change them. */
type ImageParts = Pictured & {
  banner: string
  pictures: Pictures
  /** Why an image was refused, and which. */
  refused?: { slot: ProfileSlot | undefined; state: FormState } | undefined
}

export function profileImagePanels(person: ImageParts): Html {
  const { avatar, banner, pictures, refused } = person
  const stateOf = (slot: ProfileSlot) => (refused?.slot === slot ? refused.state : emptyForm)
  return html`
    ${refused && !refused.slot && formMessage(refused.state)}
    <section class="panel" id="avatar" aria-labelledby="avatar-title">
      <h2 id="avatar-title">${t('profile-avatar')}</h2>
      <p>${t('profile-avatar-text')}</p>
      ${formMessage(stateOf('avatar'))}
      <div class="profile-image">
        <div class="profile-avatar">
          ${avatarImage(person, 'large')}
          ${avatar ? removeButton('avatar') : html`<p class="hint">${t('profile-avatar-none')}</p>`}
        </div>
        ${uploadForm('avatar')}
      </div>
    </section>
    <section class="panel" id="banner" aria-labelledby="banner-title">
      <h2 id="banner-title">${t('profile-banner')}</h2>
      <p>${t('profile-banner-text')}</p>
      ${formMessage(stateOf('banner'))}
      ${banner && currentBanner(pictures, banner)}
      ${uploadForm('banner')}
    </section>
  `
}

const currentBanner = (pictures: Pictures, url: string): Html => html`
  <div class="banner">
    ${picture(pictures, url, {
      alt: t('profile-banner-alt'),
      width: 1920,
      height: 480,
      widths: [640, 1280],
      sizes: '(max-width: 760px) 92vw, 720px',
      loading: 'eager',
    })}
  </div>
  ${removeButton('banner')}
`
