import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { token as tokenRequest } from '../../agents/oauth-flow.ts'
import { eventually, outbox } from '../../support/app.ts'
import { must, type Person, refused } from '../../support/builders.ts'
import { upload } from '../../uploads/forms.ts'
import { file, type Started, startListing } from './fixtures.ts'

const FILES = '/api/v1/tool/upload/files'

test('who loses the role of an admin', async (t) => {
  const app = await startListing(t)
  const { a, get, post, sql, GAME, owner, listing, data_dir } = app

  const kindsOf = async ({ uid }: Person) => {
    const rows = await sql<{ kind: string }[]>`
      select kind
      from security_events
      where user_uid = ${uid} and game_uid = ${listing.uid} and kind ~ '(revoked|ended)$'
      order by kind`
    return rows.map(({ kind }) => kind)
  }
  const mails = (pattern: RegExp) =>
    outbox(data_dir).filter(({ to, text }) => to === owner.email && pattern.test(text))

  const ways: Record<string, (person: Person) => Promise<unknown>> = {
    'is removed': (person) => app.remove(person),
    leaves: (person) => app.remove(person, person),
    'is suspended': (person) => app.suspend(person),
    'is deleted': (person) => app.deleteAccount(person),
  }
  for (const [way, lose] of Object.entries(ways))
    await t.test(`because the person ${way}: nothing they issued works`, async () => {
      const person = await a.verifiedDeveloper()
      await app.join(person)
      const headers = await app.deployKey(person)
      const token = await app.agentKey(person)
      const app_tokens = await app.grant(person)
      const uploads = [await app.openUpload(person), await app.openUpload(headers)]
      const approval = await app.approval(person)
      const listed = () => get('/api/v1/tool/builds', { headers })
      const tokens = [token, app_tokens.access_token, person.token]
      must(await listed())
      for (const token of tokens) must(await get(GAME, { token }))
      const mailed = mails(/deploy key/).length

      await lose(person)
      assert.ok([401, 403].includes((await listed()).status))
      for (const token of tokens)
        assert.ok([401, 403, 404].includes((await get(GAME, { token })).status))
      const { client_id, refresh_token } = app_tokens
      const refresh = { grant_type: 'refresh_token', client_id, refresh_token }
      assert.equal((await tokenRequest(app.url, refresh)).status, 400)
      for (const session of uploads) assert.equal(await app.isOpen(session), false)
      const [open] = await sql`
        select from approvals where uid = ${approval} and expires_at > now()`
      assert.equal(open, undefined)
      await eventually('the mail', async () => mails(/deploy key/).length === mailed + 1)
      const kinds = [
        'approval_ended',
        'deploy_key_revoked',
        'grant_revoked',
        'key_revoked',
        'upload_ended',
        'upload_ended',
      ]
      if (way !== 'is deleted') assert.deepEqual(await kindsOf(person), kinds)
      if (way === 'is suspended') {
        const restored = await app.restore(person)
        assert.deepEqual(refused(await listed()), [401, 4023])
        for (const ended of [token, person.token])
          assert.equal((await get(GAME, { token: ended })).status, 401)
        must(await get(GAME, restored))
      }
    })

  await t.test('keeps what is not of this listing', async () => {
    const person = await a.verifiedDeveloper()
    const own = await a.listing({ owner: person })
    await app.join(person)
    const own_key = await a.deployer(own)
    const bound = await a.key('agent', person, ['mcp:read'], { game_uid: own.uid })
    const whole = await a.key('agent', person, ['mcp:read'])
    await app.remove(person)
    must(await get('/api/v1/tool/builds', own_key))
    must(await get(`/api/v1/private/games/${own.uid}`, { token: bound.key }))
    must(await get(`/api/v1/private/games/${own.uid}`, { token: whole.key }))
    assert.equal((await get(GAME, { token: whole.key })).status, 404)
  })

  await t.test('leaves what others issued', async () => {
    const person = await a.verifiedDeveloper()
    await app.join(person)
    const session = await app.openUpload(owner)
    const token = await app.agentKey(owner)
    const headers = await app.deployKey(owner)
    await app.remove(person)
    assert.ok(await app.isOpen(session))
    must(await get(GAME, { token }))
    must(await get('/api/v1/tool/builds', { headers }))
  })

  await t.test('is only stopped while suspended from publishing', async () => {
    const person = await a.verifiedDeveloper()
    await app.join(person)
    const headers = await app.deployKey(person)
    await app.suspend(person, 'publishing')
    assert.deepEqual(refused(await get('/api/v1/tool/builds', { headers })), [403, 4284])
    await app.restore(person)
    must(await get('/api/v1/tool/builds', { headers }))
    await app.remove(person)
  })

  await t.test('cannot finish an upload that is on its way', async () => {
    const person = await a.verifiedDeveloper()
    await app.join(person)
    const headers = await app.deployKey(person)
    const sending = startUpload(app, headers)
    await sending.sendHalf()
    await app.remove(person)
    assert.deepEqual(await sending.finish(), [401, 4023])
    assert.deepEqual([...(await sql`select from files where uploaded_by = ${person.uid}`)], [])
  })

  await t.test('gets no key out of a request that races with it', async () => {
    for (let round = 0; round < 8; round++) {
      const person = await a.verifiedDeveloper()
      await app.join(person)
      const lose = round % 2 ? app.remove : app.suspend
      await Promise.all([
        lose(person),
        post(`${GAME}/deploy-keys`, undefined, app.as(person)),
        app.openUpload(person).catch(() => {}),
        post(
          '/api/v1/private/account/agent-keys',
          { name: 'test', scopes: ['mcp:read'], game_uid: listing.uid },
          app.as(person),
        ),
      ])
      const left = await sql`
        select 'deploy key' as what
        from deploy_keys
        where issued_by = ${person.uid} and revoked_at is null
        union all
        select 'key' from access_keys where user_uid = ${person.uid}
        union all
        select 'upload' from upload_sessions where uploaded_by = ${person.uid}`
      assert.deepEqual([...left], [], `round ${round}`)
    }
  })
})

/** Sends a file with a deploy key, the second half on demand. */
function startUpload({ url, build_id, data_dir }: Started, headers: Record<string, string>) {
  const form = upload(file, { build_id }, { headers })
  const bytes = Buffer.from(form.raw as Uint8Array)
  const half = bytes.length >> 1
  const request = httpRequest(new URL(FILES, url), {
    method: 'POST',
    headers: { ...form.headers, 'content-length': bytes.length },
  })
  const answer = once(request, 'response')
  return {
    async sendHalf() {
      const folder = join(data_dir, 'uploads')
      const parts = () => (existsSync(folder) ? readdirSync(folder).length : 0)
      const before = parts()
      request.write(bytes.subarray(0, half))
      await eventually('the part file', async () => parts() > before)
    },
    async finish() {
      request.end(bytes.subarray(half))
      const [response] = await answer
      const { error } = JSON.parse(await text(response))
      return [response.statusCode, error?.code]
    },
  }
}
