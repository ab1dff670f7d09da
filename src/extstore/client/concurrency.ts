/** The end of the last import or preview of each account. */
const queues = new Map<string, Promise<void>>()

/** Runs the imports of one account one after the other, because each holds images in memory. */
export async function runSerially<T>(user_uid: string, work: () => Promise<T>): Promise<T> {
  const run = (queues.get(user_uid) ?? Promise.resolve()).then(work)
  const ignore = () => {}
  const end = run.then(ignore, ignore)
  queues.set(user_uid, end)
  try {
    return await run
  } finally {
    if (queues.get(user_uid) === end) queues.delete(user_uid)
  }
}
