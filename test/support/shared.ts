import { after, type TestContext } from 'node:test'
import { getCallSites } from 'node:util'
import { once } from '../../src/core/runtime/once.ts'

/**
 * Starts a fixture once for all tests of a file: `const startApp = sharedInFile(startBugApp)`.
 * Starting a service and its database is a third of what a short test costs.
 *
 * Such tests stay independent if each creates its own people and listings, and looks only at those.
 * A test that counts everything, changes settings or stops something starts a service of its own.
 */
export function sharedInFile<Fixture>(start: (t: TestContext) => Promise<Fixture>) {
  const loading = callingTestFile()
  // A scope that ended is not reachable, so that its services do not stay in memory.
  const instances = new WeakMap<Scope, () => Promise<Fixture>>()
  return (_t?: TestContext): Promise<Fixture> => {
    const scope = enterFile(loading ?? callingTestFile() ?? current?.file ?? '')
    const instance = instances.get(scope) ?? once(() => start(scope))
    instances.set(scope, instance)
    return scope.ready.then(instance)
  }
}

/**
 * The test file that is being loaded, or whose test calls a fixture that several files have. The
 * context of a test has only the file that the process was started with, which imports them.
 */
const callingTestFile = () =>
  getCallSites(50)
    .map(({ scriptName }) => scriptName)
    .find((path) => path.endsWith('.test.ts'))

type Scope = TestContext & { file: string; ready: Promise<void>; end: () => Promise<void> }
let current: Scope | undefined

/**
 * What the tests of a file share. Several files run in one process, one after the other: what the
 * previous file shared ends here, because its services would keep their connections.
 */
function enterFile(file: string): Scope {
  if (current?.file === file) return current
  const previous = current
  const tasks: (() => unknown)[] = []
  const scope = {
    file,
    ready: previous?.end() ?? Promise.resolve(),
    after: (task: () => unknown) => void tasks.push(task),
    async end() {
      for (const task of tasks.splice(0)) await task()
    },
  }
  current = scope as unknown as Scope
  return current
}

after(() => current?.end())
