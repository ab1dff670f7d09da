import type { Json, World } from './world.ts'

/** The pages of the provider that people see: the hosted checkout, and the set-up of an account. */

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: unknown) =>
  String(text ?? '').replace(/[&<>"]/g, (char) => escapes[char]!)

const layout = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:16px/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;padding:.5rem 1rem;margin:.25rem 0}label{display:block}</style></head>
<body><h1>${escapeHtml(title)}</h1>
<p>This is a simulator. No money moves, and any card number works.</p>
${body}</body></html>`

const countries = ['US', 'DE', 'FR', 'GB', 'JP', 'BR', 'AU', '']

export function checkoutPage(session: Json, problem = ''): string {
  const amount = `${session.amount_total} ${String(session.currency).toUpperCase()} (minor units)`
  if (session.status !== 'open')
    return layout('This payment is closed', `<p>It is ${escapeHtml(session.status)}.</p>`)
  return layout(
    'Pay',
    `<p>${escapeHtml(amount)}</p>
${problem && `<p role="alert">${escapeHtml(problem)}</p>`}
<form method="post">
<label>Card number <input name="card" inputmode="numeric" autocomplete="off"></label>
<label>Country <select name="country">${countries
      .map((code) => `<option>${code}</option>`)
      .join('')}</select></label>
<button name="action" value="pay">Pay</button>
<button name="action" value="decline">Pay with a card that is declined</button>
<button name="action" value="cancel">Back to the store</button>
</form>`,
  )
}

export const setupPage = ({ accounts, links }: World, link: string): string => {
  const account = accounts.get(links.get(link)?.account ?? '')
  if (!account) return layout('This link has expired', '')
  return layout(
    'Set up payments',
    `<p>Account ${escapeHtml(account.id)}</p>
<form method="post">
<button name="action" value="complete">Complete everything</button>
<button name="action" value="incomplete">Leave out the identity document</button>
<button name="action" value="cancel">Back to the store</button>
</form>`,
  )
}

export const startPage = ({ accounts, sessions }: World): string =>
  layout(
    'Simulated payment provider',
    `<p>${accounts.size} accounts, ${sessions.size} payments.</p>
<ul>${[...sessions.values()]
      .slice(-20)
      .map(({ id, status }) => `<li><a href="/c/pay/${id}">${id}</a> ${escapeHtml(status)}</li>`)
      .join('')}</ul>`,
  )
