import { randomUUID } from 'node:crypto'
import { enrollTotp } from '../../../accounts/second-factor/fixtures.ts'
import { must, newAddress } from '../../../support/builders.ts'
import type { Producer, Request, World } from './private-world.ts'

/** A first release of a listing that does not pass the listing check, to decide about. */
async function release({ fresh, sql, owner }: World, state = 'waiting'): Promise<Request> {
  const { listing } = await fresh()
  await sql`insert into held_releases (game_uid, state) values (${listing.uid}, ${state})`
  return { token: owner.token, values: { game_uid: listing.uid } }
}

const decided =
  (decision: string, state?: string): Producer =>
  async (world) => ({
    ...(await release(world, state)),
    body: { decision, reason: 'For a reason' },
  })

/** A request of the operator about a person: themselves, a new one, or one that does not exist. */
const ofSelf: Producer = ({ owner }) => ({ token: owner.token, values: { uid: owner.uid } })
const ofVerified: Producer = async ({ owner, a }) => ({
  token: owner.token,
  values: { uid: (await a.verified()).uid },
})
const ofMissing: Producer = ({ owner }) => ({
  token: owner.token,
  values: { uid: randomUUID() },
})

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'
/** A mail of this kind, which was sent. */
const ofMail =
  (kind: string): Producer =>
  async ({ owner, sql }) => {
    const uid = randomUUID()
    await sql`
      insert into mails (uid, message_id, recipient, recipient_hash, kind, job_data, state)
      values (
        ${uid}, ${uid}, 'ad…@example.com', '\\x00', ${kind},
        ${sql.json({ user_uid: owner.uid, id: uid })}, 'sent'
      )`
    return { token: owner.token, values: { uid } }
  }

/** A request about the webhook for reports, with this address. */
async function withWebhook(
  { owner: { token }, patch }: World,
  reports_webhook_url: string | null = 'http://127.0.0.1:9/',
): Promise<Request> {
  must(await patch('/api/v1/private/operations/settings', { reports_webhook_url }, { token }))
  return { token, values: { uid: randomUUID() } }
}

