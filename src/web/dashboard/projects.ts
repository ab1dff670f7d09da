import { Type } from 'typebox'
import { assetTypes } from '../../listings/fields/fields.ts'
import { call, read } from '../call.ts'
import { visibilityBadge } from '../components/badge.ts'
import {
  button,
  checkField,
  emptyForm,
  type FormState,
  fieldValue,
  formMessage,
  isChecked,
  rejectedForm,
  selectField,
  textField,
} from '../components/form.ts'
import { dateTag, labelOf } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { type Context, page } from '../components/layout.ts'
import { pager } from '../components/pager.ts'
import { postButton } from '../components/secret-field.ts'
import { emptyState } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

type Mine = {
  uid: string
  vanity_name: string
  name: string
  asset_type: string
  visibility: string
  role: string
  updated_at: string
}
type Invite = {
  uid: string
  name: string
  vanity_name: string
  invited_by: string
  invited_at: string
}
type Account = { developer: boolean; email_verified: boolean }
const look = { noindex: true, styles: ['dashboard.css'], scripts: ['dashboard.mjs'] } as const

const typeOptions = assetTypes.map((value) => ({ value, label: labelOf(value) }))

const project = ({ name, vanity_name, asset_type, visibility, role, updated_at }: Mine) =>
  html`<li class="project"><a class="project-name" href="/dashboard/${vanity_name}/page">${name}</a><span class="soft">${labelOf(asset_type)}${role === 'admin' && html` · you help run it`}</span>${visibilityBadge(visibility)}<span class="soft project-when">changed ${dateTag(updated_at)}</span></li>`

const invite = ({ uid, name, invited_by }: Invite, developer: boolean) =>
  html`<li class="panel row"><span><strong>${invited_by}</strong> asks you to help run <strong>${name}</strong>.${!developer && html` Accepting turns developer mode on and accepts its terms.`}</span>
${postButton('Accept', `/dashboard/invites/${uid}/accept`, { kind: 'ink' })}${postButton('Decline', `/dashboard/invites/${uid}/decline`)}</li>`

async function projectsPage(context: Context, number: string, state: FormState = emptyForm) {
  const { request } = context
  const [account, { invites }] = await Promise.all([
    read<Account>(request, '/api/v1/private/account'),
    read<{ invites: Invite[] }>(request, '/api/v1/private/invites'),
  ])
  const mine = await read<{ items: Mine[]; page: number; page_size: number; total: number }>(
    request,
    `/api/v1/private/games?page=${Number(number) || 1}`,
  )
  return page(context, {
    title: 'Your projects · Slipway',
    ...look,
    body: html`<div class="row spread"><h1>Your projects</h1>${account.developer && html`<a class="button button-primary" href="/dashboard/new">New project</a>`}</div>
${!account.email_verified && html`<p class="notice notice-warn">Verify your email address before you upload or publish. <a href="/settings/verify">Do it now</a></p>`}
${invites.length > 0 && html`<section aria-labelledby="invites"><h2 id="invites">Invites</h2><ul class="bare">${invites.map((one) => invite(one, account.developer))}</ul></section>`}
${account.developer ? list(mine) : becomeDeveloper(state)}`,
  })
}

const list = (mine: { items: Mine[]; page: number; page_size: number; total: number }): Html =>
  mine.items.length
    ? html`<ul class="projects">${mine.items.map(project)}</ul>${pager('/dashboard', mine)}`
    : emptyState(
        'Nothing on the slip yet',
        'A project starts as a draft that only you can open. Name it, fill it, and publish it when the check is green.',
        html`<a class="button button-primary" href="/dashboard/new">Make your first project</a> <a class="button button-quiet" href="/dashboard/import">Import from the external store</a>`,
      )

