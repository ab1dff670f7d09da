import type { Tx } from '../../core/database/sql.ts'
import { version } from '../../core/http/openapi.ts'
import type { Config } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { OutboundError } from '../../core/security/outbound.ts'
import { type WebhookRules, webhookProblem } from '../reports/report-fields.ts'
import { chatEmbed, type Filed, type Game, signedJson } from './payload.ts'
import { type DeliveryKind, insertDeliveries, type Lane, setJob, URL_DISABLED } from './queries.ts'
import { type Outcome, outcomeOf } from './retry-schedule.ts'
import { makeSigningKey, readSigningKey } from './signing.ts'

const TIMEOUT_MS = 10_000

/** Where a webhook may lead on this machine: anywhere but to ourselves and the servers we were given. */
export function webhookRules({
  config,
  addresses,
}: Pick<Core, 'config' | 'addresses'>): WebhookRules {
  const {
    database_url,
    database_replica_url,
    s3_url,
    s3_public_url,
    redis_url,
    clamd_url,
    smtp_url,
  } = config
  const { metrics_port, port, webhook_loopback } = config
  const given = [
    database_url,
    database_replica_url,
    s3_url,
    s3_public_url,
    redis_url,
    clamd_url,
    smtp_url,
  ]
  const parts = [...Object.values(addresses), ...given].map(portOf)
  return {
    loopback: webhook_loopback,
    own_ports: new Set([...parts, port, metrics_port].filter((one) => one !== undefined)),
  }
}

const usualPorts: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'smtp:': 25,
  'smtps:': 465,
  'tcp:': 3310,
}

function portOf(address: string | undefined): number | undefined {
  const url = address ? URL.parse(address) : null
  if (!url || !/^(127\.|localhost$|\[::1\]$|0\.0\.0\.0$)/.test(url.hostname)) return undefined
  return url.port ? Number(url.port) : usualPorts[url.protocol]
}

/** The chat service has its own addresses, and takes embeds alone. */
const kindOf = ({ chat_webhook_prefixes }: Config, url: string): DeliveryKind =>
  chat_webhook_prefixes.some((prefix) => new URL(url).href.startsWith(prefix)) ? 'chat' : 'json'

/**
 * One delivery for each of the receivers, which are locked, in the transaction that files the report. For one that is disabled it is kept as
 * failed, to be sent again when someone asks.
 */
export async function announce(
  core: Core,
  tx: Tx,
  game: Game,
  bug: Filed,
  lanes: Lane[],
): Promise<void> {
  const kinds = lanes.map(({ url }) => kindOf(core.config, url))
  const bodies = {
    json: kinds.includes('json')
      ? signedJson(core.addresses, await signingKey(core, tx, game.uid), game, bug)
      : '',
    chat: chatEmbed(game, bug),
  }
  const about = { bug_uid: bug.uid, created_at: bug.created_at }
  const waits = { status: 'pending', error: null, finished_at: null } as const
  const failed = { status: 'failed', error: URL_DISABLED, finished_at: bug.created_at } as const
  await insertDeliveries(
    tx,
    lanes.map(({ uid: receiver_uid, disabled_at }, index) => ({
      ...about,
      ...(disabled_at ? failed : waits),
      uid: uuidv7(),
      receiver_uid,
      kind: kinds[index]!,
      body: bodies[kinds[index]!],
    })),
  )
  for (const lane of lanes)
    if (!lane.disabled_at && isIdle(lane, new Date())) await wake(core, tx, lane)
}

/** Made with the settings that need it; here only for those that were saved before that was so. */
const signingKey = async (core: Core, tx: Tx, game_uid: string) =>
  (await readSigningKey(core, tx, game_uid)) ?? makeSigningKey(core, tx, game_uid)

/** No job, or one that sleeps for the sake of a delivery set aside. One that waits for a receiver in trouble is left to wait. */
const isIdle = ({ job, wake_at, resume_at }: Lane, now: Date) =>
  job === null || (wake_at !== null && wake_at > now && !(resume_at !== null && resume_at > now))

/** The receiver's row must be locked: whoever holds it decides which one job walks its deliveries. */
export async function wake(
  core: Core,
  tx: Tx,
  { uid, failures }: Pick<Lane, 'uid' | 'failures'>,
  at: Date | null = null,
): Promise<void> {
  const after_seconds = at ? Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000)) : undefined
  // Those in trouble wait in a queue of their own, where they take no place from the others.
  const job = await core.jobs.send(
    tx,
    failures > 0 ? 'bugs.retry' : 'bugs.deliver',
    { receiver_uid: uid },
    { after_seconds },
  )
  await setJob(tx, uid, job, at)
}

/** One attempt. Redirects are answers like any other, and names are looked up and held to public addresses each time. */
export async function post(
  core: Core,
  url: string,
  { uid, body }: { uid: string; body: string },
): Promise<Outcome> {
  const rules = webhookRules(core)
  const problem = webhookProblem(url, rules)
  if (problem) return { arrived: false, status: null, error: problem, retry_after: null }
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Slipway/${version}`,
    'x-delivery-id': uid,
  }
  try {
    const { loopback } = rules
    // Whatever a receiver says besides its status, and however slowly, it has the report.
    const answer = await core.outbound.request({
      url,
      method: 'POST',
      headers,
      body,
      timeout_ms: TIMEOUT_MS,
      loopback,
      status_only: true,
    })
    return outcomeOf(answer.status, answer.headers, new Date())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { arrived: false, status: null, error: error.message, retry_after: null }
  }
}
