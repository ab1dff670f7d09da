export const sources = ['website', 'asset_library', 'api', 'mcp_player', 'mcp_dev'] as const
/** What a client may say about itself. */
export const claimableSources = ['website', 'api'] as const satisfies readonly Source[]
export const outcomes = [
  'ok',
  'sign_in_required',
  'payment_required',
  'scanning',
  'withdrawn',
  'unavailable',
] as const
export const clients = ['third_party_editor', 'svc_editor', 'browser', 'agent', 'other'] as const
export type Source = (typeof sources)[number]
export type Outcome = (typeof outcomes)[number]
export type Client = { client: (typeof clients)[number]; client_version: string | null }

/** How the User-Agent of each editor begins; its version follows. */
const editors = { third_party_editor: 'GodotEngine/', svc_editor: 'SlipwayEngine/' } as const
const VERSION = /^\d[\w.+-]{0,31}/
const AGENT = /\b(mcp|gpt|claude|agent|bot)\b/i

export function clientOf(user_agent: string | undefined): Client {
  const text = user_agent ?? ''
  for (const [client, prefix] of Object.entries(editors) as [keyof typeof editors, string][])
    if (text.startsWith(prefix))
      return { client, client_version: VERSION.exec(text.slice(prefix.length))?.[0] ?? null }
  if (AGENT.test(text)) return { client: 'agent', client_version: null }
  return { client: text.startsWith('Mozilla/') ? 'browser' : 'other', client_version: null }
}

export function hostOf(referrer: string | undefined): string | null {
  return (referrer && URL.parse(referrer)?.hostname) || null
}

/** `website` counts only if the referring page is ours, since anyone can write a query. */
export function sourceOf(
  claimed: string | undefined,
  referrer_host: string | null,
  web_url: string,
): Source {
  return claimed === 'website' && referrer_host === new URL(web_url).hostname ? 'website' : 'api'
}
