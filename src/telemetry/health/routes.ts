import { Type } from 'typebox'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import { transact } from '../../core/database/transaction.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { launchBands } from '../../listings/fields/launch-bands.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import {
  areSignedEventsRequired,
  readHealth,
  readWarnings,
  requireSignedEvents,
} from './queries.ts'

const Text = Type.String()
const MAX_WARNINGS = 100

const buildHealth = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/builds/:build_id/health',
  summary: `Launch health of a build over the last ${STATISTICS_DAYS} days`,
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text, build_id: Text }),
  data: Type.Object({
    build_id: Uid,
    band: OneOf(launchBands),
    devices: Type.Integer(),
    boot_ok: Type.Integer(),
    crash_on_boot: Type.Integer(),
    signed_devices: Type.Integer(),
    median_session_seconds: Nullable(Type.Integer()),
    updated_at: Nullable(Timestamp),
  }),
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const health =
      (isUuid(params.build_id) && (await readHealth(sql, uid, params.build_id))) ||
      refuse('BUILD_NOT_IN_PROJECT')
    return { ...health, updated_at: health.updated_at?.toISOString() ?? null }
  },
})

export const healthWarnings = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/health-warnings',
  summary: 'List stable builds that start worse than their predecessor, newest first',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text }),
  data: Type.Object({
    warnings: Type.Array(
      Type.Object({
        uid: Uid,
        build_id: Uid,
        version: Text,
        os: Text,
        arch: Text,
        band: OneOf(launchBands),
        previous_build_id: Nullable(Uid),
        previous_version: Text,
        previous_band: OneOf(launchBands),
        created_at: Timestamp,
      }),
    ),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const rows = await readWarnings(sql, uid, MAX_WARNINGS)
    const warnings = rows.map(
      ({ build_uid: build_id, previous_build_uid: previous_build_id, created_at, ...row }) => ({
        ...row,
        build_id,
        previous_build_id,
        created_at: created_at.toISOString(),
      }),
    )
    return { warnings }
  },
})

const signedEventsUrl = '/api/v1/private/games/:uid/signed-events'
const SignedEvents = Type.Object({
  required: Type.Boolean({
    description: 'Whether launch health counts only devices for which a player sent a token',
  }),
})

export const readSignedEvents = route({
  method: 'GET',
  url: signedEventsUrl,
  summary: 'Whether the launch health of a listing counts only signed events',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text }),
  data: SignedEvents,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return { required: await areSignedEventsRequired(sql, uid) }
  },
})

export const changeSignedEvents = route({
  method: 'PUT',
  url: signedEventsUrl,
  summary: 'Count only signed events in the launch health of a listing, or all of them',
  description: 'Unsigned events are still taken, and counted again when it is turned off.',
  auth: website,
  params: Type.Object({ uid: Text }),
  body: Body({ required: Type.Boolean() }),
  data: SignedEvents,
  errors: ['NOT_FOUND'],
  async handle({ core, who, params, body: { required } }) {
    await transact(core.sql, async (tx) => {
      const { uid } = await lockForEditor(tx, who, params.uid)
      await requireSignedEvents(tx, uid, required)
    })
    return { required }
  },
})

export const buildHealthRoutes = [buildHealth, healthWarnings, readSignedEvents, changeSignedEvents]
