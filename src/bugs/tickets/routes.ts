import { type Static, Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { listTickets, readTicket, type TicketRow } from '../reports/queries.ts'
import { statuses } from '../reports/report-fields.ts'
import { changeTicketStatus } from './tickets.ts'

const url = '/api/v1/private/games/:uid/bugs'
const params = Type.Object({ uid: Type.String() })
const ticketParams = Type.Object({ uid: Type.String(), bug_uid: Type.String() })
const Text = Type.String()
const MOST_PER_PAGE = 100

const TicketData = Type.Object({
  bug_uid: Uid,
  status: OneOf(statuses),
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
const WholeTicketData = Type.Object({ ...TicketData.properties, log: Nullable(Text) })

const iso = (date: Date | null) => date?.toISOString() ?? null

function shown({ addresses }: Core, game_uid: string, row: TicketRow): Static<typeof TicketData> {
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
    // Of somebody with an account here it is nobody's business which other ones are theirs.
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
  summary: 'The bug tickets of your listing, newest first',
  auth: developer('mcp:bugs.read'),
  params,
  query: Type.Object({ status: Type.Optional(OneOf(statuses)), ...pageQuery }),
  data: Type.Object({
    items: Type.Array(TicketData),
    counts: Type.Object({ open: Type.Integer(), fixed: Type.Integer(), closed: Type.Integer() }),
    ...pageData,
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query, MOST_PER_PAGE)
    const { rows, counts } = await listTickets(sql, uid, query.status ?? null, window)
    const total = query.status ? counts[query.status] : counts.open + counts.fixed + counts.closed
    return { items: rows.map((row) => shown(core, uid, row)), counts, total, page, page_size }
  },
})

export const readBug = route({
  method: 'GET',
  url: `${url}/:bug_uid`,
  summary: 'One bug ticket, with its log',
  auth: developer('mcp:bugs.read'),
  params: ticketParams,
  data: WholeTicketData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const row =
      (isUuid(params.bug_uid) && (await readTicket(sql, uid, params.bug_uid))) ||
      refuse('NOT_FOUND')
    return { ...shown(core, uid, row), log: row.log }
  },
})

export const changeBug = route({
  method: 'PATCH',
  url: `${url}/:bug_uid`,
  summary: 'Mark a ticket fixed or closed, or open it again',
  description:
    'Marking it fixed leaves a notice for whoever filed it, with the build or version it is fixed in if that is said.',
  auth: developer('mcp:bugs.write'),
  params: ticketParams,
  body: Body({
    status: Type.Optional(OneOf(statuses)),
    fixed_build_id: Type.Optional(Nullable(Uid)),
    fixed_version: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
    crash_group_uid: Type.Optional(Nullable(Uid)),
  }),
  data: WholeTicketData,
  errors: ['NOT_FOUND', 'BUILD_NOT_REGISTERED'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    if (!isUuid(params.bug_uid)) refuse('NOT_FOUND')
    const row = await changeTicketStatus(core, uid, params.bug_uid, body)
    return { ...shown(core, uid, row), log: row.log }
  },
})
