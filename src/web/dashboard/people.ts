import { read } from '../call.ts'
import { badge } from '../components/badge.ts'
import { button, fieldValue, formMessage, textArea, textField } from '../components/form.ts'
import { dateTag, formatCount } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pager } from '../components/pager.ts'
import { confirmButton, postButton } from '../components/secret-field.ts'
import { emptyState, table } from '../components/table.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  renamed,
  roomPage,
  section,
} from './project-page.ts'

type Admin = { user_uid: string; username: string; accepted: boolean; invited_at: string }
type Tag = { tag: string; votes: number; hidden: boolean; shown: boolean }
type Review = {
  uid: string
  username: string
  enjoyed: boolean
  quality: number
  text: string
  created_at: string
  reply?: { text: string }
}
type Reviews = {
  summary: { count: number; enjoyed: number; quality_avg: number | null }
  items: Review[]
  page: number
  page_size: number
  total: number
}

const admins = ({ base, is_owner, who, listing }: Desk, rows: Admin[], filled: Filled): Html => {
  const state = formOf(filled, 'invite', {})
  const leave = (admin: Admin) =>
    confirmButton({
      label: admin.user_uid === who.user_uid ? 'Leave…' : 'Remove…',
      sentence: `${admin.user_uid === who.user_uid ? 'You' : admin.username} can then no longer open or change ${listing.name}. Keys they made for it with their own account stop.`,
      action: `${base}/people/${admin.user_uid}/remove`,
      confirm: admin.user_uid === who.user_uid ? 'Leave this project' : `Remove ${admin.username}`,
    })
  return html`${table(
    'People',
    ['Who', 'As', 'Since', ''],
    [
      [listing.developer.username, 'owner', '', ''],
      ...rows.map((admin) => [
        admin.username,
        admin.accepted ? 'admin' : badge('invited', 'warn', 'wait'),
        dateTag(admin.invited_at),
        is_owner || admin.user_uid === who.user_uid ? leave(admin) : '',
      ]),
    ],
  )}
${is_owner ? html`${formMessage(state, ['username'])}<form class="form line-form" method="post" action="${base}/people/invite">${textField(state, { name: 'username', label: 'Invite somebody', required: true, hint: 'By username. They edit, upload and manage keys once they accept; only you can delete the project.' })}${button('Invite', { kind: 'ink' })}</form>` : html`<p class="soft">Only the owner invites and removes people.</p>`}`
}

const grant = ({ base }: Desk, filled: Filled): Html => {
  const state = renamed(formOf(filled, 'grant', {}), { username: 'grantee' })
  return html`${formMessage(state, ['grantee'])}<form class="form line-form" method="post" action="${base}/people/grant">${textField(state, { name: 'grantee', label: 'Give a copy to', required: true, hint: 'A username. It appears in their library.' })}${button('Give a copy', { kind: 'ink' })}</form>`
}

const tags = ({ base }: Desk, rows: Tag[]): Html =>
  rows.length
    ? table(
        'Tags players suggest',
        ['Tag', 'Votes', 'On the page', ''],
        rows.map(({ tag, votes, hidden, shown }) => [
          tag,
          votes,
          hidden ? 'hidden by you' : shown ? 'yes' : 'not yet',
          postButton(
            hidden ? 'Show again' : 'Hide',
            `${base}/people/tags/${encodeURIComponent(tag)}/${hidden ? 'show' : 'hide'}`,
          ),
        ]),
      )
    : html`<p class="soft">Players with an hour on the clock may suggest five tags. From three players on, a tag shows on your page.</p>`

const review = ({ base }: Desk, one: Review, filled: Filled): Html => {
  const [form, name] = [`reply-${one.uid}`, `text-${one.uid}`]
  const state = renamed(formOf(filled, form, { [name]: one.reply?.text }), { text: name })
  return html`<li class="review"><p>${badge(one.enjoyed ? 'enjoyed it' : 'did not', one.enjoyed ? 'ok' : 'warn', one.enjoyed ? 'ok' : 'minus')} <strong>${one.username}</strong> <span class="soft">quality ${one.quality} of 5 · ${dateTag(one.created_at)}</span></p>
${one.text && html`<blockquote class="pre">${one.text}</blockquote>`}
<details${filled.form === form && html` open`}><summary>${one.reply ? 'Your answer' : 'Answer'}</summary>${formMessage(state, [name])}<form class="form" method="post" action="${base}/people/reviews/${one.uid}">${textArea(state, { name, label: `Answer to ${one.username}`, rows: 3, maxlength: 2000, hint: 'Markdown. Empty takes it away.' })}${button('Save the answer', { kind: 'ink' })}</form></details></li>`
}

