import type { TestContext } from 'node:test'

const stacks = new WeakMap<TestContext, (() => unknown)[]>()

/**
 * Runs after the test, last registered first, so that dependents end before what they depend on.
 */
export function cleanup(t: TestContext, task: () => unknown): void {
  const existing = stacks.get(t)
  if (existing) return void existing.push(task)
  const stack = [task]
  stacks.set(t, stack)
  t.after(async () => {
    const failures: unknown[] = []
    // The runner keeps every finished test, which must not keep its services in memory.
    while (stack.length)
      await Promise.resolve()
        .then(stack.pop())
        .catch((error) => failures.push(error))
    if (failures.length) throw failures[0]
  })
}
