import type { World } from './extstore-world.ts'

/** Pages for local development without an account at the store. */

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const text = (value: unknown) =>
  String(value).replace(/[&<>"']/g, (character) => entities[character]!)
const options = (entries: [unknown, string][], chosen?: string) =>
  entries
    .map(
      ([value, label]) =>
        `<option value="${text(value)}"${String(value) === chosen ? ' selected' : ''}>${text(label)}</option>`,
    )
    .join('')

const frame = (
  body: string,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Simulated store</title>
<style>body{font:16px/1.5 system-ui;max-width:46rem;margin:2rem auto;padding:0 1rem}label{display:block;margin:.6rem 0}input,select{font:inherit;width:100%;padding:.3rem}
textarea,pre{width:100%;font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;word-break:break-all}button{font:inherit;padding:.4rem 1rem}</style><body>${body}</body></html>`

export function mintPage(world: World, query: URLSearchParams, ticket?: string): string {
  const apps = [...world.apps.values()].map(({ app_id, name }): [unknown, string] => [
    app_id,
    `${name} (${app_id})`,
  ])
  const accounts = [...world.accounts.values()].map(({ id, name }): [unknown, string] => [
    id,
    `${name} (${id})`,
  ])
  const keys = [...world.keys]
    .map(([key, covered]) => `${key} covers ${covered.join(', ')}`)
    .join('\n')
  const get = (name: string) => query.get(name) ?? undefined
  const form = `<h1>Simulated store</h1><p>Mint the ticket a game would get from the store’s client, and sign in with it.</p>
<form method="get" action="/"><label>App <select name="app_id">${options(apps, get('app_id'))}</select></label>
<label>Player <select name="account">${options(accounts, get('account'))}</select></label>
<label>Identity: the ticket key from the sign-in settings <input name="identity" value="${text(get('identity') ?? '')}" placeholder="svc_…"></label>
<label>Auth address from the sign-in settings <input name="auth" value="${text(get('auth') ?? '')}" placeholder="http://127.0.0.1:8080/api/v1/extstore/…/auth"></label>
<button name="mint" value="1">Mint a ticket</button></form>`
  const made = ticket
    ? `<h2>Ticket</h2><textarea rows="8" readonly id="ticket">${ticket}</textarea><p>It works once, for this app and this identity.</p>
<pre>curl -s ${text(get('auth') || 'AUTH_ADDRESS')} -H 'content-type: application/json' -d '{"ticket":"${ticket}"}'</pre>`
    : ''
  return frame(`${form}${made}<h2>Publisher keys</h2><pre>${text(keys)}</pre>`)
}

/** Lists the accounts, with a link to sign in as each. */
export function loginPage(world: World, query: URLSearchParams): string {
  const links = [...world.accounts.values()].map(({ id, name }) => {
    const to = new URLSearchParams([...query, ['sim_account', id]])
    return `<li><a href="/openid/login?${text(to)}">${text(name)} (${id})</a></li>`
  })
  return frame(`<h1>Sign in to the simulated store as</h1><ul>${links.join('')}</ul>`)
}
