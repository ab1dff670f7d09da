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
const option = (value: unknown, label: string, is_selected: boolean) =>
  `<option value="${text(value)}"${is_selected ? ' selected' : ''}>${text(label)}</option>`
const options = (entries: [unknown, string][], selected?: string) =>
  entries.map(([value, label]) => option(value, label, String(value) === selected)).join('')

const document = (body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Simulated store</title>
<style>
  body { font: 16px/1.5 system-ui; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
  label { display: block; margin: .6rem 0 }
  input, select { font: inherit; width: 100%; padding: .3rem }
  textarea, pre {
    width: 100%; font: 13px/1.4 ui-monospace, monospace;
    white-space: pre-wrap; word-break: break-all
  }
  button { font: inherit; padding: .4rem 1rem }
</style>
<body>${body}</body>
</html>`

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
  const form = `<h1>Simulated store</h1>
<p>Issue the ticket that a game would get from the store’s client, and sign in with it.</p>
<form method="get" action="/">
  <label>App <select name="app_id">${options(apps, get('app_id'))}</select></label>
  <label>Player <select name="account">${options(accounts, get('account'))}</select></label>
  <label>
    Identity: the ticket key from the sign-in settings
    <input name="identity" value="${text(get('identity') ?? '')}" placeholder="svc_…">
  </label>
  <label>
    Auth URL from the sign-in settings
    <input name="auth" value="${text(get('auth') ?? '')}"
      placeholder="http://127.0.0.1:8080/api/v1/extstore/…/auth">
  </label>
  <button name="mint" value="1">Issue ticket</button>
</form>`
  const result = ticket ? ticketSection(ticket, get('auth') || 'AUTH_URL') : ''
  return document(`${form}${result}<h2>Publisher keys</h2><pre>${text(keys)}</pre>`)
}

const ticketSection = (ticket: string, auth_url: string) => `<h2>Ticket</h2>
<textarea rows="8" readonly id="ticket">${ticket}</textarea>
<p>It works once, for this app and this identity.</p>
<pre>curl -s ${text(auth_url)} \\
  -H 'content-type: application/json' \\
  -d '{"ticket":"${ticket}"}'</pre>`

/** Lists the accounts, with a link to sign in as each. */
export function loginPage(world: World, query: URLSearchParams): string {
  const links = [...world.accounts.values()].map(({ id, name }) => {
    const parameters = new URLSearchParams([...query, ['sim_account', id]])
    return `<li><a href="/openid/login?${text(parameters)}">${text(name)} (${id})</a></li>`
  })
  return document(`<h1>Sign in to the simulated store as</h1><ul>${links.join('')}</ul>`)
}
