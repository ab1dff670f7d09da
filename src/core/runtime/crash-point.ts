/** Set by tests, which end the process or cut its connections at a point. */
type Hook = (name: string) => void
const HOOK = 'slipwayCrashPoint'
const holder = globalThis as { [HOOK]?: Hook }

/**
 * A moment between two effects, such as the bytes of an object and its record, at which a crash
 * must lose nothing. The tests in `test/system/crash-points/` crash at each of them.
 */
export function crashPoint(name: string): void {
  holder[HOOK]?.(name)
}
