import { type Static, Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { MAX_CLIENT_VERSION } from '../reports/report-limits.ts'
import { changeTicket } from './change-ticket.ts'
import { listTickets, readTicket, type TicketRow } from './queries.ts'
import { ticketStatuses } from './ticket-status.ts'

const url = '/api/v1/private/games/:uid/bugs'
const params = Type.Object({ uid: Type.String() })
const ticketParams = Type.Object({ uid: Type.String(), bug_uid: Type.String() })
const Text = Type.String()
const MAX_PAGE_SIZE = 100

const TicketData = Type.Object({
  bug_uid: Uid,
  status: OneOf(ticketStatuses),
  source: OneOf(['game', 'store']),
  message: Text,
  client_version: Nullable(Text),
  os: Nullable(Text),
  arch: Nullable(Text),
  build_id: Nullable(Uid),
  build: Nullable(
    Type.Object({ build_id: Uid, version: Text, os: Text, arch: Text, channel: Text }),
  ),
  crash_group: Nullable(Type.Object({ uid: Uid, title: Text, status: Text })),
  crash_id: Nullable(Uid),
  has_log: Type.Boolean(),
  has_screenshot: Type.Boolean(),
  screenshot: Nullable(Type.Object({ url: Text, type: Text, size: Type.Integer() })),
  reporter: Type.Object({
    user: Nullable(Type.Object({ uid: Uid, username: Text })),
    extstore_id: Nullable(Text),
  }),
  fixed_at: Nullable(Timestamp),
  fixed_build_id: Nullable(Uid),
  fixed_version: Nullable(Text),
  acknowledged_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
})
nameSchemas({ BugTicket: TicketData })
const TicketWithLogData = Type.Object({ ...TicketData.properties, log: Nullable(Text) })

const iso = (date: Date | null) => date?.toISOString() ?? null

function toTicketData(
  { addresses }: Core,
  game_uid: string,
  row: TicketRow,
): Static<typeof TicketData> {
  const {
    uid: bug_uid,
    user,
    extstore_id,
    screenshot_type: type,
    screenshot_size: size,
    fixed_build_uid,
    ...ticket
  } = row
  return {
    ...ticket,
    bug_uid,
    has_screenshot: type !== null,
    screenshot: type && {
      url: `${addresses.base_url}${url.replace(':uid', game_uid)}/${bug_uid}/screenshot`,
      type,
      size: size!,
    },
    // The external account of somebody with an account here is private.
    reporter: { user, extstore_id: user ? null : extstore_id },
    fixed_build_id: fixed_build_uid,
    fixed_at: iso(ticket.fixed_at),
    acknowledged_at: iso(ticket.acknowledged_at),
    created_at: ticket.created_at.toISOString(),
    updated_at: ticket.updated_at.toISOString(),
  }
}

export const listBugs = route({
  method: 'GET',
  url,
  summary: 'List the bug tickets of your listing, newest first',
  auth: developer('mcp:bugs.read'),
  params,
  query: Type.Object({ status: Type.Optional(OneOf(ticketStatuses)), ...pageQuery }),
  data: Type.Object({
    items: Type.Array(TicketData),
    counts: Type.Object({ open: Type.Integer(), fixed: Type.Integer(), closed: Type.Integer() }),
    ...pageData,
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query, MAX_PAGE_SIZE)
    const { rows, counts } = await listTickets(sql, uid, query.status ?? null, window)
    const total = query.status ? counts[query.status] : counts.open + counts.fixed + counts.closed
    return {
      items: rows.map((row) => toTicketData(core, uid, row)),
      counts,
      total,
      page,
      page_size,
    }
  },
})

export const readBug = route({
  method: 'GET',
  url: `${url}/:bug_uid`,
  summary: 'Read a bug ticket with its log',
  auth: developer('mcp:bugs.read'),
  params: ticketParams,
  data: TicketWithLogData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const row =
      (isUuid(params.bug_uid) && (await readTicket(sql, uid, params.bug_uid))) ||
      refuse('NOT_FOUND')
    return { ...toTicketData(core, uid, row), log: row.log }
  },
})

export const changeBug = route({
  method: 'PATCH',
  url: `${url}/:bug_uid`,
  summary: 'Mark a ticket as fixed or closed, or reopen it',
  description:
    'Marking it as fixed notifies the reporter, with the build or version of the fix if sent.',
  auth: developer('mcp:bugs.write'),
  params: ticketParams,
  body: Body({
    status: Type.Optional(OneOf(ticketStatuses)),
    fixed_build_id: Type.Optional(Nullable(Uid)),
    fixed_version: Type.Optional(Nullable(Type.String({ maxLength: MAX_CLIENT_VERSION }))),
    crash_group_uid: Type.Optional(Nullable(Uid)),
  }),
  data: TicketWithLogData,
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    if (!isUuid(params.bug_uid)) refuse('NOT_FOUND')
    const row = await changeTicket(core, uid, params.bug_uid, body)
    return { ...toTicketData(core, uid, row), log: row.log }
  },
})

export const bugRoutes = [listBugs, readBug, changeBug]
