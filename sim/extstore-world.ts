import { randomBytes } from 'node:crypto'

/** The state of the simulated store. The verbs at the end change it, from a test or by HTTP. */

export type App = { app_id: number; name: string; type: string }
export type Account = {
  id: string
  name: string
  vac_banned: boolean
  publisher_banned: number[]
  offline: boolean
}
/** A borrowed copy belongs to another account than the player. */
export type License = { owner: string; permanent: boolean; since: string }
export type Ticket = {
  app_id: number
  account: string
  identity: string
  used: boolean
  expires_at: number
}
export type Call = {
  call: string
  key_in_header: boolean
  key_in_url: boolean
  query: Record<string, string>
}

export type FaultMode =
  | 'delay'
  | 'stall'
  | 'reset'
  | 'status'
  | 'forbidden'
  | 'garbage'
  | 'truncated'
  | 'endless'
  | 'answer'
  | 'lost'
  | 'dropped'
export type Fault = {
  /** authenticate, ownership, apps, openid, page, items, tags, image, or any. */
  on: string
  mode: FaultMode
  ms?: number
  status?: number
  headers?: Record<string, string>
  answer?: unknown
  /** How many calls fail; by default all until `clearFaults`. */
  times?: number
}

/** A tag with its name in the store and the number of players who added it. */
export type Tag = { tagid: number; name: string; weight: number }
/** A file of the image host, with the content type that it declares. */
export type Picture = {
  bytes: Uint8Array
  type: string
  status: number
  headers: Record<string, string>
}

export type World = {
  /** The address of the simulator, for links to its images. */
  origin: string
  apps: Map<number, App>
  keys: Map<string, number[]>
  accounts: Map<string, Account>
  licenses: Map<string, License>
  tickets: Map<string, Ticket>
  assertions: Map<string, string>
  /** The fields of a page that differ from the example; `undefined` removes a field. */
  pages: Map<number, Record<string, unknown> | null>
  tags: Map<number, Tag[]>
  images: Map<string, Picture>
  faults: Fault[]
  calls: Call[]
}

export function emptyWorld(): World {
  return {
    origin: '',
    apps: new Map(),
    keys: new Map(),
    accounts: new Map(),
    licenses: new Map(),
    tickets: new Map(),
    assertions: new Map(),
    pages: new Map(),
    tags: new Map(),
    images: new Map(),
    faults: [],
    calls: [],
  }
}

export const FIRST_ACCOUNT = 76561198000000001n
const TICKET_MS = 30 * 60_000
const MAX_CALLS = 10_000
const licenseKey = (account: string, app_id: number) => `${account} ${app_id}`

export const licenseOf = (world: World, account: string, app_id: number) =>
  world.licenses.get(licenseKey(account, app_id))

export function recordCall(world: World, call: Call) {
  if (world.calls.length >= MAX_CALLS) world.calls.shift()
  world.calls.push(call)
}

/** Returns the fault for a call and counts it down. */
export function takeFault(world: World, call: string): Fault | undefined {
  const fault = world.faults.find(({ on, times }) => (on === call || on === 'any') && times !== 0)
  if (fault?.times) fault.times--
  return fault
}

/** The position of the twenty bytes that identify a ticket. */
export const ticketCore = (ticket: string) =>
  ticket.startsWith('14000000') ? ticket.slice(8, 48) : ticket

function mint(
  world: World,
  { app_id, account, identity = '', bytes = 2560, ttl_ms = TICKET_MS }: MintRequest,
): string {
  const id = Buffer.alloc(8)
  id.writeBigUInt64LE(BigInt(account))
  const time = Buffer.alloc(4)
  time.writeUInt32LE(Math.floor(Date.now() / 1000))
  const head = Buffer.concat([
    Buffer.from('14000000', 'hex'),
    randomBytes(8),
    id,
    time,
    Buffer.from('18000000', 'hex'),
  ])
  const ticket = Buffer.concat([head, randomBytes(Math.max(0, bytes - head.length))]).toString(
    'hex',
  )
  world.tickets.set(ticketCore(ticket), {
    app_id,
    account,
    identity,
    used: false,
    expires_at: Date.now() + ttl_ms,
  })
  return ticket
}

type ImageRequest = {
  path: string
  bytes?: Uint8Array | string
  type?: string
  status?: number
  headers?: Record<string, string>
}
type MintRequest = {
  app_id: number
  account: string
  identity?: string
  bytes?: number
  ttl_ms?: number
}

