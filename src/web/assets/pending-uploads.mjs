/**
 * Uploads that this browser has begun and not finished, so that they can be resumed with their
 * fields after the page was closed. Private windows may have no storage; then nothing is kept.
 */
const keyOf = (project, build_id) => `upload ${project} ${build_id}`

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key))
  } catch {
    return null
  }
}

export const findPending = (project, build_id) => read(keyOf(project, build_id))

export function listPending(project) {
  const prefix = keyOf(project, '')
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map(read)
    .filter(Boolean)
}

export function savePending(project, upload) {
  try {
    localStorage.setItem(keyOf(project, upload.build_id), JSON.stringify(upload))
  } catch {
    // Without storage the upload works; it only cannot be resumed on another page.
  }
}

export const removePending = (project, build_id) =>
  localStorage.removeItem(keyOf(project, build_id))
