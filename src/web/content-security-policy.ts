import type { Addresses } from '../core/runtime/config.ts'

export type PolicyOptions = {
  /** Other sites may show the page in a frame. */
  framed?: boolean
  /** Another origin that a form of the page may redirect to. */
  form_action?: string
  /** The origins that the page may show in a frame. */
  frames?: readonly string[]
}

/** The policy of pages forbids inline script and style, and requests to any other host. */
export function contentSecurityPolicy(
  { web_url, base_url, upload_url }: Addresses,
  { framed = false, form_action = '', frames = [] }: PolicyOptions,
): string {
  const hosts = [...new Set([web_url, base_url])].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' ${hosts} data: blob:`,
    `media-src 'self' ${hosts}`,
    `connect-src 'self' ${[...new Set([web_url, base_url, upload_url])].join(' ')}`,
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action 'self' ${form_action}`.trim(),
    ...(frames.length ? [`frame-src ${frames.join(' ')}`] : []),
    `frame-ancestors ${framed ? '*' : "'none'"}`,
  ].join('; ')
}
