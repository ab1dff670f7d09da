import assert from 'node:assert/strict'
import { type ErrorName, errors, Refusal } from '../../src/core/runtime/errors.ts'
import { fc } from '../support/property.ts'

/** Runs a rule that must reject with this error and field, and returns the error. */
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

/** Returns the result of a rule, or null when it rejects. Any other error is rethrown. */
export function unlessRefused<T>(act: () => T): T | null {
  try {
    return act()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

export const letters = (count: number) => 'a'.repeat(count)
/** A character that takes two UTF-16 code units. */
export const wide = (count: number) => '🎲'.repeat(count)
/**
 * Any code point, including lone surrogates. The arbitrary of the library for this takes a second
 * to build.
 */
export const anyCharacter = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point))
