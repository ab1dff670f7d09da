import type { FastifyReply } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Method, Route } from '../../core/http/route.ts'
import type { CheckReport } from '../../listings/listing/check.ts'
import { canOpenPage } from '../../listings/listing/visibility.ts'
import type { PageData } from '../../listings/page/schema.ts'
import { type ApiAnswer, type ApiRefusal, call, read } from '../call.ts'
import { visibilityBadge } from '../components/badge.ts'
import { type FormBody, type FormState, rejectedForm } from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import { type Context, page } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import type { Report } from './import/import-report.ts'
import { checkPanel, summary } from './page/check.ts'

export type Listing = Static<typeof PageData> & { own_price_cents: number }
type Params = { game: string; [more: string]: string }
type Query = Record<string, string>

/** One project, opened by somebody who runs it: everybody else is told that there is no such page. */
export type Desk = Context & {
  who: Identity
  params: Params
  query: Query
  listing: Listing
  check: CheckReport
  is_owner: boolean
  /** Where its rooms are, and where its API is. */
  base: string
  api: string
  /** A key is shown this once. */
  secret?: boolean
}

/** What was typed into one of a room's forms and refused; or a secret that is shown this once. */
export type Filled = {
  form?: string
  state?: FormState
  shown?: Record<string, string>
  report?: Report
}

export const rooms = [
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
export type RoomName = (typeof rooms)[number][0]

export const apiOf = (uid: string, part = '') =>
  `/api/v1/private/games/${encodeURIComponent(uid)}${part}`

export async function openDesk(
  input: Context & { who: Identity; params: Params; query?: unknown },
): Promise<Desk> {
  const { request, who, params } = input
  const api = apiOf(params.game)
  const [listing, check] = await Promise.all([
    read<Listing>(request, api),
    read<CheckReport>(request, `${api}/lint`),
  ])
  const base = `/dashboard/${listing.vanity_name}`
  return {
    ...{ core: input.core, request, reply: input.reply, who, params, listing, check, base },
    query: (input.query ?? {}) as Query,
    api: apiOf(listing.uid),
    is_owner: listing.developer.uid === who.user_uid,
  }
}

type Look = { title: string; body: Html; scripts?: readonly string[] }

/** The frame of a project: rooms on the left, the check on the right, the room between. */
export function roomPage(
  desk: Desk,
  room: RoomName,
  { title, body, scripts = [] }: Look,
): Promise<FastifyReply> {
  const { listing, base, check, is_owner } = desk
  const opens = canOpenPage({ visibility: listing.visibility, is_owner, is_accepted_admin: true })
  return page(desk, {
    title: `${title} · ${listing.name} · Slipway`,
    noindex: true,
    secret: desk.secret ?? false,
    layout: 'desk-page',
    styles: ['dashboard.css'],
    scripts: ['dashboard.mjs', ...scripts],
    body: html`<div class="desk">
<header class="desk-head"><p class="eyebrow"><a href="/dashboard">Projects</a></p>
<p class="desk-name">${listing.name}</p>${visibilityBadge(listing.visibility)}
${opens && html`<a class="desk-open" href="/${listing.developer.username}/${listing.vanity_name}">Open the page</a>`}
<a class="desk-check check-${check.ready ? 'ok' : 'bad'}" href="#check">${summary(check)}</a></header>
<nav class="rooms" aria-label="Rooms of ${listing.name}"><ul>${rooms.map(([slug, label]) => html`<li><a href="${base}/${slug}"${slug === room && html` aria-current="page"`}>${label}</a></li>`)}</ul></nav>
<div class="room">${body}</div>
<aside class="desk-side"><live-check data-url="${base}/check">${checkPanel(base, check, listing.visibility)}</live-check></aside>
</div>`,
  })
}

const gameParams = Type.Object({ game: Type.String() })
const anyParams = (url: string) =>
  Type.Object(
    Object.fromEntries([...url.matchAll(/:(\w+)/g)].map(([, name]) => [name!, Type.String()])),
  ) as typeof gameParams
const anyQuery = Type.Record(Type.String(), Type.String()) as unknown as TObject<
  Record<never, TSchema>
>

export type Show = (desk: Desk, filled: Filled) => Promise<FastifyReply> | FastifyReply

/** A page of a project. `path` is what comes after the project's name. */
export const deskPage = (path: string, summary: string, show: Show): Route =>
  getPage(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: anyParams(`/:game/${path}`),
    query: anyQuery,
    handle: async (input) => show(await openDesk(input as never), {}),
  })

type Asked = { method: Method; url: string; body?: unknown }
type FormParts = {
  /** The name of the form among those of its room. */
  form: string | ((desk: Desk) => string)
  /** What the API is asked; the desk knows the project and the address parts. */
  send: (desk: Desk, sent: FormBody) => Asked
  show: Show
  /** What is said once it worked, and where; a room of the project unless it is told otherwise. */
  done: string | ((desk: Desk, answer: Extract<ApiAnswer, { ok: true }>) => string)
  back: string | ((desk: Desk, answer: Extract<ApiAnswer, { ok: true }>) => string)
  /** An answer that is shown on the page itself, since it cannot be read again. */
  reveal?: (answer: Extract<ApiAnswer, { ok: true }>) => Record<string, string>
}

/** Receives a form of a project. A rejected form is shown again with its values. */
export const deskForm = (
  path: string,
  summary: string,
  { form, send, show, done, back, reveal }: FormParts,
): Route =>
  postForm(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: anyParams(`/:game/${path}`),
    query: anyQuery,
    async handle(input) {
      const desk = await openDesk(input as never)
      const { method, url, body } = send(desk, input.body)
      const name = typeof form === 'function' ? form(desk) : form
      const answer = await call(desk.request, method, url, body)
      if (!answer.ok)
        return show(refusedDesk(desk, answer), {
          form: name,
          state: rejectedForm(input.body, explained(answer)),
        })
      if (reveal)
        return show(
          { ...(await openDesk(desk)), secret: true },
          { form: name, shown: reveal(answer) },
        )
      const where = typeof back === 'function' ? back(desk, answer) : `${desk.base}/${back}`
      return redirectTo(desk.reply, where, typeof done === 'function' ? done(desk, answer) : done)
    },
  })

const refusedDesk = (desk: Desk, { status }: ApiRefusal): Desk => ({
  ...desk,
  reply: desk.reply.code(status),
})

/** What the check found belongs to the sentence that says it found something. */
export function explained(refused: ApiRefusal): ApiRefusal {
  const { lint } = refused.details as { lint?: CheckReport }
  if (!lint?.errors.length) return refused
  return {
    ...refused,
    message: `A public page needs what the check asks for: ${lint.errors.map(({ message }) => message).join('; ')}`,
  }
}

/** The state of one of a room's forms: what was typed if it was this one, else what is saved. */
export const formOf = (
  { form, state }: Filled,
  name: string,
  values: Record<string, unknown>,
): FormState => (form === name && state ? state : { values })

/** Two forms of a room may ask for what the API calls the same; each field has a name of its own, and a refusal is said at it. */
export function renamed(state: FormState, names: Record<string, string>): FormState {
  const { refused } = state
  const name = refused?.field ? names[refused.field] : undefined
  return refused && name ? { ...state, refused: { ...refused, field: name } } : state
}

/** One part of a room with a form of its own. */
export const section = (id: string, title: string, body: Html, about?: Html | string): Html =>
  html`<section class="part" id="${id}"><header><h2>${title}</h2>${about && html`<p class="soft">${about}</p>`}</header>${body}</section>`
