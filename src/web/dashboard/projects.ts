import { Type } from 'typebox'
import { developerRoute, readAccount } from '../../accounts/people/routes.ts'
import { readPublishing } from '../../accounts/publishing/routes.ts'
import type { RouteData } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { joinTexts, t } from '../../core/text/text.ts'
import { listDeletedRoute, restoreListingRoute } from '../../listings/deleted/routes.ts'
import { createListing, listListings } from '../../listings/listing/routes.ts'
import { acceptInviteRoute, declineInviteRoute, listInvites } from '../../listings/people/routes.ts'
import { type Pictures, readPictures } from '../../listings/renditions/pictures.ts'
import { readOwnStorageRoute } from '../../listings/storage/routes.ts'
import { listStatementsRoute } from '../../moderation/routes.ts'
import { decisionList } from '../account/moderation.ts'
import { callApi, readApi } from '../call.ts'
import { badge, visibilityBadge } from '../components/badge.ts'
import {
  button,
  checkField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldChoice,
  fieldForm,
  fieldValue,
  isChecked,
  rejectedForm,
} from '../components/form.ts'
import { dateTag, labelOf } from '../components/format.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { pager } from '../components/pager.ts'
import { postButton } from '../components/secret-field.ts'
import { emptyState } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { thumbnail, thumbnailUrls } from '../store/browse/card.ts'
import { member } from '../visitor.ts'
import { type ProjectSummary, readSummaries } from './overview/summaries.ts'
import {
  activeSpark,
  downloadSpark,
  healthMark,
  stepLink,
  sumOf,
} from './overview/summary-parts.ts'
import { listingForm } from './page/listing-form.ts'
import { storageSection } from './storage-bar.ts'

type Projects = RouteData<typeof listListings>
type Project = Projects['items'][number]
type DeletedProject = RouteData<typeof listDeletedRoute>['items'][number]
type Invite = RouteData<typeof listInvites>['invites'][number]

const assets = { styles: ['dashboard.css'], scripts: ['dashboard.mjs'] } as const

type ProjectCards = { summaries: Map<string, ProjectSummary>; pictures: Pictures }
const THUMBNAIL_SIZES = '(max-width: 760px) 96px, 160px'
/** Each project takes several lines. */
const PROJECTS_PER_PAGE = 25

function projectLine(project: Project, { summaries, pictures }: ProjectCards): Html {
  const { uid, name, vanity_name, asset_type, role, visibility, updated_at } = project
  const base = `/dashboard/${vanity_name}`
  const summary = summaries.get(uid)
  const image = { name, thumbnail: summary?.thumbnail ?? '' }
  return html`
    <li class="project">
      ${thumbnail(image, pictures, { sizes: THUMBNAIL_SIZES })}
      <div class="project-main">
        <a class="project-name" href="${base}/overview">${name}</a>
        <p class="soft">
          ${joinTexts([labelOf(asset_type), role === 'admin' && t('role-admin')], ' · ')}
          <span class="project-when">
            ${richText('project-updated', { date: dateTag(updated_at) })}
          </span>
        </p>
        ${summary?.steps[0] && stepLink(base, summary.steps[0])}
      </div>
      ${summary && projectFigures(base, summary)}
      <div class="project-state">
        ${visibilityBadge(visibility)}
        ${summary && healthMark(summary)}
      </div>
    </li>`
}

function projectFigures(base: string, summary: ProjectSummary): Html {
  const { downloads, active_devices, open_bugs, open_crashes } = summary
  const count = (path: string, id: string, count: number) => html`
    <a href="${base}/${path}">${richText(id, { count, strong: strongText })}</a>`
  return html`
    <ul class="project-figures">
      <li>${count('downloads', 'figure-downloads', sumOf(downloads))}${downloadSpark(summary)}</li>
      <li>
        ${count('health', 'figure-active-today', active_devices.at(-1)!)}${activeSpark(summary)}
      </li>
      <li>${count('bugs', 'figure-open-bugs', open_bugs)}</li>
      <li>${count('crashes', 'figure-open-crashes', open_crashes)}</li>
    </ul>`
}

function inviteLine({ uid, name, invited_by }: Invite, is_developer: boolean): Html {
  return html`
    <li class="panel row">
      <span>
        ${richText('invite-text', { person: invited_by, project: name, strong: strongText })}
        ${!is_developer && t('invite-terms')}
      </span>
      ${postButton(t('invite-accept'), `/dashboard/invites/${uid}/accept`, { kind: 'ink' })}
      ${postButton(t('invite-decline'), `/dashboard/invites/${uid}/decline`)}
    </li>`
}

