import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { sharedImportApp } from './fixtures.ts'

const startApp = sharedImportApp()

test('a resync without a key uses the saved key if sign-in is on, else it is refused', async () => {
  const { app, imported, preview, resync, del, developer } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid } = must(
    await imported(who, { ...request, enable_auth: true, groups: ['text'] }),
  )
  // A preview of the linked app may use the saved key; other previews and imports need a key.
  const { app_id } = request
  must(await preview(who, { app_id, game_uid, groups: ['text'] }))
  assert.deepEqual(refused(await preview(who, { app_id: app().app_id, game_uid })), [400, 4240])
  assert.deepEqual(refused(await preview(who, { app_id })), [400, 4240])
  assert.deepEqual(refused(await imported(who, { app_id, game_uid })), [400, 4240])
  for (const body of [
    { groups: ['text'] },
    { groups: ['text'], web_api_key: '' },
    { groups: ['text'], web_api_key: null },
  ])
    assert.equal(must(await resync(who, game_uid, body)).steam.auth.enabled, true)
  must(await del(`/api/v1/private/games/${game_uid}/steam/auth`, who))
  assert.deepEqual(refused(await preview(who, { app_id, game_uid })), [400, 4240])
  const without = await resync(who, game_uid, { groups: ['text'] })
  assert.deepEqual([...refused(without), without.body.data.field], [400, 4240, 'web_api_key'])
  assert.deepEqual(refused(await resync(who, game_uid, { web_api_key: 'short' })), [400, 4240])
  assert.deepEqual(
    refused(await resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['x'] })),
    [400, 4240],
  )
  must(await resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['text'] }))
})

test('a resync requires a linked listing of the user and a key that covers the app', async () => {
  const { app, a, imported, resync, del, developer, control } = await startApp()
  const [who, stranger] = [await developer(), await developer()]
  const request = app()
  const { game_uid } = must(await imported(who, { ...request, groups: ['text'] }))
  assert.deepEqual(
    refused(await resync(stranger, game_uid, { web_api_key: request.web_api_key })),
    [404, 4040],
  )
  assert.deepEqual(
    refused(
      await resync(who, (await a.listing({ owner: who })).uid, {
        web_api_key: request.web_api_key,
      }),
    ),
    [404, 4244],
  )
  assert.deepEqual(
    refused(await resync(who, game_uid, { web_api_key: app().web_api_key })),
    [403, 4241],
  )
  control.revoke({ key: request.web_api_key })
  assert.deepEqual(
    refused(await resync(who, game_uid, { web_api_key: request.web_api_key })),
    [403, 4241],
  )
  must(await del(`/api/v1/private/games/${game_uid}/steam`, who))
  assert.deepEqual(
    refused(await resync(who, game_uid, { web_api_key: request.web_api_key })),
    [404, 4244],
  )
})