const becomeDeveloper = (state: FormState) => html`<section class="panel"><h2>Publish here</h2>
<p>Developer mode lets you make projects, upload builds and issue deploy keys. It costs nothing and you can turn it off while you run no project.</p>
${formMessage(state, ['accept_terms'])}
<form class="form" method="post" action="/dashboard/developer">${checkField(state, { name: 'accept_terms', label: 'I accept the developer terms: what I upload is mine to publish, and I answer for it.' })}${button('Turn developer mode on')}</form></section>`

export const showProjects = getPage('/dashboard', 'Your projects', {
  auth: member,
  query: Type.Object({ page: Type.Optional(Type.String()) }),
  handle: (input) => projectsPage(input, input.query.page ?? '1'),
})

export const sendDeveloper = postForm('/dashboard/developer', 'Turn developer mode on', {
  auth: member,
  async handle(input) {
    const accept_terms = isChecked(input.body, 'accept_terms')
    const answer = await call(input.request, 'POST', '/api/v1/private/account/developer', {
      enabled: true,
      accept_terms,
    })
    if (answer.ok) return redirectTo(input.reply, '/dashboard', 'Developer mode is on')
    return projectsPage(
      { ...input, reply: input.reply.code(answer.status) },
      '1',
      rejectedForm(input.body, answer),
    )
  },
})

const newPage = (context: Context, state: FormState) =>
  page(context, {
    title: 'New project · Slipway',
    ...look,
    body: html`<section class="narrow"><p class="eyebrow"><a href="/dashboard">Projects</a></p><h1>New project</h1>
<p class="lede">It starts as a draft that only you can open.</p>${formMessage(state, ['name', 'asset_type', 'vanity_name', 'tagline'])}
<form class="form" method="post" action="/dashboard/new">
${textField(state, { name: 'name', label: 'Name', required: true, maxlength: 100 })}
${selectField(state, { name: 'asset_type', label: 'What is it?', options: typeOptions, required: true })}
${textField(state, { name: 'tagline', label: 'One line about it', maxlength: 255, hint: 'For lists and share cards.' })}
${textField(state, { name: 'vanity_name', label: 'Address', hint: 'Lowercase letters, digits and dashes. Left empty, it is made from the name.' })}
${button('Make the draft')}</form>
<p class="aside">Already on the external store? <a href="/dashboard/import">Import its page</a>.</p></section>`,
  })

export const showNew = getPage('/dashboard/new', 'New project', {
  auth: member,
  handle: (input) => newPage(input, emptyForm),
})

export const sendNew = postForm('/dashboard/new', 'Make a project', {
  auth: member,
  async handle(input) {
    const { request, reply, body } = input
    const text = (name: string) =>
      fieldValue(body, name) ? { [name]: fieldValue(body, name) } : {}
    const sent = {
      name: fieldValue(body, 'name'),
      ...text('asset_type'),
      ...text('tagline'),
      ...text('vanity_name'),
    }
    const answer = await call(request, 'POST', '/api/v1/private/games', sent)
    if (!answer.ok)
      return newPage({ ...input, reply: reply.code(answer.status) }, rejectedForm(body, answer))
    return redirectTo(
      reply,
      `/dashboard/${answer.data.vanity_name}/page`,
      'Your draft is there. The check on the side says what it needs.',
    )
  },
})

/** Answers an invite; accepting without developer mode turns it on, as the sentence beside the button says. */
const answerInvite = (verb: 'accept' | 'decline', said: string) =>
  postForm(`/dashboard/invites/:uid/${verb}`, `${labelOf(verb)} an invite`, {
    auth: member,
    params: Type.Object({ uid: Type.String() }),
    async handle({ request, reply, params }) {
      const url = `/api/v1/private/invites/${encodeURIComponent(params.uid)}/${verb}`
      const answer = await call(
        request,
        'POST',
        url,
        verb === 'accept' ? { accept_terms: true } : undefined,
      )
      return redirectTo(reply, '/dashboard', answer.ok ? said : answer.message)
    },
  })

export const projectRoutes = [
  showProjects,
  sendDeveloper,
  showNew,
  sendNew,
  answerInvite('accept', 'You help run it now'),
  answerInvite('decline', 'Declined'),
]
