/**
 * A value, or a promise of it. Most values that a request needs are available at once, and awaiting
 * them anyway would cost every request a turn of the event loop.
 */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: at once if it is available, else when the promise resolves. */
export const chain = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value))
