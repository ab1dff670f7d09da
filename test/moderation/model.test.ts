import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { addCopy, makePublic, must, newAddress } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { ACTIONS, decision, moderationTeam } from './fixtures.ts'

const GAMES = '/api/v1/public/games'
const REPORTS = '/api/v1/public/reports'
const HISTORIES = loopCount({ short: 3, full: 40 })

type Reported = 'listing' | 'file' | 'review'
type Target = Reported | 'person'
type Step =
  | { kind: 'report'; target: Reported }
  | { kind: 'decide'; target: Target; action: string; scope: 'publishing' | 'everything' }
  | { kind: 'appeal'; outcome: 'upheld' | 'reversed' }

/** What the decisions so far mean. */
type Model = {
  hidden: boolean
  taken_down: boolean
  quarantined: boolean
  removed: boolean
  suspended: null | 'publishing' | 'everything'
  reports: { target: Reported; path: string; is_open: boolean }[]
  /** The newest restriction of the owner, which can be appealed while nothing followed it. */
  appealable: { statement_uid: string; undo: (model: Model) => void } | undefined
}

const actionsOf: Record<Target, string[]> = {
  listing: ['dismiss', 'warn', 'hide', 'take_down', 'restore'],
  file: ['dismiss', 'warn', 'quarantine', 'restore'],
  review: ['dismiss', 'warn', 'remove', 'restore'],
  person: ['dismiss', 'warn', 'suspend', 'restore'],
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('report' as const),
        target: fc.constantFrom<Reported>('listing', 'file', 'review'),
      }),
    },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(
          ...Object.entries(actionsOf).flatMap(([target, actions]) =>
            actions.map((action) => ({ target: target as Target, action })),
          ),
        )
        .chain(({ target, action }) =>
          fc.record({
            kind: fc.constant('decide' as const),
            target: fc.constant(target),
            action: fc.constant(action),
            scope: fc.constantFrom('publishing' as const, 'everything' as const),
          }),
        ),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('appeal' as const),
        outcome: fc.constantFrom('upheld' as const, 'reversed' as const),
      }),
    },
  ),
  { minLength: 15, maxLength: 25 },
)

/** Applies a decision to the model; false if it changes nothing, which is refused. */
function decideInModel(model: Model, { target, action, scope }: Step & { kind: 'decide' }) {
  const set = (name: 'hidden' | 'taken_down' | 'quarantined' | 'removed', value: boolean) => {
    const changed = model[name] !== value
    model[name] = value
    return changed
  }
  switch (action) {
    case 'hide':
      return set('hidden', true)
    case 'take_down':
      return set('taken_down', true)
    case 'quarantine':
      return set('quarantined', true)
    case 'remove':
      return set('removed', true)
    case 'suspend': {
      const changed = model.suspended !== scope
      model.suspended = scope
      return changed
    }
    case 'restore': {
      if (target === 'file') return set('quarantined', false)
      if (target === 'review') return set('removed', false)
      if (target === 'person') {
        const changed = model.suspended !== null
        model.suspended = null
        return changed
      }
      const was_taken_down = set('taken_down', false)
      return set('hidden', false) || was_taken_down
    }
    default:
      return true
  }
}

const undoes: Record<string, (model: Model) => void> = {
  hide: (model) => {
    model.hidden = false
  },
  take_down: (model) => {
    model.taken_down = false
  },
  quarantine: (model) => {
    model.quarantined = false
  },
}

const isVisible = (model: Model, target: Reported): boolean => {
  if (model.taken_down) return false
  if (target === 'file') return !model.quarantined
  return target !== 'review' || !model.removed
}

type App = Awaited<ReturnType<typeof startModerated>>

async function startModerated(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  return { ...app, ...(await moderationTeam(app)) }
}

/** A public listing with a file and a review. */
async function makeWorld({ a, sql, put }: App) {
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  const { file_uid } = await a.cleanBuild(listing)
  await makePublic(sql, listing.uid)
  await sql`update listings set anonymous_downloads = true where uid = ${listing.uid}`
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'grant')
  const review = { enjoyed: true, quality: 5, text: 'Good' }
  must(await put(`/api/v1/private/games/${listing.uid}/review`, review, player))
  const [saved] = await sql`select uid from reviews where game_uid = ${listing.uid}`
  const ids = { listing: listing.uid, file: file_uid, review: saved!['uid'], person: owner.uid }
  return { owner, listing, ids: ids as Record<Target, string> }
}
type World = Awaited<ReturnType<typeof makeWorld>>

