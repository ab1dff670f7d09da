import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openPool } from '../../src/core/database/sql.ts'
import { type Visibility, visibilities } from '../../src/listings/fields/fields.ts'
import {
  canBeBought,
  canDelete,
  canEdit,
  canManageAdmins,
  canOpenFiles,
  canOpenPage,
  hasPressPage,
  isIndexable,
  isUnreleasedPage,
  standingOf,
} from '../../src/listings/listing/visibility.ts'
import {
  whereForEveryone,
  whereIndexable,
  wherePublic,
  whereReleased,
  whereSearchable,
} from '../../src/listings/listing/visibility-queries.ts'
import { cleanup } from '../support/cleanup.ts'
import { emptyDatabase } from '../support/database.ts'

const standings = {
  owner: { is_owner: true, is_accepted_admin: false },
  admin: { is_owner: false, is_accepted_admin: true },
  player: { is_owner: false, is_accepted_admin: false },
} as const
type Access = keyof typeof standings
const everyAccess = Object.keys(standings) as Access[]
const bools = [true, false]

function accessOf(standing: { is_owner: boolean; is_accepted_admin: boolean }): Access {
  if (canDelete(standing)) return 'owner'
  return canEdit(standing) ? 'admin' : 'player'
}

type Sql = ReturnType<typeof openPool>
type Page = { visibility: Visibility; adult: boolean; indexable: boolean }

async function openDatabase(t: TestContext): Promise<Sql> {
  const sql = openPool(await emptyDatabase(t), 1, 'test')
  cleanup(t, () => sql.end())
  return sql
}

/** Evaluates a condition of `visibility-queries.ts` for a page, under both aliases. */
async function holds(sql: Sql, page: Partial<Page>, condition: Condition): Promise<boolean> {
  const { visibility = 'public', adult = false, indexable = true } = page
  const results: boolean[] = []
  for (const alias of ['l', 'o'] as const) {
    const [row] = await sql`
      select ${condition(sql, alias)} as holds
      from (
        select ${visibility}::text as visibility, ${adult}::boolean as adult,
          ${indexable}::boolean as indexable
      ) ${sql(alias)}`
    results.push(row!.holds)
  }
  assert.equal(results[0], results[1])
  return results[0]!
}
type Condition = (sql: Sql, alias: 'l' | 'o') => ReturnType<typeof wherePublic>

test('a pending invite and an anonymous visitor have the access of a player', () => {
  const listing = { owner_uid: 'o', accepted_admin_uids: ['a'] }
  assert.deepEqual(standingOf({ user_uid: 'o' }, listing), standings.owner)
  assert.deepEqual(standingOf({ user_uid: 'a' }, listing), standings.admin)
  for (const viewer of [{ user_uid: 'invited' }, null])
    assert.deepEqual(standingOf(viewer, listing), standings.player)
  for (const access of everyAccess) assert.equal(accessOf(standings[access]), access)
  assert.equal(accessOf({ is_owner: true, is_accepted_admin: true }), 'owner')
})

const opens: Record<Visibility, Record<Access, boolean>> = {
  draft: { owner: true, admin: true, player: false },
  owner: { owner: true, admin: false, player: false },
  invisible: { owner: true, admin: true, player: true },
  public: { owner: true, admin: true, player: true },
}

for (const visibility of visibilities) {
  const readers = everyAccess.filter((access) => opens[visibility][access])
  test(`a page that is ${visibility} opens for: ${readers.join(', ')}`, () => {
    for (const access of everyAccess)
      assert.equal(
        canOpenPage({ visibility, ...standings[access] }),
        opens[visibility][access],
        access,
      )
  })
}

test('owner and accepted admins edit in every visibility; only the owner deletes', () => {
  assert.deepEqual(
    everyAccess.map((access) => canEdit(standings[access])),
    [true, true, false],
  )
  assert.deepEqual(
    everyAccess.map((access) => canDelete(standings[access])),
    [true, false, false],
  )
  assert.deepEqual(
    everyAccess.map((access) => canManageAdmins(standings[access])),
    [true, false, false],
  )
})

test('draft and owner pages have a notice and cannot be bought', async (t) => {
  assert.deepEqual(
    visibilities.filter((visibility) => isUnreleasedPage({ visibility })),
    ['draft', 'owner'],
  )
  assert.deepEqual(
    visibilities.filter((visibility) => canBeBought({ visibility })),
    ['invisible', 'public'],
  )
  const sql = await openDatabase(t)
  for (const visibility of visibilities) {
    const [row] = await sql`
      select ${whereReleased(sql)} as released
      from (select ${visibility}::text as visibility) l`
    assert.equal(row!.released, canBeBought({ visibility }))
  }
})

test('only a public page that allows it and is not adult is indexed', async (t) => {
  const sql = await openDatabase(t)
  for (const visibility of visibilities) {
    for (const adult of bools) {
      for (const indexable of bools) {
        const page = { visibility, adult, indexable }
        const expected = visibility === 'public' && !adult && indexable
        assert.equal(isIndexable(page), expected)
        assert.equal(await holds(sql, page, whereIndexable), expected)
      }
    }
  }
})

test('search includes public pages, and adult ones only for viewers who enabled them', async (t) => {
  const sql = await openDatabase(t)
  for (const visibility of visibilities) {
    for (const sees_adult of bools) {
      for (const setting of [sees_adult, sees_adult ? sql`1 = 1` : sql`1 = 0`]) {
        const isSearchable: Condition = (sql, alias) => whereSearchable(sql, setting, alias)
        assert.equal(
          await holds(sql, { visibility, adult: false }, isSearchable),
          visibility === 'public',
        )
        assert.equal(
          await holds(sql, { visibility, adult: true }, isSearchable),
          visibility === 'public' && sees_adult,
        )
      }
    }
  }
})

test('shelves and popular tags never include an adult page', async (t) => {
  const sql = await openDatabase(t)
  for (const visibility of visibilities) {
    assert.equal(
      await holds(sql, { visibility, adult: false }, whereForEveryone),
      visibility === 'public',
    )
    assert.equal(await holds(sql, { visibility, adult: true }, whereForEveryone), false)
    assert.equal(
      await holds(sql, { visibility, adult: true }, wherePublic),
      visibility === 'public',
    )
  }
})

test("files follow the page, and those of adult pages need the viewer's opt-in", () => {
  for (const visibility of visibilities) {
    for (const access of everyAccess) {
      for (const sees_adult of bools) {
        const who = { visibility, sees_adult, ...standings[access] }
        assert.equal(canOpenFiles({ ...who, adult: false }), opens[visibility][access])
        assert.equal(
          canOpenFiles({ ...who, adult: true }),
          opens[visibility][access] && (sees_adult || access !== 'player'),
        )
      }
    }
  }
})

test('public and invisible listings have a press page, drafts do not', () => {
  for (const visibility of visibilities) {
    const out = visibility === 'public' || visibility === 'invisible'
    for (const access of everyAccess) {
      const who = { visibility, ...standings[access] }
      assert.equal(hasPressPage({ ...who, adult: false, sees_adult: false }), out)
      assert.equal(hasPressPage({ ...who, adult: true, sees_adult: true }), out)
      assert.equal(
        hasPressPage({ ...who, adult: true, sees_adult: false }),
        out && access !== 'player',
      )
    }
  }
})
