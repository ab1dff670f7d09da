import assert from 'node:assert/strict'
import test from 'node:test'
import { type Visibility, visibilities } from '../../src/listings/fields/fields.ts'
import {
  type Access,
  accessOf,
  canBeBought,
  canDelete,
  canEdit,
  canManageAdmins,
  canOpenFiles,
  canOpenPage,
  hasPressPage,
  isForEveryone,
  isIndexable,
  isSearchable,
  isUnreleasedPage,
  standingOf,
} from '../../src/listings/listing/visibility.ts'

const standings = {
  owner: { is_owner: true, is_accepted_admin: false },
  admin: { is_owner: false, is_accepted_admin: true },
  player: { is_owner: false, is_accepted_admin: false },
} as const
const everyAccess = Object.keys(standings) as Access[]
const bools = [true, false]

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
  test(`a page that is ${visibility} opens for: ${everyAccess.filter((access) => opens[visibility][access]).join(', ')}`, () => {
    for (const access of everyAccess)
      assert.equal(
        canOpenPage({ visibility, ...standings[access] }),
        opens[visibility][access],
        access,
      )
  })
}

test('owner and accepted admins edit in every visibility; only the owner deletes and manages admins', () => {
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

test('draft and owner pages have a notice and cannot be bought', () => {
  assert.deepEqual(
    visibilities.filter((visibility) => isUnreleasedPage({ visibility })),
    ['draft', 'owner'],
  )
  assert.deepEqual(
    visibilities.filter((visibility) => canBeBought({ visibility })),
    ['invisible', 'public'],
  )
})

test('only a public page that allows it and is not adult is indexed', () => {
  for (const visibility of visibilities) {
    for (const adult of bools) {
      for (const indexable of bools)
        assert.equal(
          isIndexable({ visibility, adult, indexable }),
          visibility === 'public' && !adult && indexable,
        )
    }
  }
})

test('search includes public pages, and adult ones only for viewers who enabled them', () => {
  for (const visibility of visibilities) {
    for (const sees_adult of bools) {
      assert.equal(
        isSearchable({ visibility, adult: false }, { sees_adult }),
        visibility === 'public',
      )
      assert.equal(
        isSearchable({ visibility, adult: true }, { sees_adult }),
        visibility === 'public' && sees_adult,
      )
    }
  }
})

test('shelves and popular tags never include an adult page', () => {
  for (const visibility of visibilities) {
    assert.equal(isForEveryone({ visibility, adult: false }), visibility === 'public')
    assert.equal(isForEveryone({ visibility, adult: true }), false)
  }
})

test("files follow the page, and those of adult pages need the viewer's opt-in outside the team", () => {
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

test('public and invisible listings have a press page, drafts do not; an adult one needs the opt-in', () => {
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
