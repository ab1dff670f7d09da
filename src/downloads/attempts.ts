export const sources = ['website', 'asset_library', 'api', 'mcp_player', 'mcp_dev'] as const
export const outcomes = ['ok', 'sign_in_required', 'payment_required', 'scanning', 'unavailable'] as const
export type Source = (typeof sources)[number]
export type Outcome = (typeof outcomes)[number]
export type Client = { client: 'editor' | 'browser' | 'agent' | 'other'; client_version: string | null }

const EDITOR = /^[a-z]{1,32}Engine\/([\d.]{1,16})/i
const AGENT = /\b(mcp|gpt|claude|agent|bot)\b/i

/** Game editors name themselves and their version first. */
export function clientOf(user_agent: string | undefined): Client {
  const text = user_agent ?? ''
  const editor = EDITOR.exec(text)
  if (editor) return { client: 'editor', client_version: editor[1]! }
  if (AGENT.test(text)) return { client: 'agent', client_version: null }
  return { client: text.startsWith('Mozilla/') ? 'browser' : 'other', client_version: null }
}

export function hostOf(referrer: string | undefined): string | null {
  return (referrer && URL.parse(referrer)?.hostname) || null
}

/** From the website only where the page it came from is ours: anyone can write a query. */
export function sourceOf(asked: string | undefined, referrer_host: string | null, web_url: string): Source {
  return asked === 'website' && referrer_host === new URL(web_url).hostname ? 'website' : 'api'
}
