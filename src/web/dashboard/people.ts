import type { RouteData } from '../../core/http/route.ts'
import { HOUR } from '../../core/runtime/units.ts'
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
import { dateTag, formatCount } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
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
  const is_self = user_uid === who.user_uid
  return confirmButton({
    label: is_self ? 'Leave…' : 'Remove…',
    sentence:
      `${is_self ? 'You' : username} will no longer be able to open or edit ${listing.name}. ` +
      `${is_self ? 'Your' : 'Their'} API keys for it stop working.`,
    action: `${base}/people/${user_uid}/remove`,
    confirm: is_self ? 'Leave this project' : `Remove ${username}`,
  })
}

function adminRow(project: ProjectContext, admin: Admin) {
  const { username, accepted, invited_at, user_uid } = admin
  const may_remove = project.is_owner || user_uid === project.who.user_uid
  return [
    username,
    accepted ? 'admin' : badge('invited', 'warn', 'wait'),
    dateTag(invited_at),
    may_remove ? removeButton(project, admin) : '',
  ]
}

function inviteForm({ base }: ProjectContext, result: FormResult): Html {
  const state = formState(result, 'invite', {})
  const username = textField(state, {
    name: 'username',
    label: 'Invite an admin',
    required: true,
    hint:
      'Their username. Admins can edit the page, upload builds and manage keys. ' +
      'Only you can delete the project.',
  })
  return fieldForm(
    state,
    {
      action: `${base}/people/invite`,
      names: ['username'],
      submit: 'Invite',
      layout: 'line-form',
    },
    username,
  )
}

function team(project: ProjectContext, admins: Admin[], result: FormResult): Html {
  const owner = [project.listing.developer.username, 'owner', '', '']
  const rows = [owner, ...admins.map((admin) => adminRow(project, admin))]
  const no_invites = html`<p class="soft">Only the owner can invite and remove people.</p>`
  return html`
    ${table('Team', ['Username', 'Role', 'Invited', ''], rows)}
    ${project.is_owner ? inviteForm(project, result) : no_invites}`
}

function agentAccess({ base, is_owner }: ProjectContext, is_allowed: boolean): Html {
  const state = is_allowed
    ? 'Agents and agent keys of your admins can work on this project.'
    : 'Agents of admins are turned off. Only agents of the owner can work on this project.'
  const turnOff = confirmButton({
    label: 'Turn off…',
    sentence:
      'Agents of your admins can no longer read or change this project, and the agent keys that ' +
      'your admins have for it are revoked. Admins can still use the website.',
    action: `${base}/people/agent-access/off`,
    confirm: 'Turn off agent access for admins',
  })
  const turnOn = postButton('Turn on', `${base}/people/agent-access/on`)
  const note = html`<p class="soft">Only the owner can change this.</p>`
  return html`
    <p>${state}</p>
    ${is_owner ? (is_allowed ? turnOff : turnOn) : note}`
}

function grantForm({ base }: ProjectContext, result: FormResult): Html {
  const state = renameRefusedField(formState(result, 'grant', {}), { username: 'grantee' })
  const grantee = textField(state, {
    name: 'grantee',
    label: 'Username',
    required: true,
    hint: 'The copy appears in their library.',
  })
  return fieldForm(
    state,
    {
      action: `${base}/people/grant`,
      names: ['grantee'],
      submit: 'Give a copy',
      layout: 'line-form',
    },
    grantee,
  )
}

const tagRow = (base: string, { tag, votes, hidden, shown }: Tag) => [
  tag,
  votes,
  hidden ? 'hidden by you' : shown ? 'yes' : 'not yet',
  postButton(
    hidden ? 'Show' : 'Hide',
    `${base}/people/tags/${encodeURIComponent(tag)}/${hidden ? 'show' : 'hide'}`,
  ),
]