/** Answers to operators; the owner in the world is one. */
export const operatorAnswers: Record<string, Producer> = {
  'patch_private_operations_settings 200': ({ owner }) => ({ token: owner.token, body: {} }),
  // The environment of the world fixes this setting.
  'patch_private_operations_settings 409': ({ owner }) => ({
    token: owner.token,
    body: { refund_window_hours: 1 },
  }),
  'patch_private_operations_settings 422': ({ owner }) => ({
    token: owner.token,
    body: { accent_color: '#ffffff' },
  }),
  'put_private_operations_branding_kind 200': ({ owner }) => ({
    token: owner.token,
    values: { kind: 'logo' },
    raw: svg,
  }),
  'put_private_operations_branding_kind 400': ({ owner }) => ({
    token: owner.token,
    values: { kind: 'logo' },
  }),
  'put_private_operations_branding_kind 404': ({ owner }) => ({
    token: owner.token,
    values: { kind: 'banner' },
    raw: svg,
  }),
  'put_private_operations_branding_kind 413': ({ owner }) => ({
    token: owner.token,
    values: { kind: 'logo' },
    raw: new Uint8Array(2 * 1024 * 1024 + 1),
  }),
  'put_private_operations_branding_kind 422': ({ owner }) => ({
    token: owner.token,
    values: { kind: 'logo' },
    raw: 'no image',
  }),
  'delete_private_operations_branding_kind 200': async ({ owner, call }) => {
    const { token } = owner
    must(await call('PUT', '/api/v1/private/operations/branding/favicon', { token, raw: svg }))
    return { token, values: { kind: 'favicon' } }
  },
  'post_private_operations_files_uid_scan 202': ({ owner, values }) => ({
    token: owner.token,
    values: { uid: values.file_uid! },
  }),
  'post_private_operations_files_uid_scan 409': async ({ owner, built, sql }) => {
    const { build_id } = await built()
    const [file] = await sql`
      update files
      set scan = 'error', bytes_removed_at = now()
      where build_uid = ${build_id}
      returning uid`
    return { token: owner.token, values: { uid: file!.uid } }
  },
  'post_private_operations_reports_webhook_signing_key 200': ({ owner }) => ({
    token: owner.token,
  }),
  'post_private_operations_reports_webhook_test 200': (world) => withWebhook(world),
  'post_private_operations_reports_webhook_test 409': (world) => withWebhook(world, null),
  'post_private_operations_reports_webhook_deliveries_uid_replay 202': async (world) => {
    const request = await withWebhook(world)
    const { listing } = await world.fresh({ is_public: true })
    const target = { target_type: 'listing', target_id: listing.uid }
    const report = { ...target, kind: 'other', text: 'Not a game', good_faith: true }
    const sent = await world.post('/api/v1/public/reports', report, { headers: newAddress() })
    const [row] = await world.sql`
      select uid from report_deliveries where report_uid = ${must(sent).report_id}`
    return { ...request, values: { uid: row!.uid } }
  },
  'post_private_operations_reports_webhook_deliveries_uid_replay 404': (world) =>
    withWebhook(world),
  'post_private_operations_reports_webhook_deliveries_uid_replay 409': (world) =>
    withWebhook(world, null),
  'post_private_operations_storage_confirm 200': ({ owner }) => ({ token: owner.token }),
  'put_private_operations_mail_server 200': ({ owner }) => ({
    token: owner.token,
    body: { smtp_url: 'smtp://mail.example' },
  }),
  'delete_private_operations_mail_server 200': async ({ owner, put }) => {
    const { token } = owner
    const body = { smtp_url: 'smtp://mail.example' }
    must(await put('/api/v1/private/operations/mail-server', body, { token }))
    return { token }
  },
  'delete_private_operations_mail_server 404': async ({ owner, del }) => {
    const { token } = owner
    await del('/api/v1/private/operations/mail-server', { token })
    return { token }
  },
  'post_private_operations_invitations 201': ({ owner }) => ({ token: owner.token, body: {} }),
  'delete_private_operations_invitations_uid 200': async ({ owner, post }) => {
    const { token } = owner
    const { uid } = must(await post('/api/v1/private/operations/invitations', {}, { token }))
    return { token, values: { uid } }
  },
  'post_private_operations_publishers_username 200': async ({ owner, a }) => ({
    token: owner.token,
    values: { username: (await a.user()).username },
    body: { decision: 'approve' },
  }),
  'put_private_operations_quotas_type_target 200': async ({ owner, a }) => ({
    token: owner.token,
    values: { type: 'person', target: (await a.user()).username },
    body: { bytes: 1000 },
  }),
  'put_private_operations_quotas_type_target 404': ({ owner }) => ({
    token: owner.token,
    values: { type: 'person', target: randomUUID() },
    body: { bytes: 1000 },
  }),
  'delete_private_operations_quotas_type_target 200': async ({ owner, a, sql }) => {
    const { uid } = await a.user()
    await sql`
      insert into storage_quotas (uid, user_uid, bytes) values (${randomUUID()}, ${uid}, 1)`
    return { token: owner.token, values: { type: 'person', target: uid } }
  },
  'delete_private_operations_quotas_type_target 404': ({ owner }) => ({
    token: owner.token,
    values: { type: 'person', target: randomUUID() },
  }),
  'get_private_operations_releases_game_uid 200': (world) => release(world),
  'post_private_operations_releases_game_uid 200': decided('decline'),
  'post_private_operations_releases_game_uid 409': decided('decline', 'approved'),
  'post_private_operations_releases_game_uid 422': decided('approve'),
  'post_private_account_publishing 409': ({ owner }) => ({
    token: owner.token,
    body: { text: 'Please' },
  }),
  'post_private_operations_mail_uid_resend 202': ofMail('accounts.mail-publishing-decision'),
  'post_private_operations_mail_uid_resend 404': ofMissing,
  'post_private_operations_mail_uid_resend 409': ofMail('accounts.mail-code'),
  'get_private_operations_listings_uid_history 200': async ({ owner, fresh }) => ({
    token: owner.token,
    values: { uid: (await fresh()).listing.uid },
  }),
  'get_private_operations_listings_uid_history 404': ofMissing,
  'get_private_operations_people_uid 200': ofSelf,
  'get_private_operations_people_uid 404': ofMissing,
  'post_private_operations_people_uid_verify 200': ofVerified,
  'post_private_operations_people_uid_verify 404': ofMissing,
  'put_private_operations_people_uid_operator 200': ofSelf,
  'put_private_operations_people_uid_operator 404': ofMissing,
  'delete_private_operations_people_uid_operator 200': ofVerified,
  'delete_private_operations_people_uid_operator 404': ofMissing,
  'get_private_operations_people_uid_sessions 200': ofSelf,
  'get_private_operations_people_uid_sessions 404': ofMissing,
  'delete_private_operations_people_uid_sessions 200': ofVerified,
  'delete_private_operations_people_uid_sessions 404': ofMissing,
  'delete_private_operations_people_uid_sessions_session_uid 200': async ({ owner, a, sql }) => {
    const { uid } = await a.verified()
    const [session] = await sql`select uid from sessions where user_uid = ${uid}`
    return { token: owner.token, values: { uid, session_uid: session!.uid } }
  },
  'delete_private_operations_people_uid_sessions_session_uid 404': ({ owner }) => ({
    token: owner.token,
    values: { uid: randomUUID(), session_uid: randomUUID() },
  }),
  'put_private_operations_people_uid_second_factor_reset 200': async (world) => {
    const person = await world.a.verified()
    await enrollTotp(world, person)
    return { token: world.owner.token, values: { uid: person.uid } }
  },
  'put_private_operations_people_uid_second_factor_reset 404': ofMissing,
  'put_private_operations_people_uid_second_factor_reset 409': ofVerified,
  'delete_private_operations_people_uid_second_factor_reset 200': ofVerified,
  'delete_private_operations_people_uid_second_factor_reset 404': ofMissing,
  'post_private_operations_people_uid_export 200': ofVerified,
  'post_private_operations_people_uid_export 404': ofMissing,
  'post_private_operations_people_uid_delete 200': async ({ owner, a }) => {
    const { uid, username } = await a.verified()
    return { token: owner.token, values: { uid }, body: { username } }
  },
  'post_private_operations_people_uid_delete 404': ({ owner }) => ({
    token: owner.token,
    values: { uid: randomUUID() },
    body: { username: 'nobody' },
  }),
  // The owner is an operator.
  'post_private_operations_people_uid_delete 409': ({ owner }) => ({
    token: owner.token,
    values: { uid: owner.uid },
    body: { username: owner.username },
  }),
  // The owner is the only operator.
  'delete_private_operations_people_uid_operator 409': ofSelf,
}
