import type { Mail } from '../mail/mail.ts'
import type { Outbound } from '../security/outbound.ts'
import { OutboundError } from '../security/outbound.ts'
import type { StoreOwner } from '../storage/owner.ts'
import { OWNER_KEY } from '../storage/owner-marker.ts'
import type { Storage } from '../storage/storage.ts'
import type { Config } from './config.ts'
import { Refusal } from './errors.ts'

/**
 * A drill starts a restored copy of the store to see that its backup works. The copy may have the
 * settings of the live store: its bucket, mail server and webhooks. So it runs no jobs, sends
 * nothing and only reads objects.
 */
const EXPLANATION =
  'This is a drill with a restored copy of the store: it stores no files and sends nothing'

const refuseInDrill = async (): Promise<never> => {
  throw new Refusal('UNAVAILABLE', undefined, EXPLANATION)
}

/** Without what several processes of the live store share. */
export const drillConfig = (config: Config): Config => ({
  ...config,
  redis_url: undefined,
  database_replica_url: undefined,
})

/** Reads objects. Writing is refused; removing does nothing, so that records can be deleted. */
export const readOnlyStorage = (storage: Storage): Storage => ({
  ...storage,
  put: refuseInDrill,
  adopt: refuseInDrill,
  move: refuseInDrill,
  remove: async () => {},
  discard: async () => {},
  probe: async () => void (await storage.stat(OWNER_KEY)),
  ...(storage.parts && {
    parts: {
      begin: refuseInDrill,
      put: refuseInDrill,
      complete: refuseInDrill,
      abort: async () => {},
      abandoned: async () => [],
    },
  }),
})

/** The objects are those of the live store. */
export const drillOwner: StoreOwner = {
  refusal: async () => 'older_database',
  renew: async () => 'older_database',
  confirm: refuseInDrill,
}

export const drillMail: Mail = { send: refuseInDrill }

export const drillOutbound: Outbound = {
  async request() {
    throw new OutboundError('blocked', EXPLANATION)
  },
}
