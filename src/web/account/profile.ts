import { Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { route } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { hashInUrl } from '../../listings/media/url.ts'
import { type ProfileSlot, profileSlots } from '../../listings/profiles/image-rules.ts'
import { profileLimits } from '../../listings/profiles/profile.ts'
import {
  deleteProfileImage,
  readProfileRoute,
  saveProfileRoute,
  uploadProfileImage,
} from '../../listings/profiles/routes.ts'
import { readPictures } from '../../listings/renditions/pictures.ts'
import { callApi, forwardBody, readApi } from '../call.ts'
import {
  button,
  checkField,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  isChecked,
  rejectedForm,
  textArea,
} from '../components/form.ts'
import { html, richText } from '../components/html.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { redirectTo } from '../flash-message.ts'
import { cropDialog } from '../images/image-form.ts'
import { getPage, postForm, uploadRouteParts } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { IMAGES_PATH, profileImagePanels } from './profile-images.ts'
import { accountTabs } from './tabs.ts'

const fields = ['bio', 'links', 'is_public']

type Refused = { form?: FormState; image?: { slot: ProfileSlot | undefined; state: FormState } }

async function renderProfile(context: Context, username: string, refused: Refused = {}) {
  const saved = await readApi(context.request, readProfileRoute)
  const pictures = await readPictures(context.core, [saved.banner])
  const avatar = hashInUrl(saved.avatar) ?? null
  const { banner } = saved
  const state = refused.form ?? {
    values: { ...saved, links: saved.links.join('\n'), is_public: saved.is_public ? 'yes' : '' },
  }
  const form = { action: '/settings/profile', names: fields, submit: button(t('profile-save')) }
  const controls = html`
    ${textArea(state, {
      name: 'bio',
      label: t('profile-bio'),
      rows: 6,
      hint: t('profile-bio-hint'),
    })}
    ${textArea(state, {
      name: 'links',
      label: t('profile-links'),
      rows: 3,
      hint: t('profile-links-hint', { max: profileLimits.links }),
    })}
    ${checkField(state, {
      name: 'is_public',
      label: t('profile-public'),
      hint: t('profile-public-hint'),
    })}
  `
  return page(context, {
    title: withStoreName(context.core, t('profile')),
    noindex: true,
    scripts: ['drop-images.mjs'],
    styles: ['dashboard.css'],
    body: html`
      <h1>${t('profile')}</h1>
      ${accountTabs('/settings/profile')}
      <div class="settings">
        <p>${richText('profile-text', { link: linkTo(`/${username}`) })}</p>
        ${profileImagePanels({ username, avatar, banner, pictures, refused: refused.image })}
        <section class="panel" aria-labelledby="about-title">
          <h2 id="about-title">${t('profile-about')}</h2>
          ${fieldForm(state, form, controls)}
        </section>
      </div>
      ${cropDialog}
    `,
  })
}

export const profilePage = getPage('/settings/profile', 'The profile of a person', {
  auth: member,
  handle: (input) => renderProfile(input, input.who.username),
})

export const submitProfile = postForm('/settings/profile', 'Change the profile', {
  auth: member,
  async handle(input) {
    const { request, reply, body, who } = input
    const answer = await callApi(request, saveProfileRoute, {
      body: {
        bio: fieldValue(body, 'bio'),
        links: fieldLines(body, 'links'),
        is_public: isChecked(body, 'is_public'),
      },
    })
    if (answer.ok) return redirectTo(reply, '/settings/profile', t('profile-saved'))
    reply.code(answer.status)
    return renderProfile(input, who.username, { form: rejectedForm(body, answer) })
  },
})

/** For browsers without script; drop-images.mjs sends images to the API. */
export const submitProfileImage = route({
  ...uploadRouteParts,
  url: IMAGES_PATH,
  summary: 'Upload an image of the profile',
  async handle(input: Context & { who: Identity }) {
    const { request, reply, who } = input
    const answer = await forwardBody(request, uploadProfileImage, {})
    if (answer.ok) return redirectTo(reply, '/settings/profile', t('profile-image-saved'))
    reply.code(answer.status)
    const slot = profileSlots.find((name) => name === answer.field)
    return renderProfile(input, who.username, {
      image: { slot, state: rejectedForm(null, answer) },
    })
  },
} as never)

export const removeProfileImageForm = postForm(
  `${IMAGES_PATH}/:kind/remove`,
  'Remove an image of the profile',
  {
    auth: member,
    params: Type.Object({ kind: Type.String() }),
    async handle({ request, reply, params }) {
      await readApi(request, deleteProfileImage, { params })
      return redirectTo(reply, '/settings/profile', t('profile-image-removed'))
    },
  },
)
