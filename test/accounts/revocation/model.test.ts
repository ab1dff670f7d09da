import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, eventually } from '../../support/app.ts'
import type { Person } from '../../support/builders.ts'
import { childService } from '../../support/child.ts'
import { IS_FULL_RUN, loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'
import { type Started, startListing } from './fixtures.ts'

const HISTORIES = loopCount({ short: 6, full: 200 })
const MAX_STEPS = loopCount({ short: 14, full: 40 })
const PEOPLE = 2
/** How long after the answer another process may still accept what was revoked. */
const MAX_ACCEPTED_MS = 1000

type Process = Pick<Started, 'get'>
/** Something that a person issued; `works` asks one process. */
type Issued = {
  by: number
  name: string
  is_deploy_key: boolean
  is_live: boolean
  works: (process: Process) => Promise<boolean>
}
type Member = { is_admin: boolean; is_suspended: boolean }
/** What should be true. */
type Model = { members: Member[]; issued: Issued[] }
/** The service: its people, the processes that answer, and how long they accept what was revoked. */
type Real = { app: Started; people: Person[]; processes: Process[]; accepted_ms: number[] }

const hasRole = ({ is_admin, is_suspended }: Member) => is_admin && !is_suspended

/** Both processes agree with the model about every session and everything that was issued. */
async function checkAll({ members, issued }: Model, { app, people, processes }: Real) {
  for (const [index, process] of processes.entries()) {
    const differs = async (expected: boolean, works: () => Promise<boolean>, name: string) =>
      eventually(`${name} in process ${index} to be ${expected ? 'valid' : 'refused'}`, async () =>
        (await works()) === expected ? true : undefined,
      )
    for (const [number, member] of members.entries()) {
      const person = people[number]!
      const opens = async () => (await process.get(app.GAME, app.as(person))).status === 200
      await differs(hasRole(member), opens, `the session of person ${number}`)
    }
    for (const { name, by, is_live, works } of issued)
      await differs(is_live, () => works(process), `${name} of person ${by}`)
  }
}

type Step = fc.AsyncCommand<Model, Real>
type Probe = { is_live: () => boolean; works: (process: Process) => Promise<boolean> }

/** What can be revoked now: the sessions of people with a role, and everything that they issued. */
const liveProbes = ({ members, issued }: Model, { app, people }: Real): Probe[] => [
  ...members.flatMap((member, number) => {
    const person = people[number]!
    const works = async ({ get }: Process) => (await get(app.GAME, app.as(person))).status === 200
    return hasRole(member) ? [{ is_live: () => hasRole(members[number]!), works }] : []
  }),
  ...issued
    .filter(({ is_live }) => is_live)
    .map((item) => ({ is_live: () => item.is_live, works: item.works })),
]

/**
 * The time from `since` to the last request that was sent and accepted, zero if the first was
 * refused. A request that is sent later was refused, however long its answer took.
 */
async function acceptedUntil({ works }: Probe, process: Process, since: number) {
  let accepted_ms = 0
  await eventually('a refusal', async () => {
    const sent_at = performance.now()
    if (!(await works(process))) return true
    accepted_ms = sent_at - since
    return undefined
  })
  return accepted_ms
}

/** Runs a change and measures how long each process accepts what it revokes. */
async function measureRevocation(model: Model, real: Real, change: () => Promise<void>) {
  const { processes, accepted_ms } = real
  const probes = liveProbes(model, real)
  // Every process has just looked up everything, which is when its cache is used the longest.
  await Promise.all(processes.flatMap((process) => probes.map(({ works }) => works(process))))
  await change()
  const since = performance.now()
  const revoked = probes.filter(({ is_live }) => !is_live())
  const times = processes.flatMap((process) =>
    revoked.map((probe) => acceptedUntil(probe, process, since)),
  )
  accepted_ms.push(...(await Promise.all(times)))
}

/** A step of one person, which can happen if `can` says so. */
const step =
  (
    name: string,
    can: (member: Member, model: Model) => boolean,
    run: (model: Model, real: Real, by: number) => Promise<void>,
  ) =>
  (by: number): Step => ({
    check: (model) => can(model.members[by]!, model),
    async run(model, real) {
      await measureRevocation(model, real, () => run(model, real, by))
      await checkAll(model, real)
    },
    toString: () => `${name}(${by})`,
  })

const endAll = ({ issued }: Model, by: number) => {
  for (const item of issued) if (item.by === by) item.is_live = false
}

const steps = [
  step(
    'join',
    ({ is_admin, is_suspended }) => !is_admin && !is_suspended,
    async (model, { app, people }, by) => {
      await app.join(people[by]!)
      model.members[by]!.is_admin = true
    },
  ),
  step(
    'remove',
    ({ is_admin }) => is_admin,
    async (model, { app, people }, by) => {
      await app.remove(people[by]!)
      model.members[by]!.is_admin = false
      endAll(model, by)
    },
  ),
  step('leave', hasRole, async (model, { app, people }, by) => {
    await app.remove(people[by]!, people[by]!)
    model.members[by]!.is_admin = false
    endAll(model, by)
  }),
  step(
    'suspend',
    ({ is_suspended }) => !is_suspended,
    async (model, { app, people }, by) => {
      await app.suspend(people[by]!)
      model.members[by]!.is_suspended = true
      endAll(model, by)
    },
  ),
  step(
    'restore',
    ({ is_suspended }) => is_suspended,
    async (model, { app, people }, by) => {
      // The sessions of before have ended.
      people[by] = await app.restore(people[by]!)
      model.members[by]!.is_suspended = false
    },
  ),
  step(
    'delete',
    ({ is_suspended }) => !is_suspended,
    async (model, real, by) => {
      await real.app.deleteAccount(real.people[by]!)
      real.people[by] = await real.app.a.verifiedDeveloper()
      model.members[by] = { is_admin: false, is_suspended: false }
      endAll(model, by)
    },
  ),
  step('issue a deploy key', hasRole, async ({ issued }, { app, people }, by) => {
    const headers = await app.deployKey(people[by]!)
    // A listing has one deploy key.
    for (const item of issued) if (item.is_deploy_key) item.is_live = false
    issued.push({
      by,
      name: 'the deploy key',
      is_deploy_key: true,
      is_live: true,
      works: async ({ get }) => (await get('/api/v1/tool/builds', { headers })).status === 200,
    })
  }),
  step('issue an agent key', hasRole, async ({ issued }, { app, people }, by) => {
    const token = await app.agentKey(people[by]!)
    issued.push({
      by,
      name: 'the agent key',
      is_deploy_key: false,
      is_live: true,
      works: async ({ get }) => (await get(app.GAME, { token })).status === 200,
    })
  }),
  step('connect an app', hasRole, async ({ issued }, { app, people }, by) => {
    const { access_token: token } = await app.grant(people[by]!)
    issued.push({
      by,
      name: 'the app',
      is_deploy_key: false,
      is_live: true,
      works: async ({ get }) => (await get(app.GAME, { token })).status === 200,
    })
  }),
  step(
    'open an upload',
    (member, { issued }) =>
      hasRole(member) && issued.filter(({ name }) => name === 'the upload').length < 5,
    async ({ issued }, { app, people }, by) => {
      const session = await app.openUpload(people[by]!)
      issued.push({
        by,
        name: 'the upload',
        is_deploy_key: false,
        is_live: true,
        works: () => app.isOpen(session),
      })
    },
  ),
]

test(`after any of ${HISTORIES} histories of roles nothing works that a person without one issued`, {
  timeout: 1_800_000,
}, async (t) => {
  const app = await startListing(t)
  // An owner invites 60 people an hour; all histories together invite more.
  t.mock.method(app.core.limiter, 'take', () => {})
  const second = childService(t, { ...app.settings, SLIPWAY_ROLES: 'api,upload' })
  const processes = [app, client(await second.start())]
  const history = fc.commands(
    steps.map((make) => fc.nat({ max: PEOPLE - 1 }).map(make)),
    { maxCommands: MAX_STEPS, size: 'max' },
  )
  const accepted_ms: number[] = []
  let length = 0
  await fc.assert(
    fc.asyncProperty(history, async (commands) => {
      const people = await Promise.all(
        Array.from({ length: PEOPLE }, () => app.a.verifiedDeveloper()),
      )
      const members = people.map(() => ({ is_admin: false, is_suspended: false }))
      const real = { app, people, processes, accepted_ms }
      await fc.asyncModelRun(() => ({ model: { members, issued: [] }, real }), commands)
      length += [...commands].length
      for (const { uid } of people)
        await app.sql`delete from listing_admins where user_uid = ${uid}`
      await app.sql`delete from upload_sessions`
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  )
  assert.ok(length > HISTORIES, 'histories have steps')
  const longest = Math.round(Math.max(...accepted_ms))
  t.diagnostic(`${accepted_ms.length} revocations; longest time until refused: ${longest} ms`)
  assert.ok(accepted_ms.length > 0, 'histories revoke something')
  // `npm test` runs many services on a busy machine and measures nothing.
  if (IS_FULL_RUN) assert.ok(longest <= MAX_ACCEPTED_MS, `accepted for ${longest} ms`)
})