async function takeStep(app: App, { ids, owner }: World, model: Model, step: Step) {
  const { post, moderator, operator } = app
  if (step.kind === 'report') {
    const body = { target_type: step.target, target_id: ids[step.target], kind: 'spam' }
    const more = { text: 'The page sells pills', good_faith: true }
    const answer = await post(REPORTS, { ...body, ...more }, { headers: newAddress() })
    assert.equal(answer.status, isVisible(model, step.target) ? 201 : 404)
    if (answer.status !== 201) return
    const { report_id, token } = answer.body.data
    const path = `${REPORTS}/${report_id}?token=${token}`
    model.reports.push({ target: step.target, path, is_open: true })
  } else if (step.kind === 'decide') {
    const suspension =
      step.action === 'suspend' ? { suspension: { scope: step.scope, days: null } } : {}
    const body = decision(step.target, ids[step.target], step.action, suspension)
    const changes = decideInModel(model, step)
    const answer = await post(ACTIONS, body, moderator)
    assert.equal(answer.status, changes ? 201 : 409)
    if (!changes) return
    for (const report of model.reports) if (report.target === step.target) report.is_open = false
    const undo = undoes[step.action]
    const { statement_uid } = answer.body.data
    model.appealable = undo && { statement_uid, undo }
  } else if (model.appealable && model.suspended !== 'everything') {
    const { statement_uid, undo } = model.appealable
    model.appealable = undefined
    const path = `/api/v1/public/statements/${statement_uid}/appeal`
    const { appeal_uid } = must(await post(path, { text: 'It is a game' }, owner))
    const body = { outcome: step.outcome, reasons: 'We looked again' }
    must(await post(`/api/v1/private/moderation/appeals/${appeal_uid}/decision`, body, operator))
    if (step.outcome === 'reversed') undo(model)
  }
}

async function isListed({ get }: App, { owner, listing }: World): Promise<boolean> {
  const profile = await get(`/${owner.username}`, { headers: newAddress() })
  return String(profile.body).includes(`/${listing.vanity_name}`)
}

/** What visitors, the owner and reporters see. */
async function observe(app: App, world: World, model: Model) {
  const { get, put } = app
  const { ids, owner } = world
  const visitor = () => ({ headers: newAddress() })
  const page = await get(`${GAMES}/${ids.listing}`, visitor())
  const download = await get(`/api/v1/public/downloads/${ids.file}`, visitor())
  const reviews = await get(`${GAMES}/${ids.listing}/reviews`, visitor())
  const account = await get('/api/v1/private/token', owner)
  const publishing = await put('/api/v1/private/settings/profile', { bio: 'I make games' }, owner)
  const reports = await Promise.all(model.reports.map(({ path }) => get(path, visitor())))
  return {
    page: page.status,
    is_listed: await isListed(app, world),
    download: download.status,
    reviews: reviews.status === 200 ? reviews.body.data.items.length : reviews.status,
    account: account.status,
    publishing: publishing.status,
    open_reports: reports.map(({ body }) => body.data.state === 'open'),
  }
}

const expected = (model: Model) => ({
  page: model.taken_down ? 404 : 200,
  is_listed: !model.taken_down && !model.hidden,
  download: model.taken_down || model.quarantined ? 404 : 200,
  reviews: model.taken_down ? 404 : model.removed ? 0 : 1,
  account: model.suspended === 'everything' ? 403 : 200,
  publishing: model.suspended ? 403 : 200,
  open_reports: model.reports.map(({ is_open }) => is_open),
})

test(`${HISTORIES} random histories of decisions show what their model says`, {
  timeout: 3_600_000,
}, async (t) => {
  const app = await startModerated(t)
  let decisions = 0
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const world = await makeWorld(app)
      const model: Model = {
        hidden: false,
        taken_down: false,
        quarantined: false,
        removed: false,
        suspended: null,
        reports: [],
        appealable: undefined,
      }
      for (const step of history) {
        await takeStep(app, world, model, step)
        const wanted = expected(model)
        // What is hidden is gone at once; the search index, of which profiles are made, may be late
        // with what is shown.
        if (wanted.is_listed) await eventually('the listing', () => isListed(app, world))
        assert.deepEqual(await observe(app, world, model), wanted, JSON.stringify(step))
        decisions++
      }
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  )
  t.diagnostic(`${decisions} steps`)
})
