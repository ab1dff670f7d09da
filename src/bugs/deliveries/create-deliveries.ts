import type { Tx } from '../../core/database/sql.ts'
import type { Config } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { isChatWebhook } from './chat-webhook.ts'
import { chatEmbed, type FiledReport, type Game, signedJson } from './payload.ts'
import { type DeliveryKind, insertDeliveries, URL_DISABLED } from './queries.ts'
import { enqueueReceiver, needsJob } from './queue.ts'
import type { Receiver } from './receiver-queries.ts'
import { makeSigningKey, readSigningKey } from './signing.ts'

/**
 * Creates one delivery for each receiver, in the transaction that files the report; the receivers
 * must be locked. For a disabled receiver it is kept as failed, so that it can be replayed.
 */
export async function createDeliveries(
  core: Core,
  tx: Tx,
  { game, report }: { game: Game; report: FiledReport },
  receivers: Receiver[],
): Promise<void> {
  const kinds = receivers.map(({ url }) => deliveryKind(core.config, url))
  const bodies = {
    json: kinds.includes('json')
      ? signedJson(core.addresses, await signingKey(core, tx, game.uid), game, report)
      : '',
    chat: chatEmbed(game, report),
  }
  const { uid: bug_uid, created_at } = report
  const pending = { status: 'pending', error: null, finished_at: null } as const
  const failed = { status: 'failed', error: URL_DISABLED, finished_at: created_at } as const
  const deliveries = receivers.map(({ uid: receiver_uid, disabled_at }, index) => ({
    ...(disabled_at ? failed : pending),
    uid: uuidv7(),
    bug_uid,
    receiver_uid,
    kind: kinds[index]!,
    body: bodies[kinds[index]!],
    created_at,
  }))
  await insertDeliveries(tx, deliveries)
  for (const receiver of receivers)
    if (!receiver.disabled_at && needsJob(receiver, new Date()))
      await enqueueReceiver(core, tx, receiver)
}

const deliveryKind = ({ chat_webhook_prefixes }: Config, url: string): DeliveryKind =>
  isChatWebhook(url, chat_webhook_prefixes) ? 'chat' : 'json'

/** Settings saved before there were signing keys have none. */
const signingKey = async (core: Core, tx: Tx, game_uid: string) =>
  (await readSigningKey(core, tx, game_uid)) ?? makeSigningKey(core, tx, game_uid)
