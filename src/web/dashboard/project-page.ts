import type { FastifyReply } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Route, RouteData } from '../../core/http/route.ts'
import { Refusal } from '../../core/runtime/errors.ts'
import { type Text, t } from '../../core/text/text.ts'
import type { CheckReport } from '../../listings/listing/check.ts'
import { lintRoute, readMyListing } from '../../listings/listing/routes.ts'
import { canOpenPage } from '../../listings/listing/visibility.ts'
import { readApi } from '../call.ts'
import { visibilityBadge } from '../components/badge.ts'
import type { FormState } from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'
import { getPage } from '../page-routes.ts'
import { member } from '../visitor.ts'
import type { ImportReport } from './import/import-report.ts'
import { takenDownPage } from './moderated.ts'
import { checkPanel, checkSummary } from './page/check.ts'

export type Listing = RouteData<typeof readMyListing>
type Params = { game: string; [name: string]: string }
type Query = Record<string, string>

/** A project, opened by its owner or an accepted admin. Everyone else gets a 404. */
export type ProjectContext = Context & {
  who: Identity
  params: Params
  query: Query
  listing: Listing
  /** The uid of the listing, as the routes of the API take it. */
  uid: string
  check: CheckReport
  is_owner: boolean
  /** The address of the project in the dashboard. */
  base: string
  /** The page shows a key that is shown only once. */
  has_secret?: boolean
}

/** What a form of this page led to: the input that was refused, a new secret, or a report. */
export type FormResult = {
  form?: string
  state?: FormState
  secrets?: Record<string, string>
  report?: ImportReport
}

const overview = ['overview', t('section-overview')] as const

const sectionGroups = [
  {
    label: t('sections-store-page'),
    sections: [
      ['page', t('section-page')],
      ['images', t('section-images')],
      ['press', t('section-press')],
      ['links', t('section-links')],
      ['external-store', t('section-external-store')],
    ],
  },
  {
    label: t('sections-sales'),
    sections: [
      ['sales', t('section-sales')],
      ['coupons', t('section-coupons')],
      ['keys', t('section-keys')],
      ['revenue', t('section-revenue')],
    ],
  },
  {
    label: t('sections-builds'),
    sections: [
      ['builds', t('section-builds')],
      ['deploy-keys', t('deploy-key')],
    ],
  },
  {
    label: t('sections-insights'),
    sections: [
      ['health', t('section-health')],
      ['downloads', t('section-downloads')],
      ['crashes', t('section-crashes')],
      ['bugs', t('section-bugs')],
      ['reviews', t('section-reviews')],
    ],
  },
  {
    label: t('sections-team'),
    sections: [
      ['people', t('section-people')],
      ['settings', t('section-settings')],
    ],
  },
] as const

export const sections = [overview, ...sectionGroups.flatMap((group) => [...group.sections])]
export type SectionName = (typeof sections)[number][0]

export type ProjectInput = Context & { who: Identity; params: Params; query?: unknown }

export async function openProject(input: ProjectInput): Promise<ProjectContext> {
  const { core, request, reply, who, params } = input
  const route_params = { uid: params.game }
  const [listing, check] = await Promise.all([
    readApi(request, readMyListing, { params: route_params }),
    readApi(request, lintRoute, { params: route_params }),
  ])
  return {
    core,
    request,
    reply,
    who,
    params,
    query: (input.query ?? {}) as Query,
    listing,
    uid: listing.uid,
    check,
    is_owner: listing.developer.uid === who.user_uid,
    base: `/dashboard/${listing.vanity_name}`,
  }
}

type SectionParts = {
  title: Text
  /** The first heading, where it is not the title. */
  heading?: Html
  /** The path of the overview that the page belongs to; the link has the name of the section. */
  overview?: string
  body: Html
  scripts?: readonly string[]
}

