import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { Nullable, OneOf, route, Timestamp } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { checkOutcomes } from '../../core/runtime/health.ts'
import { perAccount } from '../../core/security/limits.ts'
import { readDisk } from '../../core/storage/free-disk.ts'
import { ownerRefusals } from '../../core/storage/owner.ts'
import { readCleanUpState } from '../../core/storage/sweep-limit.ts'
import { countFailedDeliveries } from '../../moderation/webhook/queries.ts'
import { readLastBackup } from '../backup/queries.ts'
import { countBounces, readFailingMails } from '../mail/queries.ts'
import { readLargestListings } from '../quotas/queries.ts'
import { countDamaged } from '../storage/scrub-queries.ts'
import { readStoreChecks, readWaiting } from './check-queries.ts'
import { storeFigures } from './figures.ts'

const STORAGE_ROWS = 10
export const BOUNCE_DAYS = 7

const Days = Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() }), {
  description: 'By day in UTC; days without any are left out',
})

async function readAttention({ config, settings, sql }: Core) {
  const [waiting, mail_bounces, failing, failed_report_deliveries, disk, checks] =
    await Promise.all([
      readWaiting(sql),
      countBounces(sql, BOUNCE_DAYS),
      readFailingMails(sql, BOUNCE_DAYS),
      countFailedDeliveries(sql),
      readDisk(config),
      readStoreChecks(sql),
    ])
  const [cleanup, backup, damaged] = await Promise.all([
    readCleanUpState(sql),
    readLastBackup(sql),
    countDamaged(sql),
  ])
  const certificate = config.base_url?.startsWith('https:') ? checks.certificate : undefined
  const update = config.update_url ? checks.update : undefined
  return {
    waiting,
    mail_bounces,
    mail: {
      delivery: config.smtp_url || settings.mail_server ? ('smtp' as const) : ('outbox' as const),
      failing: failing.count,
      error: failing.error || null,
    },
    failed_report_deliveries,
    disk,
    certificate: certificate ?? null,
    update: update ?? null,
    storage_cleanup: cleanup,
    damaged_objects: damaged,
    backup: backup ? { ...backup, finished_at: backup.finished_at.toISOString() } : null,
  }
}

export const readOverviewRoute = route({
  method: 'GET',
  url: '/api/v1/private/operations/overview',
  summary: 'For operators: what needs attention, and figures of the last 30 days',
  auth: operator,
  limits: [perAccount(60)],
  data: Type.Object({
    checks: Type.Record(Type.String(), Type.String(), {
      description: 'The outcome of each check of /ready',
    }),
    dead_jobs: Type.Integer({ description: 'Jobs that used up their attempts' }),
    waiting: Type.Object(
      {
        reports: Type.Integer({ description: 'Targets with open reports' }),
        appeals: Type.Integer({ description: 'Appeals that nobody decided yet' }),
        releases: Type.Integer({ description: 'First releases that wait for a review' }),
        publishers: Type.Integer({ description: 'People who asked for the right to publish' }),
        orders: Type.Integer({ description: 'Orders that need an operator' }),
      },
      { description: 'Decisions that somebody waits for' },
    ),
    mail_bounces: Type.Integer({
      description: `Mails of the last ${BOUNCE_DAYS} days that the mail server refused for good`,
    }),
    mail: Type.Object(
      {
        delivery: OneOf(['smtp', 'outbox'], {
          description: 'outbox: without a mail server, mails are files in DATA_DIR/outbox',
        }),
        failing: Type.Integer({
          description: `Mails of the last ${BOUNCE_DAYS} days whose last attempt failed`,
        }),
        error: Nullable(Type.String({ description: 'Why the newest of them failed' })),
      },
      { description: 'Whether mails are delivered' },
    ),
    failed_report_deliveries: Type.Integer({
      description: 'Reports that the webhook for reports did not take',
    }),
    disk: Type.Object(
      {
        free_bytes: Type.Number({ description: 'Bytes that are free' }),
        total_bytes: Type.Number({ description: 'Bytes in all' }),
        low: Type.Boolean({
          description: 'Less than 5 % or 2 GiB, or than MIN_FREE_DISK_MIB, is free',
        }),
        uploads_stopped: Type.Boolean({
          description: 'Uploads are refused until more is free; never with S3_URL',
        }),
      },
      { description: 'The disk of DATA_DIR' },
    ),
    certificate: Type.Union([Type.Object({ expires_at: Timestamp }), Type.Null()], {
      description: 'Of BASE_URL, read once a day; null if it is not https or could not be read',
    }),
    update: Type.Union([Type.Object({ headings: Type.Array(Type.String()) }), Type.Null()], {
      description:
        'Headings of the changelog at UPDATE_URL for newer versions; null without UPDATE_URL',
    }),
    storage_cleanup: Type.Object(
      {
        refusal: Type.Union([OneOf([...ownerRefusals]), Type.Null()], {
          description: 'Why nothing is removed: the objects may belong to another database',
        }),
        sweeps: Type.Array(
          Type.Object({
            name: Type.String(),
            orphans: Type.Integer({ description: 'Objects that it would remove' }),
            objects: Type.Integer({ description: 'Objects that it looked at' }),
          }),
          { description: 'Clean-ups that would remove too many objects' },
        ),
      },
      { description: 'Whether objects without a record are removed' },
    ),
    damaged_objects: Type.Integer({
      description: 'Stored objects that are damaged or missing and could not be repaired',
    }),
    backup: Type.Union(
      [
        Type.Object({
          finished_at: Timestamp,
          target: Type.String({ description: 'A folder or a bucket' }),
          damaged: Type.Integer({ description: 'Objects that were damaged in the store' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'The last complete backup of the backup command, without damaged objects if any is',
      },
    ),
    people: Type.Integer({ description: 'All accounts' }),
    listings: Type.Integer({ description: 'All public listings' }),
    decisions: Type.Integer({ description: 'Decisions of moderators in the same days' }),
    sign_ups: Days,
    downloads: Days,
    new_listings: Days,
    sign_ins: Days,
    play_sessions: Days,
    storage: Type.Array(
      Type.Object({
        uid: Type.String(),
        name: Type.String(),
        username: Type.String(),
        bytes: Type.Number({ description: 'Bytes in storage' }),
      }),
      { description: 'The listings that store the most' },
    ),
  }),
  async handle({ core, sql }) {
    const [checks, { dead }, figures, storage, attention] = await Promise.all([
      checkOutcomes(core),
      core.jobs.counts(),
      storeFigures(core),
      readLargestListings(sql, STORAGE_ROWS),
      readAttention(core),
    ])
    return { checks, dead_jobs: dead, ...attention, ...figures, storage }
  },
})
