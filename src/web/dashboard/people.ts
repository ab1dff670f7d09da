import type { RouteData } from '../../core/http/route.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { type Text, t } from '../../core/text/text.ts'
import { tagLimits } from '../../library/community-tags.ts'
import { grantRoute } from '../../library/copy-routes.ts'
import { listOwnReviews, replyToReview } from '../../library/review-routes.ts'
import { reviewLimits } from '../../library/reviews.ts'
import { hideCommunityTag, readCommunityTags } from '../../library/tag-routes.ts'
import {
  changeAgentAccess,
  inviteAdmin,
  listAdmins,
  removeAdmin,
} from '../../listings/people/routes.ts'
import { callApi, readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { fieldForm, fieldValue, formMessage, textArea, textField } from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import { pager } from '../components/pager.ts'
import { confirmButton, postButton } from '../components/secret-field.ts'
import { emptyState, table } from '../components/table.ts'
import { formSender, formState, projectForm, renameRefusedField, sendTo } from './project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from './project-page.ts'

type Admin = RouteData<typeof listAdmins>['admins'][number]
type Tag = RouteData<typeof readCommunityTags>['tags'][number]
type Reviews = RouteData<typeof listOwnReviews>
type Review = Reviews['items'][number]

function removeButton({ base, who, listing }: ProjectContext, { user_uid, username }: Admin): Html {
  const action = `${base}/people/${user_uid}/remove`
  const project = listing.name
  if (user_uid === who.user_uid)
    return confirmButton({
      label: t('team-leave'),
      sentence: t('team-leave-text', { project }),
      action,
      confirm: t('team-leave-confirm'),
    })
  return confirmButton({
    label: t('team-remove'),
    sentence: t('team-remove-text', { username, project }),
    action,
    confirm: t('team-remove-confirm', { username }),
  })
}

function adminRow(project: ProjectContext, admin: Admin) {
  const { username, accepted, invited_at, user_uid } = admin
  const may_remove = project.is_owner || user_uid === project.who.user_uid
  return [
    username,
    accepted ? t('role-admin') : badge(t('role-invited'), 'warn', 'wait'),
    dateTag(invited_at),
    may_remove ? removeButton(project, admin) : '',
  ]
}

function inviteForm({ base }: ProjectContext, result: FormResult): Html {
  const state = formState(result, 'invite', {})
  const username = textField(state, {
    name: 'username',
    label: t('team-invite'),
    required: true,
    hint: t('team-invite-hint'),
  })
  return fieldForm(
    state,
    {
      action: `${base}/people/invite`,
      names: ['username'],
      submit: t('team-invite-button'),
      layout: 'line-form',
    },
    username,
  )
}

function team(project: ProjectContext, admins: Admin[], result: FormResult): Html {
  const owner = [project.listing.developer.username, t('role-owner'), '', '']
  const rows = [owner, ...admins.map((admin) => adminRow(project, admin))]
  const no_invites = html`<p class="soft">${t('team-owner-only')}</p>`
  return html`
    ${table(t('team'), [t('team-username'), t('team-role'), t('team-invited'), ''], rows)}
    ${project.is_owner ? inviteForm(project, result) : no_invites}`
}

function agentAccess({ base, is_owner }: ProjectContext, is_allowed: boolean): Html {
  const state = is_allowed ? t('agent-access-is-on') : t('agent-access-is-off')
  const turnOff = confirmButton({
    label: t('turn-off'),
    sentence: t('agent-access-off-text'),
    action: `${base}/people/agent-access/off`,
    confirm: t('agent-access-off-confirm'),
  })
  const turnOn = postButton(t('turn-on'), `${base}/people/agent-access/on`)
  const note = html`<p class="soft">${t('owner-only')}</p>`
  return html`
    <p>${state}</p>
    ${is_owner ? (is_allowed ? turnOff : turnOn) : note}`
}

function grantForm({ base }: ProjectContext, result: FormResult): Html {
  const state = renameRefusedField(formState(result, 'grant', {}), { username: 'grantee' })
  const grantee = textField(state, {
    name: 'grantee',
    label: t('team-username'),
    required: true,
    hint: t('give-copy-hint'),
  })
  return fieldForm(
    state,
    {
      action: `${base}/people/grant`,
      names: ['grantee'],
      submit: t('give-copy'),
      layout: 'line-form',
    },
    grantee,
  )
}

const tagRow = (base: string, { tag, votes, hidden, shown }: Tag) => [
  tag,
  votes,
  hidden ? t('tag-hidden-by-you') : shown ? t('tag-is-shown') : t('tag-not-yet'),
  postButton(
    hidden ? t('tag-show') : t('tag-hide'),
    `${base}/people/tags/${encodeURIComponent(tag)}/${hidden ? 'show' : 'hide'}`,
  ),
]

const tagTable = (base: string, tags: Tag[]): Html =>
  tags.length
    ? table(
        t('player-tags'),
        [t('tag-name'), t('tag-votes'), t('tag-on-page'), ''],
        tags.map((tag) => tagRow(base, tag)),
      )
    : html`
        <p class="soft">
          ${t('player-tags-none', {
            hours: tagLimits.play_seconds / HOUR,
            tags: tagLimits.suggestions,
            players: tagLimits.votes_to_show,
          })}
        </p>`

function reviewItem(base: string, review: Review, result: FormResult): Html {
  const { uid, username, enjoyed, quality, text, reply, created_at } = review
  const form = `reply-${uid}`
  const name = `text-${uid}`
  const state = renameRefusedField(formState(result, form, { [name]: reply?.text }), { text: name })
  const verdict = enjoyed
    ? badge(t('verdict-enjoyed'), 'ok', 'ok')
    : badge(t('verdict-not-enjoyed'), 'warn', 'minus')
  const reply_field = textArea(state, {
    name,
    label: t('reply-to', { username }),
    rows: 3,
    maxlength: reviewLimits.reply,
    hint: t('reply-hint'),
  })
  return html`
    <li class="review">
      <p>
        ${verdict} <strong>${username}</strong>
        <span class="soft">
          ${richText('review-quality-and-date', { quality, date: dateTag(created_at) })}
        </span>
      </p>
      ${text && html`<blockquote class="pre">${text}</blockquote>`}
      <details${result.form === form && html` open`}>
        <summary>${reply ? t('reply-yours') : t('reply-add')}</summary>
        ${fieldForm(
          state,
          { action: `${base}/people/reviews/${uid}`, names: [name], submit: t('reply-save') },
          reply_field,
        )}
      </details>
    </li>`
}

function reviewList(base: string, reviews: Reviews, result: FormResult): Html {
  const { count, enjoyed, quality_avg } = reviews.summary
  if (!count) return emptyState(t('reviews-none'), t('reviews-none-text'))
  return html`
    <p>${t('reviews-summary', { count, enjoyed, average: quality_avg ?? 0 })}</p>
    <ul class="bare">${reviews.items.map((review) => reviewItem(base, review, result))}</ul>
    ${pager(`${base}/people`, reviews)}`
}

export async function showPeople(project: ProjectContext, result: FormResult) {
  const { request, uid, base, query } = project
  const page = Number(query.page) || 1
  const [{ admins, agent_access }, { tags }, reviews] = await Promise.all([
    readApi(request, listAdmins, { params: { uid } }),
    readApi(request, readCommunityTags, { params: { uid } }),
    readApi(request, listOwnReviews, { params: { uid }, query: { page } }),
  ])
  return renderSection(project, 'people', {
    title: t('section-people'),
    body: html`
      ${formMessage(formState(result, 'people', {}))}
      ${subsection('admins', t('team'), team(project, admins, result))}
      ${subsection('agent-access', t('agent-access'), agentAccess(project, agent_access))}
      ${subsection('copies', t('give-copy'), grantForm(project, result), t('give-copy-text'))}
      ${subsection('reviews', t('project-reviews'), reviewList(base, reviews, result))}
      ${subsection('tags', t('player-tags'), tagTable(base, tags))}`,
  })
}

const sendToTag = formSender(({ uid, params }) => ({ uid, tag: params.tag! }))
const sendToAdmin = formSender(({ uid, params }) => ({ uid, user_uid: params.user! }))

const tagForm = (path: 'hide' | 'show', summary: string, done: Text) =>
  projectForm(
    `people/tags/:tag/${path}`,
    summary,
    sendToTag(hideCommunityTag, () => ({ hidden: path === 'hide' })),
    {
      form: 'people',
      show: showPeople,
      done,
      back: 'people#tags',
    },
  )

const agentAccessForm = (path: 'on' | 'off', done: Text) =>
  projectForm(
    `people/agent-access/${path}`,
    `Turn ${path} agent access for admins`,
    sendTo(changeAgentAccess, () => ({ admins: path === 'on' })),
    {
      form: 'people',
      show: showPeople,
      done,
      back: 'people#agent-access',
    },
  )

export const peopleRoutes = [
  projectPage('people', 'The people of a project', showPeople),
  projectForm(
    'people/invite',
    'Invite an admin',
    sendTo(inviteAdmin, (sent) => ({ username: fieldValue(sent, 'username').trim() })),
    {
      form: 'invite',
      show: showPeople,
      done: t('team-invite-sent'),
      back: 'people',
    },
  ),
  projectForm('people/:user/remove', 'Remove an admin or an invitation', sendToAdmin(removeAdmin), {
    form: 'people',
    show: showPeople,
    done: t('team-removed'),
    back: ({ base, params, who }) =>
      params.user === who.user_uid ? '/dashboard' : `${base}/people`,
  }),
  agentAccessForm('off', t('agent-access-off-done')),
  agentAccessForm('on', t('agent-access-on-done')),
  projectForm(
    'people/grant',
    'Give someone a copy',
    sendTo(grantRoute, (sent) => ({ username: fieldValue(sent, 'grantee').trim() })),
    {
      form: 'grant',
      show: showPeople,
      done: t('give-copy-done'),
      back: 'people#copies',
    },
  ),
  projectForm(
    'people/reviews/:review',
    'Reply to a review',
    ({ request, uid, params }, sent) =>
      callApi(request, replyToReview, {
        params: { uid, review_uid: params.review! },
        body: { text: fieldValue(sent, `text-${params.review}`) },
      }),
    {
      form: ({ params }) => `reply-${params.review}`,
      show: showPeople,
      done: t('reply-saved'),
      back: 'people#reviews',
    },
  ),
  tagForm('hide', 'Hide a community tag', t('tag-hidden')),
  tagForm('show', 'Show a community tag', t('tag-shown')),
]
