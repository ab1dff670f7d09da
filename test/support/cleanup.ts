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
    for (const registered of stack.reverse())
      await Promise.resolve()
        .then(registered)
        .catch((error) => failures.push(error))
    if (failures.length) throw failures[0]
  })
}
