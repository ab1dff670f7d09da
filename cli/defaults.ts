type Bundled = {
  version: string
  api_url: string
  upload_url: string
  messages: Record<string, string>
}
/** Defined by the bundler; absent when the sources run directly. */
declare const SLIPWAY_BUNDLED: Bundled | undefined

const bundled = typeof SLIPWAY_BUNDLED === 'undefined' ? undefined : SLIPWAY_BUNDLED

export const VERSION = bundled?.version ?? '0.0.0-source'
export const DEFAULT_API_URL = bundled?.api_url ?? 'http://127.0.0.1:8080/api/v1'
/** If empty, the API address is used. */
export const DEFAULT_UPLOAD_URL = bundled?.upload_url ?? ''
/** The parsed messages by language, as JSON. */
export const bundledMessages = bundled?.messages
