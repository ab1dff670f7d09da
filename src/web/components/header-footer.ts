import type { Identity } from '../../accounts/sessions/identity.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

/** The bar at the top of every page: search, navigation and the account menu. */
export function pageHeader(who: Identity | null, q = ''): Html {
  return html`
    <header class="site-header">
      <a class="brand" href="/">${icon('mark')}<span>Slipway</span></a>
      <form class="site-search" role="search" action="/search">
        <label class="sr" for="find">Search the store</label>
        <input id="find" type="search" name="q" value="${q}" maxlength="200" autocomplete="off"
          placeholder="Find games, tools and mods">
        <button aria-label="Search">${icon('search')}</button>
      </form>
      <nav class="site-nav" aria-label="Main">
        <a href="/search">Browse</a>
        ${who ? accountLinks(who) : signInLinks}
      </nav>
    </header>
  `
}

const signInLinks = html`
  <a href="/login">Sign in</a>
  <a class="button button-ink" href="/signup">Sign up</a>
`

const accountLinks = ({ username, developer, email_verified }: Identity) => html`
  <a href="/library">Library</a>
  ${developer && html`<a href="/dashboard">Dashboard</a>`}
  <details class="menu">
    <summary>${icon('person')}<span>${username}</span></summary>
    <div>
      ${email_verified && html`<a href="/${username}">Your public page</a>`}
      <a href="/dashboard">Dashboard</a>
      <a href="/library">Library</a>
      <a href="/settings">Settings</a>
      <a href="/account/keys">Keys</a>
      <form method="post" action="/logout">
        <button class="link">Sign out</button>
      </form>
    </div>
  </details>
`

export const pageFooter = (): Html => html`
  <footer class="site-footer">
    <p class="site-footer-line">
      Every file is scanned and shows where it came from and how reliably it starts.
    </p>
    <nav aria-label="More">
      <a href="/search?sort=newest">New releases</a>
      <a href="/feeds/new.atom">Feed</a>
      <a href="/dashboard">Publish</a>
      <a href="/cli/slipway.mjs" download>Uploader</a>
      <a href="/docs/api">API</a>
      <a href="/llms.txt">llms.txt</a>
    </nav>
  </footer>
`