const inviteList = (invites: Invite[], is_developer: boolean): Html => html`
  <section aria-labelledby="invites">
    <h2 id="invites">${t('invites')}</h2>
    <ul class="bare">${invites.map((invite) => inviteLine(invite, is_developer))}</ul>
  </section>`

const deletedLine = ({ uid, name, taken_down, ...times }: DeletedProject): Html => html`
  <li class="project deleted-project">
    <strong class="project-name">${name}</strong>
    ${taken_down && badge(t('moderation-action-take-down'), 'bad')}
    <span class="soft">
      ${richText('project-deleted-on', { date: dateTag(times.deleted_at), end: dateTag(times.purge_at) })}
    </span>
    ${postButton(t('project-restore'), `/dashboard/deleted/${uid}/restore`, { kind: 'ink' })}
  </li>`

const deletedList = (projects: DeletedProject[]): Html => html`
  <section aria-labelledby="deleted">
    <h2 id="deleted">${t('projects-deleted')}</h2>
    <ul class="projects">${projects.map(deletedLine)}</ul>
  </section>`

const unverifiedNotice = html`
  <p class="notice notice-warn">
    <span>${richText('projects-unverified', { link: linkTo('/settings/verify') })}</span>
  </p>`

const publishingNotice = ({ state }: RouteData<typeof readPublishing>): Html => html`
  <p class="notice">
    <span>
      ${
        state === 'requested'
          ? t('publishing-requested')
          : richText('publishing-not-allowed', { link: linkTo('/settings/publishing') })
      }
    </span>
  </p>`

const newProjectLink = html`
  <a class="button button-primary" href="/dashboard/new">${t('project-new')}</a>`

async function projectsPage(context: Context, number: string, state: FormState = emptyForm) {
  const { core, request } = context
  const [account, publishing, { invites }, deleted, statements, storage] = await Promise.all([
    readApi(request, readAccount),
    readApi(request, readPublishing),
    readApi(request, listInvites),
    readApi(request, listDeletedRoute),
    readApi(request, listStatementsRoute),
    readApi(request, readOwnStorageRoute),
  ])
  const decisions = statements.items.filter(({ in_force }) => in_force)
  const projects = await readApi(request, listListings, {
    query: { page: Number(number) || 1, page_size: PROJECTS_PER_PAGE },
  })
  const summaries = await readSummaries(core, projects.items)
  const pictures = await readPictures(core, thumbnailUrls([...summaries.values()]))
  return page(context, {
    title: withStoreName(core, t('projects-title')),
    noindex: true,
    ...assets,
    body: html`
      <div class="row spread">
        <h1>${t('projects-title')}</h1>
        ${account.developer && newProjectLink}
      </div>
      ${!account.email_verified && unverifiedNotice}
      ${decisions.length > 0 && decisionList(decisions)}
      ${!publishing.may_publish && publishingNotice(publishing)}
      ${invites.length > 0 && inviteList(invites, account.developer)}
      ${account.developer ? projectList(projects, { summaries, pictures }) : developerForm(state)}
      ${deleted.items.length > 0 && deletedList(deleted.items)}
      ${account.developer && ownStorage(storage)}`,
  })
}

const ownStorage = (storage: RouteData<typeof readOwnStorageRoute>): Html => html`
  <section aria-labelledby="storage">
    <h2 id="storage">${t('storage-title')}</h2>
    <p class="soft">${t('storage-own-text')}</p>
    ${storageSection(storage)}
  </section>`

const firstLinks = html`
  <a class="button button-primary" href="/dashboard/new">${t('projects-create-first')}</a>
  <a class="button button-quiet" href="/dashboard/import">${t('projects-import')}</a>`

function projectList(projects: Projects, cards: ProjectCards): Html {
  if (!projects.items.length)
    return emptyState(t('projects-none'), t('projects-none-text'), firstLinks)
  return html`
    <ul class="projects">${projects.items.map((project) => projectLine(project, cards))}</ul>
    ${pager('/dashboard', projects)}`
}

function developerForm(state: FormState): Html {
  const terms = checkField(state, {
    name: 'accept_terms',
    label: t('developer-accept-terms'),
  })
  const form = {
    action: '/dashboard/developer',
    names: ['accept_terms'],
    submit: button(t('developer-turn-on')),
  }
  return html`
    <section class="panel">
      <h2>${t('developer-title')}</h2>
      <p>${t('developer-text')}</p>
      ${fieldForm(state, form, terms)}
    </section>`
}

