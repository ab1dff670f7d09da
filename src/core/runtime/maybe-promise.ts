/** A value that is there, or will be. Most of what a request needs is there already: waiting for it anyway costs every request a turn. */
export type MaybePromise<T> = T | Promise<T>

export const chain = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value))
