/** Calls with the same key share one run until it ends; what comes later starts another. */
export function singleFlight<T>(): (key: string, run: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key, run) => {
    const known = running.get(key)
    if (known) return known
    const started = run().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}
