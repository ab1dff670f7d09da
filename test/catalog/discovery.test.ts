import assert from 'node:assert/strict'
import { test } from 'node:test'
import { robots, securityTxt } from '../../src/catalog/discovery/discovery.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { must, refused } from '../support/builders.ts'
import { countStatuses, emptyCatalog, notIndexable, startCatalog } from './fixtures.ts'

const addresses = {
  base_url: 'https://api.example',
  upload_url: 'https://up.example',
  web_url: 'https://store.example',
  issuer: 'x',
  mcp_auth_url: 'https://store.example',
}

/** RFC 9309, as crawlers read it: the longest rule that matches wins, and allowing wins a tie. */
function mayVisit(rules: string, path: string): boolean {
  const matching = [...rules.matchAll(/^(Allow|Disallow): (\S+)$/gm)]
    .map(([, verb, rule]) => ({ verb, rule: rule! }))
    .filter(({ rule }) => {
      const escaped = rule.replace(/[.+?^{}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
      return new RegExp(
        `^${escaped.endsWith('$') ? escaped : escaped.replaceAll('$', '\\$')}`,
      ).test(path)
    })
    .sort((a, b) => b.rule.length - a.rule.length || (a.verb === 'Allow' ? -1 : 1))
  return matching[0]?.verb !== 'Disallow'
}

test('robots.txt disallows account pages and names the sitemap', async (t) => {
  const { get, url } = await emptyCatalog(t)
  const { status, headers, body } = await get('/robots.txt')
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  assert.match(body, new RegExp(`^Sitemap: ${url}/sitemap.xml$`, 'm'))
  assert.equal(body, robots({ ...addresses, web_url: url }))
  // biome-ignore format: a table of words reads better in rows
  const closed = [
    'settings', 'login', 'signup', 'setup', 'logout', 'password', 'library', 'friends', 'redeem',
    'purchase', 'approve', 'dashboard', 'edit', 'new',
  ]
  for (const page of closed)
    for (const path of [`/${page}`, `/${page}/`, `/${page}/more`, `/${page}?next=/`])
      assert.ok(!mayVisit(body, path), path)
  for (const path of [
    '/',
    '/docs/api',
    '/maker/game',
    '/maker/game/press',
    '/llms.txt',
    '/sitemap.xml',
    '/feeds/new.atom',
    '/maker/game/embedded',
  ])
    assert.ok(mayVisit(body, path), path)
  assert.ok(!mayVisit(body, '/maker/game/embed'))
  for (const developer of [
    '/newton',
    '/newton/game',
    '/login-games/x',
    '/editors',
    '/settings-studio/llms.txt',
    '/librarian/new-game',
  ])
    assert.ok(
      mayVisit(body, developer),
      `${developer} is a developer's page, which only begins like a disallowed path`,
    )
})

test('security.txt has a contact and a future expiry, and uses the configured ones', async (t) => {
  const { get, url } = await emptyCatalog(t)
  const { status, headers, body } = await get('/.well-known/security.txt')
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  assert.match(body, /^Contact: mailto:security@localhost$/m)
  assert.match(body, new RegExp(`^Canonical: ${url}/.well-known/security.txt$`, 'm'))
  const expires = new Date(body.match(/^Expires: (\S+)$/m)![1])
  assert.ok(expires.getTime() > Date.now() && expires.getTime() < Date.now() + 365 * 86_400_000)
  for (const field of ['Contact', 'Expires', 'Canonical', 'Preferred-Languages'])
    assert.equal(body.match(new RegExp(`^${field}: `, 'gm')).length, 1, field)
  const now = new Date('2026-06-01T13:00:00Z')
  assert.match(
    securityTxt(addresses, {} as never, now),
    /^Contact: mailto:security@store.example\nExpires: 2026-11-28T00:00:00.000Z\n/,
  )
  const env = {
    SECURITY_CONTACT: 'mailto:a@b.example, https://b.example/report',
    SECURITY_EXPIRES: '2027-01-31',
  }
  assert.match(
    securityTxt(addresses, readConfig(env), now),
    new RegExp(
      '^Contact: mailto:a@b.example\\nContact: https://b.example/report\\n' +
        'Expires: 2027-01-31T00:00:00.000Z\\n',
    ),
  )
  for (const SECURITY_CONTACT of [
    'a@b.example',
    'http://b.example',
    'mailto:a@b.example,',
    'mailto:a@b\u0000',
    'mailto:a b@c',
    'javascript:1',
  ])
    assert.throws(
      () => readConfig({ SECURITY_CONTACT }),
      /SECURITY_CONTACT must be/,
      SECURITY_CONTACT,
    )
  assert.throws(() => readConfig({ SECURITY_EXPIRES: 'soon' }), /SECURITY_EXPIRES must be/)
  assert.throws(() => readConfig({ HOUSE_ENGINE: 'Not A Slug' }), /HOUSE_ENGINE must be/)
})

test('the API catalog is a linkset, and HEAD returns its link header', async (t) => {
  const { get, call, url } = await emptyCatalog(t)
  const { status, headers, body } = await get('/.well-known/api-catalog')
  assert.deepEqual(
    [status, headers['content-type']],
    [200, 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
  )
  const link = `<${url}/.well-known/api-catalog>; rel="api-catalog"`
  const head = await call('HEAD', '/.well-known/api-catalog')
  assert.deepEqual(
    [head.status, head.headers.link, headers.link, head.headers['content-type']],
    [200, link, link, headers['content-type']],
  )
  const { linkset } = JSON.parse(body)
  // RFC 9264: every context has an anchor, every relation a list of targets with an address.
  for (const { anchor, ...relations } of linkset) {
    assert.ok(URL.canParse(anchor))
    for (const targets of Object.values(relations) as { href: string }[][])
      for (const { href } of targets) assert.ok(URL.canParse(href), href)
  }
  const api = linkset.find(({ anchor }: any) => anchor === `${url}/api/v1/public/`)
  assert.deepEqual(
    api['service-desc'].map(({ href }: any) => href),
    [`${url}/api/v1/public/openapi.json`, `${url}/api/v1/public/openapi.yaml`],
  )
  for (const relation of ['service-desc', 'service-doc', 'service-meta', 'status'])
    for (const { href, type } of api[relation]) {
      const answer = await get(href)
      assert.equal(answer.status, 200, href)
      assert.ok(answer.headers['content-type']!.startsWith(type), href)
    }
  assert.deepEqual(
    linkset[0].item.map(({ href }: any) => href),
    [
      ...['', 'search', 'sitemap', 'export', 'asset-library/'].map(
        (name) => `${url}/api/v1/public/${name}`,
      ),
      `${url}/mcp`,
      `${url}/player`,
    ],
  )
})

test('humans.txt is served as text', async (t) => {
  const { get } = await emptyCatalog(t)
  const { status, headers, body } = await get('/humans.txt')
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  assert.match(body, /TEAM/)
})

test('llms.txt links APIs, shelves, feeds and new listings, and every link works', async (t) => {
  const { get, createListing, url } = await emptyCatalog(t)
  const { username, vanity_name } = await createListing({
    name: 'Shiny [new] *thing*',
    tagline: 'Line',
  })
  const { status, headers, body } = await get('/llms.txt')
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  assert.match(body, /^# Slipway\n\n> /)
  assert.ok(
    body.includes(
      `- [Shiny \\[new\\] \\*thing\\*](${url}/${username}/${vanity_name}/llms.txt): Line\n`,
    ),
  )
  const links = [...body.matchAll(/\]\((http[^)]+)\)/g)].map((match) => match[1]!)
  assert.ok(links.length > 15)
  for (const href of links) assert.equal((await get(href)).status, 200, href)
})

test('a developer’s llms.txt lists their indexable listings, newest first', async (t) => {
  const { get, createListing, createDeveloper, url } = await emptyCatalog(t)
  const owner = await createDeveloper({ username: 'Studio-X' })
  const old = await createListing({ owner, name: 'Old', published_at: new Date('2026-01-01') })
  const young = await createListing({
    owner,
    name: 'Young',
    published_at: new Date('2026-02-01'),
    tagline: '',
  })
  await createListing({ owner, name: 'Hidden', visibility: 'draft' })
  await createListing({ name: 'Others' })
  const { body } = await get('/studio-x/llms.txt')
  assert.match(body, /^# Studio-X\n/)
  const page = ({ vanity_name }: typeof old) => `${url}/Studio-X/${vanity_name}/llms.txt`
  assert.ok(
    body.endsWith(
      [
        '## Listings\n',
        `- [Young](${page(young)})`,
        `- [Old](${page(old)}): About ${old.vanity_name.split('-')[1]}\n`,
      ].join('\n'),
    ),
    body,
  )
  assert.doesNotMatch(body, /Hidden|Others/)
  const idle = await createDeveloper()
  for (const nobody of [idle.username, 'nobody-here'])
    assert.deepEqual(refused(await get(`/${nobody}/llms.txt`)), [404, 4040])
})

test('a listing’s llms.txt contains every documented field', async (t) => {
  const { get, createListing, sql, url } = await emptyCatalog(t)
  const parent = await createListing({ name: 'Parent' })
  const { uid, username, vanity_name } = await createListing({
    name: 'Night # Drive',
    tagline: 'Drive > sleep',
    description: '## Story\nDark.',
    price_cents: 499,
    genres: ['racing'],
    tags: ['cars'],
    os: ['linux', 'web'],
    ai_uses: ['art', 'voice'],
    content_warnings: ['flashing_lights'],
    parent_uid: parent.uid,
    players_max: 4,
    authorship: 'human_agent',
    license_kind: 'proprietary',
    engines: ['engine-x'],
  })
  await createListing({ asset_type: 'mod', parent_uid: uid })
  await sql`insert into community_tags (game_uid, tag, votes) values (${uid}, 'moody', 4)`
  const { status, headers, body } = await get(`/${username}/${vanity_name}/llms.txt`)
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  const page = `${url}/${username}/${vanity_name}`
  for (const line of [
    '# Night \\# Drive',
    '> Drive \\> sleep',
    '- Type: Game',
    '- Price: 4.99 USD',
    '- Platforms: linux, web',
    '- Genres: Racing',
    '- Tags: cars',
    '- Community tags: moody',
    '- Players: 1 to 4',
    '- Generative AI: Art, Voice',
    '- Content warnings: Flashing lights',
    '- Authorship: People with AI agents',
    `- Belongs to: [Parent](${url}/${parent.username}/${parent.vanity_name})`,
    `- [Store page](${page})`,
    `- [Press kit](${page}/press)`,
    `- [Mods](${page}/mods)`,
    `- [Listing as JSON](${url}/api/v1/public/games/${uid})`,
    '## Story',
  ])
    assert.ok(body.split('\n').includes(line), `${line}\n in\n${body}`)
  assert.doesNotMatch(body, /\[Tools\]/)
  assert.equal(must(await get(`/api/v1/public/games/${uid}`)).name, 'Night # Drive')
})

test('llms.txt of a listing that is not indexable returns the 404 of a missing one', async (t) => {
  const { get, createListing, updateListing, sql } = await emptyCatalog(t)
  const { uid, username, vanity_name, owner_uid } = await createListing()
  const path = `/${username}/${vanity_name}/llms.txt`
  const missing = await get(`/${username}/nothing/llms.txt`)
  assert.deepEqual(refused(missing), [404, 4040])
  for (const fields of notIndexable) {
    await updateListing(uid, fields)
    assert.deepEqual(await get(path), missing, JSON.stringify(fields))
    await updateListing(uid, { visibility: 'public', adult: false, indexable: true })
    assert.equal((await get(path)).status, 200)
  }
  await sql`update users set email_verified_at = null where uid = ${owner_uid}`
  assert.deepEqual(await get(path), missing)
  assert.deepEqual(await get(`/other/${vanity_name}/llms.txt`), missing)
})

test('a listing hidden while its llms.txt is generated returns 404', async (t) => {
  const { get, createListing, updateListing, core } = await emptyCatalog(t)
  const { uid, username, vanity_name } = await createListing()
  const { sql } = core
  core.sql = new Proxy(sql, {
    apply: (target, self, args) => {
      const query = Reflect.apply(target as any, self, args)
      // The page is read after the visibility check.
      return String(args[0]).includes('own_price_cents')
        ? updateListing(uid, { visibility: 'draft' }).then(() => query)
        : query
    },
  })
  assert.deepEqual(refused(await get(`/${username}/${vanity_name}/llms.txt`)), [404, 4040])
  core.sql = sql
})

test('user text cannot break out of its line in llms.txt', async (t) => {
  const { get, createListing, createDeveloper } = await emptyCatalog(t)
  const owner = await createDeveloper({ username: 'tricky' })
  const { vanity_name } = await createListing({
    owner,
    name: 'A](https://evil.example) [b',
    tagline: 'one\ntwo\r\n## three',
  })
  for (const path of ['/llms.txt', '/tricky/llms.txt', `/tricky/${vanity_name}/llms.txt`]) {
    const { body } = await get(path)
    assert.doesNotMatch(body, /(?<!\\)\]\(https:\/\/evil/, path)
    assert.doesNotMatch(body, /^\\?(two|#+ three)/m, path)
  }
})

test('limits an address to 120 discovery files per minute', async (t) => {
  const { get } = await startCatalog(t)
  const paths = [
    '/robots.txt',
    '/humans.txt',
    '/.well-known/security.txt',
    '/.well-known/api-catalog',
    '/llms.txt',
  ]
  assert.deepEqual(await countStatuses(get, { count: 121 }, (n) => paths[n % 5]!), {
    200: 120,
    429: 1,
  })
})
