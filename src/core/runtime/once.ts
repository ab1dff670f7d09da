/** Calls `make` at the first use only. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= make()
    return result
  }
}
