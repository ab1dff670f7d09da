/** Calls `make` at the first use only, and again after it failed. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    if (result) return result
    const attempt = make()
    result = attempt
    attempt.catch(() => {
      if (result === attempt) result = undefined
    })
    return attempt
  }
}