const showProjects = getPage('/dashboard', 'Your projects', {
  auth: member,
  query: Type.Object({ page: Type.Optional(Type.String()) }),
  handle: (input) => projectsPage(input, input.query.page ?? '1'),
})

const enableDeveloper = postForm('/dashboard/developer', 'Turn on developer mode', {
  auth: member,
  async handle(input) {
    const { request, reply, body: sent } = input
    const body = { enabled: true, accept_terms: isChecked(sent, 'accept_terms') }
    const answer = await callApi(request, developerRoute, { body })
    if (answer.ok) return redirectTo(reply, '/dashboard', t('developer-is-on'))
    const context = { ...input, reply: reply.code(answer.status) }
    return projectsPage(context, '1', rejectedForm(sent, answer))
  },
})

const newProjectForm = (core: Core, state: FormState): Html =>
  listingForm(state, {
    action: '/dashboard/new',
    fields: ['name', 'asset_type', 'tagline', 'vanity_name'],
    submit: button(t('project-create')),
    controls: {
      asset_type: { hint: '', values: core.settings.current.asset_types },
      vanity_name: {
        required: false,
        hint: t('project-address-hint'),
      },
    },
  })

const newProjectPage = (context: Context, state: FormState) =>
  narrowPage(context, {
    title: t('project-new'),
    ...assets,
    above: html`<p class="eyebrow"><a href="/dashboard">${t('dashboard-projects')}</a></p>`,
    body: html`
      <p class="lede">${t('project-new-text')}</p>
      ${newProjectForm(context.core, state)}
      <p class="aside">
        ${richText('project-new-import', { link: linkTo('/dashboard/import') })}
      </p>`,
  })

const showNewProject = getPage('/dashboard/new', 'New project', {
  auth: member,
  handle: (input) => newProjectPage(input, emptyForm),
})

const readNewProject = (sent: FormBody) => ({
  name: fieldValue(sent, 'name'),
  asset_type: fieldChoice<Project['asset_type']>(sent, 'asset_type') || undefined,
  tagline: fieldValue(sent, 'tagline') || undefined,
  vanity_name: fieldValue(sent, 'vanity_name') || undefined,
})

const createProject = postForm('/dashboard/new', 'Create a project', {
  auth: member,
  async handle(input) {
    const { request, reply, body: sent } = input
    const answer = await callApi(request, createListing, { body: readNewProject(sent) })
    if (!answer.ok)
      return newProjectPage(
        { ...input, reply: reply.code(answer.status) },
        rejectedForm(sent, answer),
      )
    const address = `/dashboard/${answer.data.vanity_name}/page`
    return redirectTo(reply, address, t('project-created'))
  },
})

const inviteParams = Type.Object({ uid: Type.String() })

/** Accepting also turns on developer mode, as the text beside the button explains. */
const acceptInvite = postForm('/dashboard/invites/:uid/accept', 'Accept an invitation', {
  auth: member,
  params: inviteParams,
  async handle({ request, reply, params }) {
    const body = { accept_terms: true }
    const answer = await callApi(request, acceptInviteRoute, { params, body })
    return redirectTo(reply, '/dashboard', answer.ok ? t('invite-accepted') : answer.message)
  },
})

const declineInvite = postForm('/dashboard/invites/:uid/decline', 'Decline an invitation', {
  auth: member,
  params: inviteParams,
  async handle({ request, reply, params }) {
    const answer = await callApi(request, declineInviteRoute, { params })
    return redirectTo(reply, '/dashboard', answer.ok ? t('invite-declined') : answer.message)
  },
})

const restoreProject = postForm('/dashboard/deleted/:uid/restore', 'Restore a project', {
  auth: member,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    const answer = await callApi(request, restoreListingRoute, { params })
    return answer.ok
      ? redirectTo(
          reply,
          `/dashboard/${answer.data.vanity_name}/page`,
          answer.data.taken_down ? t('project-restored-taken-down') : t('project-restored'),
        )
      : redirectTo(reply, '/dashboard', answer.message)
  },
})

export const projectRoutes = [
  showProjects,
  enableDeveloper,
  showNewProject,
  createProject,
  acceptInvite,
  declineInvite,
  restoreProject,
]
