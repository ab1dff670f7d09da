import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { decidePublisherRoute, listPublishersRoute } from '../../operator/publishers/routes.ts'
import {
  decideReleaseRoute,
  listReleasesRoute,
  readReleaseRoute,
} from '../../operator/releases/routes.ts'
import { callApi, readApi } from '../call.ts'
import { scanBadge } from '../components/badge.ts'
import {
  button,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textArea,
  textField,
} from '../components/form.ts'
import { dateTag, formatBytes, formatPrice, labelOf, labelsOf } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { markdown } from '../components/markdown.ts'
import { facts, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const URL = '/operator/approvals'
type Publisher = RouteData<typeof listPublishersRoute>['items'][number]
type Release = RouteData<typeof listReleasesRoute>['items'][number]
type Decision = 'approve' | 'decline'

/** Which form of the page was refused: that of a person, or the one for any person. */
type Refused = { username: string; state: FormState }

async function renderApprovals(context: Context, refused?: Refused) {
  const { request, core } = context
  const [requests, approved, releases] = await Promise.all([
    readApi(request, listPublishersRoute, { query: { state: 'requested', page_size: 50 } }),
    readApi(request, listPublishersRoute, { query: { state: 'approved', page_size: 50 } }),
    readApi(request, listReleasesRoute, { query: { state: 'waiting', page_size: 50 } }),
  ])
  const { publishing, review_first_release } = core.settings.current
  return renderConsole(context, URL, {
    body: html`
      ${section(
        'releases',
        t('approvals-releases', { count: releases.total }),
        html`
          <p class="soft">
            ${review_first_release ? t('approvals-releases-on') : t('approvals-releases-off')}
          </p>
          ${releases.items.length > 0 && releaseTable(releases.items)}`,
      )}
      ${section(
        'people',
        t('approvals-people', { count: requests.total }),
        html`
          <p class="soft">${t(`approvals-people-${publishing}`)}</p>
          ${requests.items.map((person) => personRequest(person, refused))}`,
      )}
      ${section(
        'approved',
        t('approvals-approved', { count: approved.total }),
        html`
          ${approved.items.length > 0 && approvedTable(approved.items)}
          ${approveForm(refused?.username === '' ? refused.state : emptyForm)}`,
      )}`,
  })
}

const section = (id: string, title: Text, body: Html): Html => html`
  <section class="subsection" id="${id}" aria-labelledby="${id}-title">
    <header><h2 id="${id}-title">${title}</h2></header>
    ${body}
  </section>`

const releaseTable = (items: readonly Release[]): Html =>
  table(
    t('approvals-releases-caption'),
    ['listing', 'kind', 'person', 'since'].map((column) => t(`approvals-column-${column}`)),
    items.map(({ game_uid, name, asset_type, username, requested_at }) => [
      html`<a href="${URL}/releases/${game_uid}">${name}</a>`,
      labelOf(asset_type),
      html`<a href="/${username}">${username}</a>`,
      dateTag(requested_at),
    ]),
  )

/** Buttons to approve or to decline, with an answer that is mailed. */
function decisionForm(action: string, state: FormState, fields: Html = html``): Html {
  const reason = textArea(state, {
    name: 'reason',
    label: t('approvals-reason'),
    hint: t('approvals-reason-hint'),
    rows: 3,
    maxlength: 1000,
  })
  const submit = html`
    <div class="row">
      ${button(t('approvals-approve'), { kind: 'ink', name: 'decision', value: 'approve' })}
      ${button(t('approvals-decline'), { kind: 'danger', name: 'decision', value: 'decline' })}
    </div>`
  return fieldForm(state, { action, names: ['reason'], submit }, html`${fields}${reason}`)
}

function personRequest(person: Publisher, refused: Refused | undefined): Html {
  const { username, email, email_verified, member_since, request, requested_at } = person
  const state = refused?.username === username ? refused.state : emptyForm
  return html`
    <article class="panel">
      <h3><a href="/${username}">${username}</a></h3>
      ${facts([
        [t('email'), email_verified ? email : t('approvals-unverified', { email })],
        [t('approvals-member-since'), dateTag(member_since)],
        requested_at !== null && [t('approvals-column-since'), dateTag(requested_at)],
      ])}
      <blockquote>${request}</blockquote>
      <details${refused?.username === username && html` open`}>
        <summary class="button button-quiet button-small">${t('approvals-decide')}</summary>
        ${decisionForm(`${URL}/people/${username}`, state)}
      </details>
    </article>`
}

const approvedTable = (items: readonly Publisher[]): Html =>
  table(
    t('approvals-approved-caption'),
    ['person', 'decided', 'by'].map((column) => t(`approvals-column-${column}`)),
    items.map(({ username, decided_at, decided_by }) => [
      html`<a href="/${username}">${username}</a>`,
      decided_at ? dateTag(decided_at) : '',
      decided_by ?? t('approvals-by-invitation'),
    ]),
  )

/** For people who did not ask, and to take the right back. */
function approveForm(state: FormState): Html {
  const username = textField(state, {
    name: 'username',
    label: t('approvals-username'),
    hint: t('approvals-username-hint'),
    required: true,
  })
  return decisionForm(`${URL}/people`, state, username)
}

const readDecision = (sent: FormBody) => ({
  decision: (fieldValue(sent, 'decision') === 'approve' ? 'approve' : 'decline') as Decision,
  reason: fieldValue(sent, 'reason'),
})

const showApprovals = getPage(URL, 'Who and what waits for an approval', {
  auth: consoleOperator,
  handle: (input) => renderApprovals(input),
})

type Sent = Context & { body: FormBody }

/** `place` names the form that was sent: that of a request, or the one for any person. */
async function decideAbout(input: Sent, username: string, place: string) {
  const { request, reply, body: sent } = input
  const body = readDecision(sent)
  const answer = await callApi(request, decidePublisherRoute, { params: { username }, body })
  if (answer.ok) {
    const message =
      body.decision === 'approve' ? 'approvals-approved-one' : 'approvals-declined-one'
    return redirectTo(reply, URL, t(message, { name: answer.data.username }))
  }
  reply.code(answer.status)
  return renderApprovals(input, { username: place, state: rejectedForm(sent, answer) })
}

const decidePerson = postForm(`${URL}/people/:username`, 'Decide who may publish', {
  auth: consoleOperator,
  params: Type.Object({ username: Type.String() }),
  handle: (input) => decideAbout(input, input.params.username, input.params.username),
})

const decideAnyPerson = postForm(`${URL}/people`, 'Decide about a person who did not ask', {
  auth: consoleOperator,
  handle: (input) => decideAbout(input, fieldValue(input.body, 'username').trim() || '-', ''),
})

const releaseParams = Type.Object({ uid: Type.String() })

async function renderRelease(context: Context, uid: string, state: FormState) {
  const release = await readApi(context.request, readReleaseRoute, { params: { game_uid: uid } })
  const { page, version, username, requested_at } = release
  const hidden = html`<input type="hidden" name="version" value="${version}">`
  return renderConsole(context, URL, {
    title: t('release-title', { game: release.name }),
    body: html`
      <p class="eyebrow"><a href="${URL}">${t('console-approvals')}</a></p>
      <p>
        ${richText('release-by', {
          person: html`<a href="/${username}">${username}</a>`,
          date: dateTag(requested_at),
        })}
      </p>
      ${
        release.state === 'waiting'
          ? decisionForm(`${URL}/releases/${uid}`, state, hidden)
          : html`<p class="notice"><span>${t(`release-is-${release.state}`)}</span></p>`
      }
      ${releaseFacts(page)}
      <h2>${t('release-description')}</h2>
      <div class="prose">${markdown(page.description)}</div>
      ${releaseImages(page)}
      ${releaseFiles(page)}`,
  })
}

type ReleasePage = RouteData<typeof readReleaseRoute>['page']

const releaseFacts = (page: ReleasePage): Html =>
  facts([
    [t('release-tagline'), page.tagline],
    [t('approvals-column-kind'), labelOf(page.asset_type)],
    [t('edition-price'), formatPrice(page.price_cents)],
    [t('release-tags'), page.tags.join(', ')],
    [t('release-warnings'), labelsOf(page.content_warnings)],
    page.adult && [t('adult-title'), t('release-adult')],
  ])

const releaseImages = ({ cover, gallery, name }: ReleasePage): Html => html`
  <h2>${t('release-images')}</h2>
  <div class="release-images">
    ${[cover, ...gallery.map(({ url }) => url)].map(
      (url, index) => html`
        <img src="${url}" alt="${t('release-image', { name, number: index + 1 })}" loading="lazy">`,
    )}
  </div>`

const releaseFiles = ({ files }: ReleasePage): Html => html`
  <h2>${t('release-files')}</h2>
  ${table(
    t('release-files'),
    ['file', 'version', 'system', 'size', 'scan'].map((column) => t(`release-column-${column}`)),
    files.map(({ filename, version, os, size, scan }) => [
      filename,
      version,
      labelOf(os),
      formatBytes(size),
      scanBadge(scan),
    ]),
  )}`

const showRelease = getPage(`${URL}/releases/:uid`, 'A first release that waits for a review', {
  auth: consoleOperator,
  params: releaseParams,
  handle: (input) => renderRelease(input, input.params.uid, emptyForm),
})

const decideRelease = postForm(`${URL}/releases/:uid`, 'Publish or decline a first release', {
  auth: consoleOperator,
  params: releaseParams,
  async handle(input) {
    const { request, reply, params, body: sent } = input
    const body = { ...readDecision(sent), version: Number(fieldValue(sent, 'version')) }
    const answer = await callApi(request, decideReleaseRoute, {
      params: { game_uid: params.uid },
      body,
    })
    if (answer.ok) {
      const message = body.decision === 'approve' ? 'release-approved-one' : 'release-declined-one'
      return redirectTo(reply, URL, t(message, { name: answer.data.name }))
    }
    reply.code(answer.status)
    return renderRelease(input, params.uid, rejectedForm(sent, answer))
  },
})

export const approvalPages = [
  showApprovals,
  decidePerson,
  decideAnyPerson,
  showRelease,
  decideRelease,
]
