import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addDownload } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('a file on a closed channel is 4074 when signed in, and 404 otherwise', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const person = await app.a.verified()
  const download = async (file_uid: string, who?: { token: string }) =>
    refused(await app.get(`/api/v1/${who ? 'private' : 'public'}/downloads/${file_uid}`, who))
  const dev = await app.a.cleanBuild(app.game, { channel: 'dev', version: '9.0' })
  const beta = await app.a.cleanBuild(app.game, { channel: 'beta', version: '9.1' })
  for (const { file_uid } of [dev, beta]) {
    assert.deepEqual(await download(file_uid, person), [403, 4074])
    assert.deepEqual(await download(file_uid), [404, 4040])
  }
  must(await app.get(`/api/v1/private/downloads/${dev.file_uid}`, app.game.owner))
  must(await app.put(`/api/v1/private/games/${app.game.uid}/channel`, { channel: 'beta' }, person))
  must(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, person))
  await app.sql`update files set scan = 'infected' where uid = ${dev.file_uid}`
  assert.deepEqual(await download(dev.file_uid, person), [404, 4040], 'a rejected file')
  await app.changeListing(app.sql`visibility = 'draft'`)
  assert.deepEqual(await download(beta.file_uid, person), [404, 4040], 'a file of a hidden page')
  assert.equal((await app.attempts()).length, 2, 'a refusal was recorded')
})

test('a file that a newer build replaced is delivered on, but not one that was rolled back', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const { game, file_uid: replaced } = app
  const download = (file_uid: string) => app.get(`/api/v1/public/downloads/${file_uid}`)
  const next = await app.a.cleanBuild(game, { version: '9.8' })
  for (const file_uid of [replaced, next.file_uid]) must(await download(file_uid))
  const listed = must(
    await app.get(`/api/v1/public/user/${game.owner.username}/games/${game.vanity_name}/files`),
  ).files
  assert.deepEqual(
    listed.map((file: { uid: string }) => file.uid),
    [next.file_uid],
    'only the head is listed',
  )
  const channel = `/api/v1/private/games/${game.uid}/channels/stable`
  must(await app.post(`${channel}/rollback`, undefined, game.owner))
  must(await download(replaced))
  assert.deepEqual(refused(await download(next.file_uid)), [404, 4040])
})

test('a beta that is sold answers 4165 with the editions to buy', async (t) => {
  const app = await addDownload(await sharedApp(t), { anonymous: false })
  const beta = await app.a.cleanBuild(app.game, { channel: 'beta', version: '9.1' })
  const channel = `/api/v1/private/games/${app.game.uid}/channel`
  const early = await app.a.verified()
  const buyer = await app.a.verified()
  const other = await app.a.verified()
  must(await app.put(channel, { channel: 'beta' }, early))
  const edition = {
    slug: 'early',
    name: 'Early access',
    kind: 'beta_access',
    price_cents: 500,
    active: true,
    sort_order: 0,
  }
  const { uid } = must(
    await app.post(`/api/v1/private/games/${app.game.uid}/editions`, edition, app.game.owner),
  )
  const skus = [{ uid, slug: 'early', name: 'Early access', price_cents: 500 }]
  for (const who of [other, early]) {
    const joining = await app.put(channel, { channel: 'beta' }, who)
    assert.deepEqual([...refused(joining), joining.body.data], [402, 4165, { skus }])
    const download = await app.get(`/api/v1/private/downloads/${beta.file_uid}`, who)
    assert.deepEqual([...refused(download), download.body.data], [402, 4165, { skus }])
  }
  const grants = `/api/v1/private/games/${app.game.uid}/licences`
  must(await app.post(grants, { username: other.username }, app.game.owner))
  assert.deepEqual(
    refused(await app.put(channel, { channel: 'beta' }, other)),
    [402, 4165],
    'a copy without the edition was enough',
  )
  const granted = must(
    await app.post(grants, { username: buyer.username, edition: 'early' }, app.game.owner),
  )
  assert.deepEqual(granted.edition, { uid, kind: 'beta_access' })
  assert.deepEqual(
    refused(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, buyer)),
    [403, 4074],
    'a buyer who did not join could download',
  )
  must(await app.put(channel, { channel: 'beta' }, buyer))
  must(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, buyer))
  must(await app.put(channel, { channel: 'beta' }, app.game.owner))
  must(await app.put(channel, { channel: 'stable' }, other))
  must(await app.del(`/api/v1/private/games/${app.game.uid}/editions/${uid}`, app.game.owner))
  must(await app.put(channel, { channel: 'beta' }, other))
  must(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, buyer))
})
