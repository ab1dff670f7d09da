/** A value that is there, or will be. Most of what a request needs is there already: waiting for it anyway costs every request a turn. */
export type Soon<T> = T | Promise<T>

export const after = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value)
