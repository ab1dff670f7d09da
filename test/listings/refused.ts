import assert from 'node:assert/strict'
import { type ErrorName, errors, Refusal } from '../../src/core/runtime/errors.ts'
import { fc } from '../support/property.ts'

/** Runs a rule that must refuse, by this name and naming this field; answers the refusal. */
export function refused(name: ErrorName, field: string, act: () => unknown): Refusal {
  const refusal = refusalOf(act)
  assert.equal(refusal.refusal, name)
  assert.equal(refusal.data?.field, field)
  assert.ok(
    refusal.message === errors[name][2] || refusal.message.startsWith(`${field}: `),
    refusal.message,
  )
  return refusal
}

function refusalOf(act: () => unknown): Refusal {
  let value: unknown
  try {
    value = act()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  assert.fail(`expected a refusal, got ${JSON.stringify(value)}`)
}

/** The value a rule gives, or null when it refuses. Any other error is a fault. */
export function unlessRefused<T>(act: () => T): T | null {
  try {
    return act()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

export const letters = (count: number) => 'a'.repeat(count)
/** One character that JavaScript counts as two. */
export const wide = (count: number) => '🎲'.repeat(count)
/** Any code point, lone surrogates included; the library's own arbitrary for this takes a second to build. */
export const anyCharacter = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point))
