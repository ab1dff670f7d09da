import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decision } from '../moderation/fixtures.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { GAMES, startWithdrawals, type WithdrawalApp } from './withdrawal-fixtures.ts'

const COUNT = 4
const actions = [
  'withdraw',
  'withdraw',
  'restore',
  'restore',
  'promote',
  'rollback',
  'delete',
  'quarantine',
  'release',
] as const
type Step = { action: (typeof actions)[number]; build: number }

const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ action: fc.constantFrom(...actions), build: fc.nat({ max: COUNT - 1 }) }),
  { minLength: 8, maxLength: 16 },
)

/** What the steps so far mean for the stable channel of one platform. */
class ChannelModel {
  withdrawn = new Set<number>()
  quarantined = new Set<number>()
  deleted = new Set<number>()
  head: number | null = COUNT - 1
  previous = Array.from({ length: COUNT - 1 }, (_, build) => build)
  /** The builds that the channel had before withdrawals moved it. */
  stack: number[] | null = null

  isUsable = (build: number) =>
    !this.withdrawn.has(build) && !this.quarantined.has(build) && !this.deleted.has(build)

  /** Moves the head to the last usable of these builds, if there is one. */
  fallBack(builds: number[]): boolean {
    const position = builds.findLastIndex(this.isUsable)
    if (position >= 0) this.moveTo(builds[position]!, builds.slice(0, position))
    return position >= 0
  }

  moveTo(build: number | null, previous: number[]) {
    this.head = build
    this.previous = previous
  }

  /** Returns the status that the step is answered with. */
  apply({ action, build }: Step): number {
    if (action === 'rollback') {
      if (this.head === null || !this.fallBack(this.previous)) return 409
      this.stack = null
      return 200
    }
    if (this.deleted.has(build)) return 404
    return this[action](build)
  }

  withdraw(build: number): number {
    this.withdrawn.add(build)
    if (this.head !== build) return 200
    const stack = this.stack ?? [...this.previous, build]
    if (!this.fallBack(stack.slice(0, stack.lastIndexOf(build)))) this.moveTo(null, [])
    this.stack = stack
    return 200
  }

  restore(build: number): number {
    const was_withdrawn = this.withdrawn.delete(build)
    const position = this.stack?.lastIndexOf(build) ?? -1
    if (!was_withdrawn || position < 0 || !this.isUsable(build)) return 200
    if (this.head === null || this.stack!.lastIndexOf(this.head) < position)
      this.moveTo(build, this.stack!.slice(0, position))
    return 200
  }

  promote(build: number): number {
    if (this.withdrawn.has(build)) return 410
    if (!this.isUsable(build)) return 409
    if (this.head === null)
      this.moveTo(
        build,
        (this.stack ?? []).filter((other) => other !== build),
      )
    else if (this.head !== build) this.moveTo(build, [...this.previous, this.head])
    this.stack = null
    return 200
  }

  delete(build: number): number {
    this.deleted.add(build)
    if (this.head !== build) return 200
    if (!this.fallBack(this.previous.filter((other) => other !== build))) this.moveTo(null, [])
    this.stack = null
    return 200
  }

  quarantine(build: number): number {
    if (this.quarantined.has(build)) return 409
    this.quarantined.add(build)
    return 201
  }

  release(build: number): number {
    return this.quarantined.delete(build) ? 201 : 409
  }
}

async function runHistory(app: WithdrawalApp, history: Step[]) {
  const { a, put, post, del, moderator } = app
  const listing = await app.publicListing()
  const { owner, uid } = listing
  await app.sql`update listings set visibility = 'invisible' where uid = ${uid}`
  const ids: string[] = []
  for (let build = 0; build < COUNT; build++)
    ids.push((await a.cleanBuild(listing, { version: String(build) })).build_id)
  const stable = `${GAMES}/${uid}/channels/stable`
  const decide = (id: string, action: string) =>
    post('/api/v1/private/moderation/actions', decision('build', id, action), moderator)
  const model = new ChannelModel()
  const send = {
    withdraw: (id: string) => app.withdraw(listing, id),
    restore: (id: string) => app.restore(listing, id),
    promote: (id: string) => put(stable, { build_id: id }, owner),
    rollback: () => post(`${stable}/rollback`, {}, owner),
    delete: (id: string) => del(app.address(listing, id), owner),
    quarantine: (id: string) => decide(id, 'quarantine'),
    release: (id: string) => decide(id, 'restore'),
  }
  for (const [index, step] of history.entries()) {
    const label = `step ${index} of ${JSON.stringify(history)}`
    const { status } = await send[step.action](ids[step.build]!)
    assert.equal(status, model.apply(step), label)
    const { head } = model
    assert.deepEqual(await app.heads(listing), head === null ? [] : [`stable linux ${head}`], label)
    const is_visible = head !== null && model.isUsable(head)
    assert.deepEqual(await app.files(listing), is_visible ? [String(head)] : [], label)
  }
}

test('heads follow every history of withdrawals, moves, deletions and quarantines', async (t) => {
  const app = await startWithdrawals(t)
  await fc.assert(
    fc.asyncProperty(histories, async (history) => runHistory(app, history)),
    { numRuns: loopCount({ short: 3, full: 60 }) },
  )
})
