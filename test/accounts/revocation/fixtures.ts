import type { TestContext } from 'node:test'
import { grantedTokens } from '../../agents/oauth-flow.ts'
import { moderationTeam } from '../../moderation/fixtures.ts'
import { startApp } from '../../support/app.ts'
import { must, newAddress, PASSWORD, type Person } from '../../support/builders.ts'
import { SESSIONS, sessionFields } from '../../uploads/fixtures.ts'
import { zip } from '../../uploads/zips.ts'

export const GAMES = '/api/v1/private/games'
export const file = zip([{ name: 'bin/game', body: Buffer.alloc(5000, 7), method: 0 }])

/** A listing with a build, and what its people do with it. */
export async function startListing(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { a, call, del, post, sql } = app
  const team = await moderationTeam(app)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  const GAME = `${GAMES}/${listing.uid}`
  const build = { version: '1.0', os: 'linux', arch: 'x86_64' }
  const key = await a.deployer(listing)
  const { build_id } = must(await post('/api/v1/tool/upload/build', build, key))
  must(await del(`${GAME}/deploy-keys`, owner))

  const as = ({ token }: Person) => ({ token, headers: newAddress() })
  const suspended = (scope: string) => ({ suspension: { scope, days: null } })
  const form = (fields: Record<string, string>) => ({
    raw: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...newAddress() },
  })
  return {
    ...app,
    team,
    owner,
    listing,
    GAME,
    build_id: build_id as string,
    as,
    async join(person: Person) {
      must(await post(`${GAME}/admins`, { username: person.username }, as(owner)))
      const accept = `/api/v1/private/invites/${listing.uid}/accept`
      must(await post(accept, undefined, as(person)))
    },
    remove: async (person: Person, by = owner) =>
      must(await del(`${GAME}/admins/${person.uid}`, as(by))),
    suspend: (person: Person, scope = 'everything') =>
      team.decide('person', person.uid, 'suspend', suspended(scope)),
    /** Returns the person with a new session. */
    async restore(person: Person): Promise<Person> {
      await team.decide('person', person.uid, 'restore')
      const login = { login: person.username, password: PASSWORD }
      const { token } = must(
        await post('/api/v1/private/account/login', login, { headers: newAddress() }),
      ).session
      return { ...person, token }
    },
    async deleteAccount(person: Person) {
      const { username } = person
      const body = { username, password: PASSWORD }
      must(await post('/api/v1/private/account/delete', body, as(person)))
    },
    deployKey: async (person: Person) => (await a.deployer({ ...listing, owner: person })).headers,
    agentKey: async (person: Person) =>
      (await a.key('agent', person, ['mcp:read'], { game_uid: listing.uid })).key as string,
    grant: (person: Person, url = app.url) =>
      grantedTokens(url, person, { choice: { game_uid: listing.uid } }),
    /** Opens an upload session on the website, or with a deploy key. */
    async openUpload(by: Person | Record<string, string>): Promise<string> {
      const request = form(sessionFields(file, build_id))
      const is_person = 'token' in by && 'uid' in by
      const answer = is_person
        ? await call('POST', `${GAME}/files/sessions`, { ...request, token: by.token as string })
        : await call('POST', SESSIONS, {
            ...request,
            headers: { ...request.headers, ...(by as Record<string, string>) },
          })
      return must(answer).session_id
    },
    isOpen: async (session: string) => {
      const rows = await sql`
        select from upload_sessions where uid = ${session} and expires_at > now()`
      return rows.length === 1
    },
    /** A request of an agent that the person has to approve. */
    async approval({ uid }: Person) {
      const [row] = await sql<{ uid: string }[]>`
        insert into approvals
          (uid, user_uid, credential_uid, game_uid, action, subject, summary, idempotency_key,
            expires_at)
        values (gen_random_uuid(), ${uid}, gen_random_uuid(), ${listing.uid}, 'test', '{}', 'Test',
          gen_random_uuid()::text, now() + interval '10 minutes')
        returning uid`
      return row!.uid
    },
  }
}
export type Started = Awaited<ReturnType<typeof startListing>>
