import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearIdentityCache } from '../../../src/accounts/sessions/identity.ts'
import { suspendPerson } from '../../support/builders.ts'
import { forgeriesOf, type Kind } from './forgeries.ts'
import { credentialKinds, startStore } from './kinds.ts'

const AT_LEAST = 500

test(`of ${AT_LEAST} forged and replayed sessions and tokens none is accepted`, async (t) => {
  const store = await startStore(t)
  const kinds = await credentialKinds(store)
  await suspendPerson(store.sql, store.suspended.uid)
  clearIdentityCache()
  for (const { name, genuine, accepts, once, never } of kinds)
    if (!once && !never) assert.ok(await accepts(genuine), `the genuine ${name} works`)

  const ofOtherKinds = ({ name, genuine, also = [] }: Kind) =>
    kinds
      .filter((other) => other.name !== name && other.genuine !== genuine)
      .filter((other) => !also.includes(other.name))
      .map((other) => other.genuine)
  let sent = 0
  for (const kind of kinds) {
    const { name, genuine, accepts, invalid, never } = kind
    const replays = never ? [genuine] : []
    for (const text of [...invalid, ...replays, ...forgeriesOf(kind), ...ofOtherKinds(kind)]) {
      assert.ok(!(await accepts(text)), `as ${name}: ${text}`)
      sent++
    }
  }
  for (const { name, genuine, accepts, once, never } of kinds) {
    if (never) continue
    assert.ok(await accepts(genuine), `the genuine ${name} still works`)
    if (!once) continue
    for (let replay = 0; replay < 3; replay++) {
      assert.ok(!(await accepts(genuine)), `the replayed ${name}`)
      sent++
    }
  }
  assert.ok(sent >= AT_LEAST, `${sent} were sent`)
})
