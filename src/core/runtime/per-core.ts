import type { Core } from './core.ts'

/**
 * One value per core, made when it is first needed. State of a module belongs to a core and not to
 * the process, because tests run several services in one process.
 */
export function perCore<Value extends {}>(make: (core: Core) => Value): (core: Core) => Value {
  const values = new WeakMap<Core, Value>()
  return (core) => {
    let value = values.get(core)
    if (value === undefined) {
      value = make(core)
      values.set(core, value)
    }
    return value
  }
}
