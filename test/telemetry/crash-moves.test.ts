import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { must } from '../builders.ts'
import { form } from '../uploads/forms.ts'
import { type BuildOf, CRASHES, fresh, idsOf, stage } from './stage.ts'

type Stage = Awaited<ReturnType<typeof stage>>
const words = Buffer.from('the last words of the game')
const report = ({ call }: Stage, to: BuildOf, metadata: object, log?: Buffer) =>
  call(
    'POST',
    CRASHES,
    form([{ name: 'metadata', value: JSON.stringify(metadata) }, ...(log ? [{ name: 'log', filename: 'game.log', bytes: log }] : [])], {
      headers: { ...idsOf(to), ...fresh() },
    }),
  )
const put = ({ call }: Stage, url: string) =>
  call('PUT', url, { raw: new Uint8Array(words), headers: { 'content-type': 'application/octet-stream', ...fresh() } })

/** Every transaction is kept, and its answer lost on the way, until this is called off. */
function loseAnswers(t: TestContext, { core }: Stage): () => void {
  const real = core.sql.begin.bind(core.sql) as (...given: unknown[]) => Promise<unknown>
  const lost = t.mock.method(core.sql as { begin: typeof real }, 'begin', async (...given: unknown[]) => {
    await real(...given)
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  })
  return () => lost.mock.restore()
}

test('a log outlives a connection that is lost after its report was kept: by form and by link', async (t) => {
  const app = await stage(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const sent = async (id: string) => {
    const link = must(await app.get(`/api/v1/private/games/${listing.uid}/crashes/${id}/download?kind=log`, listing.owner))
    return Buffer.from(await (await fetch(link.url)).arrayBuffer())
  }
  const { id, uploads } = must(await report(app, to, { has_log: true }))
  const find = loseAnswers(t, app)
  const answers = [await report(app, to, { report_id: 'one' }, words), await put(app, uploads.log.url)]
  find()
  assert.deepEqual(
    answers.map(({ status }) => status >= 500),
    [true, true],
  )
  // Sent again it is the same report, with what came the first time.
  const again = must(await report(app, to, { report_id: 'one' }, words))
  assert.deepEqual([await sent(again.id), await sent(id)], [words, words])
  assert.equal((await put(app, uploads.log.url)).status, 409)
})