/** The verbs, each also available as POST /sim/<verb> with the same object. */
export function verbs(world: World) {
  return {
    app: ({
      app_id,
      name = `App ${app_id}`,
      type = 'game',
    }: {
      app_id: number
      name?: string
      type?: string
    }) => {
      world.apps.set(app_id, { app_id, name, type })
      return { app_id }
    },
    /** A publisher key and the apps it covers. */
    key: ({
      key = randomBytes(16).toString('hex').toUpperCase(),
      apps = [],
    }: {
      key?: string
      apps?: number[]
    }) => {
      world.keys.set(key, apps)
      return { key }
    },
    /** Revokes a key. */
    revoke: ({ key }: { key: string }) => ({ revoked: world.keys.delete(key) }),
    account: ({
      id = String(FIRST_ACCOUNT + BigInt(world.accounts.size)),
      name = 'Somebody',
    }: {
      id?: string
      name?: string
    }) => {
      world.accounts.set(id, { id, name, vac_banned: false, publisher_banned: [], offline: false })
      return { id }
    },
    own: ({
      account,
      app_id,
      permanent = true,
    }: {
      account: string
      app_id: number
      permanent?: boolean
    }) => {
      world.licenses.set(licenseKey(account, app_id), {
        owner: account,
        permanent,
        since: new Date().toISOString(),
      })
      return {}
    },
    /** Family sharing: the account plays the owner's copy. */
    lend: ({ owner, account, app_id }: { owner: string; account: string; app_id: number }) => {
      world.licenses.set(licenseKey(account, app_id), {
        owner,
        permanent: false,
        since: new Date().toISOString(),
      })
      return {}
    },
    disown: ({ account, app_id }: { account: string; app_id: number }) => ({
      removed: world.licenses.delete(licenseKey(account, app_id)),
    }),
    ban: ({
      account,
      vac,
      publisher,
      offline,
    }: {
      account: string
      vac?: boolean
      publisher?: number[]
      offline?: boolean
    }) => {
      const record = world.accounts.get(account)!
      if (vac !== undefined) record.vac_banned = vac
      if (publisher !== undefined) record.publisher_banned = publisher
      if (offline !== undefined) record.offline = offline
      return {}
    },
    /**
     * Sets the store page of an app: the example with these fields replaced, or null for no page.
     */
    page: ({ app_id, data }: { app_id: number; data: Record<string, unknown> | null }) => {
      world.pages.set(app_id, data)
      return {}
    },
    tags: ({ app_id, tags }: { app_id: number; tags: Tag[] }) => {
      world.tags.set(app_id, tags)
      return {}
    },
    /** A file at /images/<path>; over HTTP its bytes are base64. */
    image: ({
      path,
      bytes = '',
      type = 'image/jpeg',
      status = 200,
      headers = {},
    }: ImageRequest) => {
      world.images.set(path, {
        bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes,
        type,
        status,
        headers,
      })
      return { url: `${world.origin}/images/${path}` }
    },
    ticket: (request: MintRequest) => ({ ticket: mint(world, request) }),
    fault: (fault: Fault) => {
      world.faults.push(fault)
      return {}
    },
    clearFaults: () => {
      world.faults.length = 0
      return {}
    },
    calls: () => ({ calls: world.calls }),
    clearCalls: () => {
      world.calls.length = 0
      return {}
    },
    reset: () => {
      const { origin, faults, calls, ...maps } = world
      for (const list of [faults, calls]) list.length = 0
      for (const map of Object.values(maps)) map.clear()
      return {}
    },
  }
}

export type Verbs = ReturnType<typeof verbs>

export const DEMO_APP = 1234560
export const DEMO_KEY = '0123456789ABCDEF0123456789ABCDEF'

/** An account for each case, so that every rejection can be tried by hand. */
export function populate(world: World) {
  const control = verbs(world)
  control.app({ app_id: DEMO_APP, name: 'Lantern Keep' })
  control.app({ app_id: DEMO_APP + 1, name: 'Lantern Keep Demo', type: 'demo' })
  control.key({ key: DEMO_KEY, apps: [DEMO_APP, DEMO_APP + 1] })
  const [ada, bo, , dee, eve] = [
    'Ada, who owns it',
    'Bo, who borrows it from Ada',
    'Cyd, who does not own it',
    'Dee, banned by the publisher',
    'Eve, banned for cheating',
  ].map((name) => control.account({ name }).id) as [string, string, string, string, string]
  for (const account of [ada, dee, eve]) control.own({ account, app_id: DEMO_APP })
  control.lend({ owner: ada, account: bo, app_id: DEMO_APP })
  control.ban({ account: dee, publisher: [DEMO_APP] })
  control.ban({ account: eve, vac: true })
}
