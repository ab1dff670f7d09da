import type { TestContext } from 'node:test'

const stacks = new WeakMap<TestContext, (() => unknown)[]>()

/**
 * Runs after the test, last registered first, so that dependents end before what they depend on.
 */
export function cleanup(t: TestContext, end: () => unknown): void {
  const stack = stacks.get(t)
  if (stack) return void stack.push(end)
  const ends = [end]
  stacks.set(t, ends)
  t.after(async () => {
    const failures: unknown[] = []
    for (const each of ends.reverse())
      await Promise.resolve()
        .then(each)
        .catch((error) => failures.push(error))
    if (failures.length) throw failures[0]
  })
}
