import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { webRoutes } from '../../../src/web/routes.ts'
import { eventually } from '../../support/app.ts'
import { addCopy, must, newAddress } from '../../support/builders.ts'
import { chooseCases } from '../../support/loop-count.ts'
import { browser, errorsOf, formsOf } from '../browser.ts'
import { signedIn } from '../dashboard-fixtures.ts'
import { startStore } from '../fixtures.ts'

/** Identifiers of the API, and the wording of schemas. */
const API_WORDS = new RegExp(
  [
    String.raw`\w_\w|\b(?:body|query|data)\.|\bnull\b|\bJSON\b`,
    'must NOT|must match|must be (?:string|object|array|boolean|integer|number)',
    'undefined|NaN|Retry-After',
  ].join('|'),
)

/** A form that is larger is refused as a whole. */
const MAX_FORM_BYTES = 900_000

/** Words of English that no German sentence has. */
const ENGLISH_WORDS =
  /\b(?:the|is|are|of|and|or|use|must|has|have|with|not|this|send|enter|at most|choose|your|try)\b/i

/** Forms with files have a route of their own, which reads the body as it arrives. */
const formRoutes = webRoutes.filter(({ method, raw_body }) => method === 'POST' && !raw_body)

const pattern = (url: string) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`)
const routeOf = (action: string) => {
  const path = action.split('?')[0]!
  const matches = formRoutes.filter(({ url }) => pattern(url).test(path))
  // A fixed path precedes one with parameters.
  return matches.sort((a, b) => a.url.split(':').length - b.url.split(':').length)[0]?.url
}

/** What people read of an answer: errors, the message after a redirect, and error pages. */
function messagesOf({ body, headers }: { body: unknown; headers: Record<string, string> }) {
  const notice = headers['set-cookie']?.match(/svc_notice=([^;]+)/)?.[1]
  const page = typeof body === 'string' ? body : JSON.stringify(body)
  const lede = page.match(/class="lede">(.*?)<\/p>/s)?.[1]
  return [...errorsOf(page), ...(notice ? [decodeURIComponent(notice)] : []), lede ?? '']
}

test('forms explain in the language of the reader, without identifiers of the API', async (t) => {
  const app = await startStore(t, { PROXY_HOPS: '1' })
  const { published, a, sql, post, url } = app
  const listing = await published()
  const draft = await a.listing({ owner: listing.owner, asset_type: 'mod' })
  const player = await a.verified()
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const new_user = await a.user()
  const friend = await a.verifiedDeveloper()
  await addCopy(sql, listing.uid, player.uid, 'grant')
  const api = `/api/v1/private/games/${listing.uid}`
  must(await post(`${api}/bug-reports`, { message: 'The door is stuck' }, player))
  must(await app.put(`${api}/review`, { enjoyed: true, quality: 4, text: 'Good' }, player))
  must(await post(`${api}/editions`, edition, listing.owner))
  must(await post(`${api}/admins`, { username: friend.username }, listing.owner))
  const build = { version: '9.0', os: 'linux', arch: 'x86_64', channel: 'beta' }
  const { build_id } = must(await post(`${api}/builds`, build, listing.owner))
  const headers = { 'x-app-id': listing.uid, 'x-build-id': build_id }
  must(await post('/api/v1/public/crashes', { user_message: 'it broke' }, { headers }))
  const { uid: group } = await eventually(
    'a crash group',
    async () => must(await app.get(`${api}/crash-groups`, listing.owner)).groups[0],
  )
  const [ticket] = must(await app.get(`${api}/bugs`, listing.owner)).items
  await app.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, friend)
  must(await post('/api/v1/private/account/player-keys', key, player))
  must(await app.put(`${api}/play-sharing`, { shared: true }, player))
  const project = `/dashboard/${listing.vanity_name}`
  const sections = `page images builds bugs press links external-store people settings
    sales coupons keys
    settings/editions/new builds/${build_id} bugs/${ticket.bug_uid} crashes/groups/${group}`
  const game = `/games/${listing.uid}`
  await sql`
    insert into publisher_approvals (user_uid, state, request, requested_at)
    values (${friend.uid}, 'requested', 'I make games', now())`
  await sql`insert into held_releases (game_uid, state) values (${draft.uid}, 'waiting')`
  const sweep = { sha256: ['ab'.repeat(32)] }
  const { sweep_id } = must(await post('/api/v1/private/moderation/sweeps', sweep, operator))
  const release = `approvals/releases/${draft.uid}`
  const sweeps = ['moderation/sweeps', `moderation/sweeps/${sweep_id}`]
  const consolePaths = [
    'settings',
    'settings/reports-webhook',
    'invitations',
    'sale-events',
    'approvals',
    release,
    ...sweeps,
  ]
  const pages = [
    { who: undefined, paths: ['/login', '/signup', '/password/forgot', '/password/new?token=x'] },
    { who: new_user, paths: ['/settings', '/settings/verify', '/dashboard', listing.path] },
    {
      who: player,
      paths: [listing.path, ...['review', 'tags', 'bug'].map((form) => `${game}/${form}`)],
    },
    { who: player, paths: ['/account/keys', '/library', '/redeem', '/settings', ...changes] },
    { who: new_user, paths: ['/account/security/totp', '/account/confirm'] },
    { who: friend, paths: ['/dashboard', '/settings'] },
    {
      who: listing.owner,
      paths: [
        '/dashboard/new',
        '/dashboard/import',
        '/account/keys',
        '/settings',
        ...sections.split(/\s+/).map((section) => `${project}/${section}`),
        `/dashboard/${draft.vanity_name}/page`,
        `/dashboard/${draft.vanity_name}/settings`,
      ],
    },
    {
      who: operator,
      paths: [...consolePaths.map((path) => `/operator/${path}`), `/operator/people/${player.uid}`],
    },
  ]
  const sent = new Set<string>()
  // The same form is on many pages of a person, such as the one that changes the language.
  const tried = new Set<string>()
  const all_names = new Set(['web_api_key', 'ticket_key', 'app_id', 'decision'])
  const problems: string[] = []
  const tryForm = async ({ who, action, names, value, language }: Attempt) => {
    const fields = value ? Object.fromEntries(names.map((name) => [name, value])) : {}
    const answer = await who.send(action, fields, { ...newAddress(), 'accept-language': language })
    assert.ok(answer.status < 500, `${action}: ${answer.status}`)
    for (const message of messagesOf(answer))
      if (API_WORDS.test(message) || (language === 'de' && ENGLISH_WORDS.test(message)))
        problems.push(`${action} (${value?.slice(0, 9)}): ${message.slice(0, 300)}`)
  }
  const english: Attempt[] = []
  for (const { who, paths } of pages)
    for (const path of paths) {
      const visitor = who ? signedIn({ url }, who) : browser({ url })
      const opened = await visitor.open(path, newAddress())
      assert.equal(opened.status, 200, path)
      for (const { action, names } of formsOf(opened.body)) {
        const route = routeOf(action)
        if (!route || destructive.some((end) => route.endsWith(end))) continue
        sent.add(route)
        for (const name of names) all_names.add(name)
        const form = JSON.stringify([who?.uid, route, [...names].sort()])
        if (tried.has(form)) continue
        tried.add(form)
        for (const value of valuesFor(names)) {
          const attempt = { who: visitor, action, names, value }
          await tryForm({ ...attempt, language: 'de' })
          english.push({ ...attempt, language: 'en' })
        }
      }
    }
  for (const attempt of chooseCases(t, english, 100)) await tryForm(attempt)
  // Forms that appear only in some state are sent as a page that is out of date would send them.
  const params: Record<string, string> = { game: listing.vanity_name, game_id: listing.uid }
  const outdated: Attempt[] = []
  for (const { url: route } of formRoutes.filter((route) => !sent.has(route.url))) {
    if (route === '/logout' || route === '/dashboard/:game/delete') continue
    const action = route.replace(/:(\w+)/g, (_, name) => params[name] ?? randomUUID())
    const form = { who: signedIn({ url }, listing.owner), action, names: [...all_names] }
    const [empty, ...others] = valuesFor(form.names).flatMap((value) =>
      (['de', 'en'] as const).map((language) => ({ ...form, value, language })),
    )
    await tryForm(empty!)
    outdated.push(...others)
  }
  for (const attempt of chooseCases(t, outdated, 150)) await tryForm(attempt)
  assert.deepEqual(problems, [])
  assert.ok(sent.size >= 35, `${sent.size} forms were found on pages`)
})

const changes = ['email', 'email/confirm', 'password', 'export', 'delete', 'played-games'].map(
  (page) => `/settings/${page}`,
)

/** What is sent in each field of a form; undefined leaves them out. */
function valuesFor(names: string[]): (string | undefined)[] {
  if (!names.length) return [undefined]
  // Longer than any field allows, but all together shorter than a form may be.
  const long = 'x'.repeat(Math.min(30_000, MAX_FORM_BYTES / names.length))
  return [undefined, 'wrong', '\u0007', long, '-1']
}

type Visitor = ReturnType<typeof browser>
type Attempt = {
  who: Visitor
  action: string
  names: string[]
  value: string | undefined
  language: 'en' | 'de'
}

const edition = { slug: 'big', name: 'Big', kind: 'deluxe', price_cents: 999 }
const key = { name: 'Key', scopes: ['player:read'] }
/** Buttons that would remove what the other forms need; they are sent last. */
const destructive = [
  '/logout',
  '/delete',
  '/remove',
  '/revoke',
  '/retire',
  '/accept',
  '/decline',
  '/unlink',
]
