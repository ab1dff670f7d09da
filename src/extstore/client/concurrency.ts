/** By account, when its last import or preview ends. */
const lines = new Map<string, Promise<void>>()

/** One after the other: each holds images and asks the store, and nobody needs two at once. */
export async function inLine<T>(user_uid: string, work: () => Promise<T>): Promise<T> {
  const turn = (lines.get(user_uid) ?? Promise.resolve()).then(work)
  const nothing = () => {}
  const end = turn.then(nothing, nothing)
  lines.set(user_uid, end)
  try {
    return await turn
  } finally {
    if (lines.get(user_uid) === end) lines.delete(user_uid)
  }
}
