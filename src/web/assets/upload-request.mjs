/** The API refused a request. */
export class ApiError extends Error {
  constructor({ code, message, reasons, data }, status) {
    super(message)
    Object.assign(this, { code, status, reasons, data })
  }

  /** Whether the same request would be refused again. */
  get is_final() {
    return this.status < 500 && this.status !== 429
  }
}

/** The service could not be reached. */
export class ConnectionError extends Error {}

/** Uses XMLHttpRequest because fetch does not report the progress of an upload. */
export function post(url, body, { headers = {}, progress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (progress) request.upload.onprogress = ({ loaded, total }) => progress(loaded, total)
    request.responseType = 'json'
    request.onload = () => {
      const { success, data, error } = request.response ?? {
        error: { message: '' },
      }
      if (success) resolve(data)
      else reject(new ApiError({ ...error, data: error?.data ?? data }, request.status))
    }
    request.onerror = () => reject(new ConnectionError())
    signal?.addEventListener('abort', () => request.abort())
    request.onabort = () => reject(signal.reason)
    request.send(body)
  })
}

/** The data of an answer; null if there is no such thing, undefined if there was no answer. */
export async function get(url) {
  const answer = await fetch(url).catch(() => undefined)
  if (answer?.status === 404) return null
  const { data } = (await answer?.json().catch(() => undefined)) ?? {}
  return data
}