/** The layout of a project: the sections on the left, the listing check on the right. */
export function renderSection(
  project: ProjectContext,
  section: SectionName,
  parts: SectionParts,
): Promise<FastifyReply> {
  const { listing, base, check } = project
  const { title, heading = html`<h1>${title}</h1>`, overview, body, scripts = [] } = parts
  return page(project, {
    title: withStoreName(project.core, t('project-page-title', { title, project: listing.name })),
    noindex: true,
    secret: project.has_secret ?? false,
    layout: 'project-page',
    styles: ['dashboard.css'],
    scripts: ['dashboard.mjs', ...scripts],
    body: html`
      <div class="project-frame">
        ${projectHead(project)}
        <nav class="section-nav" aria-label="${t('project-sections', { project: listing.name })}">
          ${sectionLinks(base, section)}
        </nav>
        <div class="section-body">
          ${isWithheld(project) && withheldNotice}
          ${overview && overviewLink(`${base}/${overview}`, section)}
          ${heading}
          ${body}
        </div>
        <aside class="project-side">
          <live-check data-url="${base}/check">
            ${checkPanel(base, check, listing)}
          </live-check>
        </aside>
      </div>`,
  })
}

/** While the store does not allow adult content, only owners can open adult pages. */
const isWithheld = ({ core, listing }: ProjectContext) =>
  listing.adult && !core.settings.current.adult_content
const withheldNotice = html`
  <p class="notice notice-warn"><span>${t('listing-withheld')}</span></p>`

function projectHead(project: ProjectContext): Html {
  const { name, visibility } = project.listing
  const { check } = project
  return html`
    <header class="project-head">
      <p class="eyebrow"><a href="/dashboard">${t('dashboard-projects')}</a></p>
      <p class="project-title">${name}</p>
      ${visibilityBadge(visibility)}
      ${storePageLink(project)}
      <a class="project-check check-${check.ready ? 'ok' : 'bad'}" href="#check">
        ${checkSummary(check, visibility)}
      </a>
    </header>`
}

function overviewLink(url: string, section: SectionName): Html {
  const label = sections.find(([name]) => name === section)?.[1]
  return html`<p class="eyebrow"><a href="${url}">${label}</a></p>`
}

const sectionLinks = (base: string, current: SectionName): Html => html`
  <ul class="section-groups">
    ${sectionLink(base, overview, current)}
    ${sectionGroups.map(
      ({ label, sections }) => html`
        <li>
          <span class="section-group">${label}</span>
          <ul>${sections.map((section) => sectionLink(base, section, current))}</ul>
        </li>`,
    )}
  </ul>`

function sectionLink(
  base: string,
  [slug, label]: (typeof sections)[number],
  current: SectionName,
): Html {
  const is_current = slug === current && html` aria-current="page"`
  return html`<li><a href="${base}/${slug}"${is_current}>${label}</a></li>`
}

function storePageLink({ listing, is_owner }: ProjectContext): Html | false {
  const { visibility, developer, vanity_name } = listing
  return (
    canOpenPage({ visibility, is_owner, is_accepted_admin: true }) &&
    html`
      <a class="project-link" href="/${developer.username}/${vanity_name}">
        ${t('project-view-page')}
      </a>`
  )
}

const gameParams = Type.Object({ game: Type.String() })
/** A schema of the parameters that a path names. */
export const pathParams = (path: string) =>
  Type.Object(
    Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, Type.String()])),
  ) as typeof gameParams
export const anyQuery = Type.Record(Type.String(), Type.String()) as unknown as TObject<
  Record<never, TSchema>
>

export type ShowPage = (
  project: ProjectContext,
  result: FormResult,
) => Promise<FastifyReply> | FastifyReply

/** For a project that does not exist for the API, which is also the answer to one taken down. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.status !== 404) throw error
}

/** A page of a project. `path` follows the name of the project. */
export const projectPage = (path: string, summary: string, show: ShowPage): Route =>
  getPage(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: pathParams(`:game/${path}`),
    query: anyQuery,
    async handle(input) {
      const project_input = input as unknown as ProjectInput
      const project = await openProject(project_input).catch(unlessMissing)
      return project ? show(project, {}) : takenDownPage(project_input, project_input.params.game)
    },
  })

/** A part of a page with a heading and an anchor. */
export const subsection = (id: string, title: Text, body: Html, about?: Html | Text): Html =>
  html`
    <section class="subsection" id="${id}">
      <header>
        <h2>${title}</h2>
        ${about && html`<p class="soft">${about}</p>`}
      </header>
      ${body}
    </section>`