const tagTable = (base: string, tags: Tag[]): Html =>
  tags.length
    ? table(
        'Community tags',
        ['Tag', 'Votes', 'On the page', ''],
        tags.map((tag) => tagRow(base, tag)),
      )
    : html`
        <p class="soft">
          Players with at least ${formatCount(tagLimits.play_seconds / HOUR, 'hour')} of play time
          can suggest up to ${tagLimits.suggestions} tags. A tag appears on your page once
          ${tagLimits.votes_to_show} players suggest it.
        </p>`

function reviewItem(base: string, review: Review, result: FormResult): Html {
  const { uid, username, enjoyed, quality, text, reply, created_at } = review
  const form = `reply-${uid}`
  const name = `text-${uid}`
  const state = renameRefusedField(formState(result, form, { [name]: reply?.text }), { text: name })
  const verdict = enjoyed ? badge('enjoyed', 'ok', 'ok') : badge('not enjoyed', 'warn', 'minus')
  const reply_field = textArea(state, {
    name,
    label: `Reply to ${username}`,
    rows: 3,
    maxlength: reviewLimits.reply,
    hint: 'Markdown. Save an empty reply to remove it.',
  })
  return html`
    <li class="review">
      <p>
        ${verdict} <strong>${username}</strong>
        <span class="soft">quality ${quality} of 5 · ${dateTag(created_at)}</span>
      </p>
      ${text && html`<blockquote class="pre">${text}</blockquote>`}
      <details${result.form === form && html` open`}>
        <summary>${reply ? 'Your reply' : 'Reply'}</summary>
        ${fieldForm(
          state,
          { action: `${base}/people/reviews/${uid}`, names: [name], submit: 'Save reply' },
          reply_field,
        )}
      </details>
    </li>`
}

function reviewList(base: string, reviews: Reviews, result: FormResult): Html {
  const { count, enjoyed, quality_avg } = reviews.summary
  if (!count)
    return emptyState('No reviews yet', 'Each player who owns a copy can write one review.')
  return html`
    <p>
      ${formatCount(count, 'review')}, ${enjoyed} enjoyed it, average quality
      ${quality_avg?.toFixed(1)} of 5.
    </p>
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
    title: 'People',
    body: html`
      ${formMessage(formState(result, 'people', {}))}
      ${subsection('admins', 'Team', team(project, admins, result))}
      ${subsection('agent-access', 'Agent access for admins', agentAccess(project, agent_access))}
      ${subsection(
        'copies',
        'Give a copy',
        grantForm(project, result),
        'For testers, press and friends. They can download it as if they had bought it.',
      )}
      ${subsection('reviews', 'Reviews', reviewList(base, reviews, result))}
      ${subsection('tags', 'Community tags', tagTable(base, tags))}`,
  })
}

const sendToTag = formSender(({ uid, params }) => ({ uid, tag: params.tag! }))
const sendToAdmin = formSender(({ uid, params }) => ({ uid, user_uid: params.user! }))

const tagForm = (path: 'hide' | 'show', summary: string, done: string) =>
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

const agentAccessForm = (path: 'on' | 'off', done: string) =>
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
      done: 'Invited. The invitation is on their dashboard.',
      back: 'people',
    },
  ),
  projectForm('people/:user/remove', 'Remove an admin or an invitation', sendToAdmin(removeAdmin), {
    form: 'people',
    show: showPeople,
    done: 'Removed',
    back: ({ base, params, who }) =>
      params.user === who.user_uid ? '/dashboard' : `${base}/people`,
  }),
  agentAccessForm('off', 'Agent access for admins is off, and their keys are revoked'),
  agentAccessForm('on', 'Agent access for admins is on'),
  projectForm(
    'people/grant',
    'Give someone a copy',
    sendTo(grantRoute, (sent) => ({ username: fieldValue(sent, 'grantee').trim() })),
    {
      form: 'grant',
      show: showPeople,
      done: 'Copy given',
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
      done: 'Reply saved',
      back: 'people#reviews',
    },
  ),
  tagForm('hide', 'Hide a community tag', 'Tag hidden. Its votes are kept.'),
  tagForm('show', 'Show a community tag', 'Tag shown'),
]