export async function showPeople(desk: Desk, filled: Filled) {
  const { request, api, base, query, listing } = desk
  const [people, community, reviews] = await Promise.all([
    read<{ admins: Admin[] }>(request, `${api}/admins`),
    read<{ tags: Tag[] }>(request, `${api}/community-tags`),
    read<Reviews>(
      request,
      `/api/v1/public/games/${listing.uid}/reviews?page=${Number(query.page) || 1}`,
    ),
  ])
  const { summary } = reviews
  return roomPage(desk, 'people', {
    title: 'People',
    body: html`<h1>People</h1>${formMessage(formOf(filled, 'people', {}))}
${section('admins', 'Who runs it', admins(desk, people.admins, filled))}
${section('copies', 'Copies', grant(desk, filled), 'Testers, press, friends: whoever gets a copy downloads like a buyer.')}
${section('reviews', 'Reviews', summary.count ? html`<p>${formatCount(summary.count, 'review')}, ${summary.enjoyed} enjoyed it, quality ${summary.quality_avg?.toFixed(1)} of 5.</p><ul class="bare">${reviews.items.map((one) => review(desk, one, filled))}</ul>${pager(`${base}/people`, reviews)}` : emptyState('No reviews yet', 'Players with a copy may write one each.'))}
${section('tags', 'Tags of players', tags(desk, community.tags))}`,
  })
}

const setTag = (path: 'hide' | 'show') =>
  deskForm(`people/tags/:tag/${path}`, `${path === 'hide' ? 'Hide' : 'Show'} a tag of players`, {
    form: 'people',
    show: showPeople,
    send: ({ api, params }) => ({
      method: 'PUT',
      url: `${api}/community-tags/${encodeURIComponent(params.tag!)}`,
      body: { hidden: path === 'hide' },
    }),
    done: path === 'hide' ? 'Hidden. Its votes stay.' : 'Shown again',
    back: 'people#tags',
  })

export const peopleRoutes = [
  deskPage('people', 'The people of a project', showPeople),
  deskForm('people/invite', 'Invite somebody to a project', {
    form: 'invite',
    show: showPeople,
    send: ({ api }, sent) => ({
      method: 'POST',
      url: `${api}/admins`,
      body: { username: fieldValue(sent, 'username').trim() },
    }),
    done: 'Invited. They find it on their dashboard.',
    back: 'people',
  }),
  deskForm('people/:user/remove', 'Remove somebody from a project', {
    form: 'people',
    show: showPeople,
    send: ({ api, params }) => ({
      method: 'DELETE',
      url: `${api}/admins/${encodeURIComponent(params.user!)}`,
    }),
    done: 'Removed',
    back: ({ base, params, who }) =>
      params.user === who.user_uid ? '/dashboard' : `${base}/people`,
  }),
  deskForm('people/grant', 'Give somebody a copy', {
    form: 'grant',
    show: showPeople,
    send: ({ api }, sent) => ({
      method: 'POST',
      url: `${api}/licences`,
      body: { username: fieldValue(sent, 'grantee').trim() },
    }),
    done: 'Given',
    back: 'people#copies',
  }),
  deskForm('people/reviews/:review', 'Answer a review', {
    form: ({ params }) => `reply-${params.review}`,
    show: showPeople,
    send: ({ api, params }, sent) => ({
      method: 'PUT',
      url: `${api}/reviews/${encodeURIComponent(params.review!)}/reply`,
      body: { text: fieldValue(sent, `text-${params.review}`) },
    }),
    done: 'Saved',
    back: 'people#reviews',
  }),
  setTag('hide'),
  setTag('show'),
]
