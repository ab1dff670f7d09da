import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { fieldsOf, sharedImportApp } from './fixtures.ts'

const startApp = sharedImportApp()

test('unlinking keeps imported fields and frees the app', async () => {
  const { app, imported, del, get, snapshot, developer } = await startApp()
  const [who, other] = [await developer(), await developer()]
  const request = app()
  const { game_uid } = must(await imported(who, request))
  const before = await snapshot(who, game_uid)
  must(await del(`/api/v1/private/games/${game_uid}/steam`, who))
  assert.deepEqual(refused(await get(`/api/v1/private/games/${game_uid}/steam`, who)), [404, 4244])
  const after = await snapshot(who, game_uid)
  assert.deepEqual(
    [after.page, after.press, after.media],
    [before.page, before.press, before.media],
  )
  assert.equal(must(await imported(other, { ...request, groups: ['text'] })).created, true)
})

test('a running import or resync does not restore a removed link', async () => {
  const { app, imported, resync, del, patch, snapshot, developer, control, store } =
    await startApp()
  const who = await developer()
  const request = { ...app(), groups: ['text'] }
  for (const again of [
    (uid: string) => resync(who, uid, { web_api_key: request.web_api_key, groups: ['text'] }),
    (uid: string) => imported(who, { ...request, game_uid: uid, enable_auth: true }),
  ]) {
    const { game_uid } = must(await imported(who, request))
    must(
      await patch(
        `/api/v1/private/games/${game_uid}`,
        { visibility: 'draft', tagline: 'Before' },
        who,
      ),
    )
    control.clearCalls()
    control.fault({ on: 'page', mode: 'delay', ms: 700, times: 1 })
    const slow = again(game_uid)
    while (!store.world.calls.some(({ call }) => call === 'page')) await new Promise(setImmediate)
    must(await del(`/api/v1/private/games/${game_uid}/steam`, who))
    const before = await snapshot(who, game_uid)
    assert.deepEqual(refused(await slow), [404, 4244])
    assert.deepEqual(await snapshot(who, game_uid), before)
  }
})

test('edits are remembered after unlinking, for the same app only', async () => {
  const { app, imported, del, patch, listing, developer } = await startApp()
  const who = await developer()
  const request = { ...app(), groups: ['text'] }
  const { game_uid } = must(await imported(who, request))
  must(await patch(`/api/v1/private/games/${game_uid}`, { tagline: 'Mine' }, who))
  must(await del(`/api/v1/private/games/${game_uid}/steam`, who))
  assert.deepEqual(fieldsOf(must(await imported(who, { ...request, game_uid })).kept), ['tagline'])
  assert.equal((await listing(who, game_uid)).tagline, 'Mine')
  must(await del(`/api/v1/private/games/${game_uid}/steam`, who))
  assert.deepEqual(must(await imported(who, { ...app(), groups: ['text'], game_uid })).kept, [])
})
