import { t } from '../../core/text/text.ts'
import { profileLimits } from '../../listings/profiles/profile.ts'
import { readProfileRoute, saveProfileRoute } from '../../listings/profiles/routes.ts'
import { callApi, readApi } from '../call.ts'
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
import { type Context, page, withSiteName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

const fields = ['bio', 'links', 'is_public']

async function renderProfile(context: Context, username: string, refused?: FormState) {
  const saved = await readApi(context.request, readProfileRoute)
  const state = refused ?? {
    values: { ...saved, links: saved.links.join('\n'), is_public: saved.is_public ? 'yes' : '' },
  }
  const form = { action: '/settings/profile', names: fields, submit: button(t('profile-save')) }
  const controls = html`
    ${textArea(state, { name: 'bio', label: t('profile-bio'), rows: 6, hint: t('profile-bio-hint') })}
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
    title: withSiteName(t('profile')),
    noindex: true,
    body: html`
      <h1>${t('profile')}</h1>
      ${accountTabs('/settings/profile')}
      <div class="settings">
        <p>${richText('profile-text', { link: linkTo(`/${username}`) })}</p>
        ${fieldForm(state, form, controls)}
      </div>
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
    return renderProfile(input, who.username, rejectedForm(body, answer))
  },
})
