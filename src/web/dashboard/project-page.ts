import type { FastifyReply } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { routePath } from '../../core/http/call.ts'
import type { Route, RouteData } from '../../core/http/route.ts'
import type { CheckReport } from '../../listings/listing/check.ts'
import { lintRoute, readMyListing } from '../../listings/listing/routes.ts'
import { canOpenPage } from '../../listings/listing/visibility.ts'
import { type ApiAnswer, type ApiRefusal, readApi } from '../call.ts'
import { visibilityBadge } from '../components/badge.ts'
import { type FormBody, type FormState, rejectedForm } from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import { type Context, page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import type { ImportReport } from './import/import-report.ts'
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

export const sections = [
  ['page', 'Page'],
  ['images', 'Images'],
  ['builds', 'Builds'],
  ['health', 'Health'],
  ['downloads', 'Downloads'],
  ['crashes', 'Crashes'],
  ['bugs', 'Bugs'],
  ['press', 'Press'],
  ['links', 'Links'],
  ['external-store', 'External store'],
  ['people', 'People'],
  ['settings', 'Settings'],
] as const
export type SectionName = (typeof sections)[number][0]

/** The address of the listing in the API, for scripts that add the rest of a path. */
export const apiBase = (uid: string) => routePath(readMyListing.url, { uid })

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

type SectionParts = { title: string; body: Html; scripts?: readonly string[] }

/** The layout of a project: the sections on the left, the listing check on the right. */
export function renderSection(
  project: ProjectContext,
  section: SectionName,
  { title, body, scripts = [] }: SectionParts,
): Promise<FastifyReply> {
  const { listing, base, check } = project
  const { visibility } = listing
  return page(project, {
    title: `${title} · ${listing.name} · Slipway`,
    noindex: true,
    secret: project.has_secret ?? false,
    layout: 'project-page',
    styles: ['dashboard.css'],
    scripts: ['dashboard.mjs', ...scripts],
    body: html`
      <div class="project-frame">
        <header class="project-head">
          <p class="eyebrow"><a href="/dashboard">Projects</a></p>
          <p class="project-title">${listing.name}</p>
          ${visibilityBadge(visibility)}
          ${storePageLink(project)}
          <a class="project-check check-${check.ready ? 'ok' : 'bad'}" href="#check">
            ${checkSummary(check, visibility)}
          </a>
        </header>
        <nav class="section-nav" aria-label="Sections of ${listing.name}">
          <ul>${sections.map((item) => sectionLink(base, item, section))}</ul>
        </nav>
        <div class="section-body">
          ${body}
        </div>
        <aside class="project-side">
          <live-check data-url="${base}/check">${checkPanel(base, check, visibility)}</live-check>
        </aside>
      </div>`,
  })
}

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
    html`<a class="project-link" href="/${developer.username}/${vanity_name}">View page</a>`
  )
}

const gameParams = Type.Object({ game: Type.String() })
/** A schema of the parameters that a path names. */
export const pathParams = (path: string) =>
  Type.Object(
    Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, Type.String()])),
  ) as typeof gameParams
const anyQuery = Type.Record(Type.String(), Type.String()) as unknown as TObject<
  Record<never, TSchema>
>

export type ShowPage = (
  project: ProjectContext,
  result: FormResult,
) => Promise<FastifyReply> | FastifyReply

/** A page of a project. `path` follows the name of the project. */
export const projectPage = (path: string, summary: string, show: ShowPage): Route =>
  getPage(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: pathParams(`:game/${path}`),
    query: anyQuery,
    handle: async (input) => show(await openProject(input as never), {}),
  })

type FormParts<Data> = {
  /** The name of the form on its page. */
  form: string | ((project: ProjectContext) => string)
  send: (project: ProjectContext, sent: FormBody) => Promise<ApiAnswer<Data>>
  show: ShowPage
} & (
  | {
      /** The message after success. */
      done: string | ((project: ProjectContext, data: Data) => string)
      /** Where to go after success: a page of the project, or any address by function. */
      back: string | ((project: ProjectContext, data: Data) => string)
    }
  /** The secrets of an answer. They are shown at once, because they cannot be read again. */
  | { reveal: (data: Data) => Record<string, string> }
)

/** The target of a form of a project. When refused, the page comes back with the input. */
export const projectForm = <Data>(
  path: string,
  summary: string,
  { form, send, show, ...outcome }: FormParts<Data>,
): Route =>
  postForm(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: pathParams(`:game/${path}`),
    query: anyQuery,
    async handle(input) {
      const project = await openProject(input as never)
      const name = typeof form === 'function' ? form(project) : form
      const answer = await send(project, input.body)
      if (!answer.ok)
        return show(withStatus(project, answer), {
          form: name,
          state: rejectedForm(input.body, withCheckErrors(answer)),
        })
      if ('reveal' in outcome)
        return show(
          { ...(await openProject(project)), has_secret: true },
          { form: name, secrets: outcome.reveal(answer.data) },
        )
      const { back, done } = outcome
      const address =
        typeof back === 'function' ? back(project, answer.data) : `${project.base}/${back}`
      const message = typeof done === 'function' ? done(project, answer.data) : done
      return redirectTo(project.reply, address, message)
    },
  })

/** The page that answers a refused form has the status of the refusal. */
export const withStatus = (project: ProjectContext, { status }: ApiRefusal): ProjectContext => ({
  ...project,
  reply: project.reply.code(status),
})

/** Adds the errors of the listing check to the message of a failed check. */
export function withCheckErrors(refused: ApiRefusal): ApiRefusal {
  const { lint } = refused.details as { lint?: CheckReport }
  if (!lint?.errors.length) return refused
  const messages = lint.errors.map(({ message }) => message).join('; ')
  return { ...refused, message: `A public page must pass the listing check: ${messages}` }
}

/** The state of a form: the refused input if this form was sent, otherwise the saved values. */
export const formState = (
  { form, state }: FormResult,
  name: string,
  saved: Record<string, unknown>,
): FormState => (form === name && state ? state : { values: saved })

/**
 * Shows a refusal at a field whose name differs from that of the API. Two forms of a page may send
 * the same API field, while the ids of their inputs must differ.
 */
export function renameRefusedField(state: FormState, names: Record<string, string>): FormState {
  const { refused } = state
  const name = refused?.field ? names[refused.field] : undefined
  return refused && name ? { ...state, refused: { ...refused, field: name } } : state
}

/** A part of a page with a heading and an anchor. */
export const subsection = (id: string, title: string, body: Html, about?: Html | string): Html =>
  html`
    <section class="subsection" id="${id}">
      <header>
        <h2>${title}</h2>
        ${about && html`<p class="soft">${about}</p>`}
      </header>
      ${body}
    </section>`
