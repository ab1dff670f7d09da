import { type Theme, themes } from '../../accounts/people/themes.ts'
import { newestPolicy, policyKinds } from '../../accounts/policies/policies.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { PublishedPolicy } from '../../core/settings/queries.ts'
import type { LiveSettings } from '../../core/settings/settings.ts'
import { PRODUCT_NAME, type StoreSettings } from '../../core/settings/table.ts'
import { type Language, languageNames } from '../../core/text/languages.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import { brandMark } from '../brand/logo.ts'
import { avatarImage } from '../images/avatar.ts'
import { withNext } from '../next-path.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

type HeaderParts = {
  store: LiveSettings
  who: Identity | null
  /** The text in the search box. */
  q?: string | undefined
  /** The page that signing in leads to. */
  next?: string | undefined
}

/** The bar at the top of every page: search, navigation and the account menu. */
export function pageHeader({ store, who, q = '', next }: HeaderParts): Html {
  return html`
    <header class="site-header">
      <a class="brand" href="/">${brandMark(store.images, store.current)}</a>
      <form class="site-search" role="search" action="/search"
        data-suggestions="${t('suggestions-label')}">
        <label class="sr" for="find">${t('search-label')}</label>
        <input id="find" type="search" name="q" value="${q}" maxlength="200" autocomplete="off"
          placeholder="${t('search-placeholder')}">
        <button aria-label="${t('search-button')}">${icon('search')}</button>
      </form>
      <nav class="site-nav" aria-label="${t('nav-main')}">
        <a href="/search">${t('nav-browse')}</a>
        ${who ? accountLinks(who) : signInLinks(store.current, next)}
      </nav>
    </header>
  `
}

/** Signing in leads back to the page. Nobody is invited to sign up where nobody can. */
const signInLinks = ({ registration }: StoreSettings, next: string | undefined) => html`
  <a href="${withNext('/login', next)}" rel="nofollow">${t('sign-in')}</a>
  ${
    registration !== 'closed' &&
    html`<a class="button button-ink" href="${withNext('/signup', next)}" rel="nofollow">
      ${t('sign-up')}
    </a>`
  }
`

const accountLinks = ({ username, developer, email_verified, avatar, ...who }: Identity) => html`
  <a href="/library">${t('nav-library')}</a>
  ${developer && html`<a href="/dashboard">${t('nav-dashboard')}</a>`}
  <details class="menu">
    <summary>${avatarImage({ username, avatar }, 'small')}<span>${username}</span></summary>
    <div>
      ${email_verified && html`<a href="/${username}">${t('nav-public-page')}</a>`}
      <a href="/dashboard">${t('nav-dashboard')}</a>
      <a href="/library">${t('nav-library')}</a>
      <a href="/settings">${t('nav-settings')}</a>
      <a href="/account/keys">${t('nav-keys')}</a>
      ${who.operator && html`<a href="/operator">${t('nav-operator')}</a>`}
      ${
        who.moderator &&
        !who.operator &&
        html`<a href="/operator/moderation">${t('moderation')}</a>`
      }
      <form method="post" action="/logout">
        <button class="link">${t('sign-out')}</button>
      </form>
    </div>
  </details>
`

type FooterParts = {
  settings: StoreSettings
  policies: readonly PublishedPolicy[]
  languages: readonly Language[]
  language: Language
  theme: Theme
}

export const pageFooter = ({
  settings,
  policies,
  languages,
  language,
  theme,
}: FooterParts): Html => html`
  <footer class="site-footer">
    <p class="site-footer-line">
      ${t('footer-promise')}
    </p>
    <nav aria-label="${t('nav-more')}">
      <a href="/search?sort=newest">${t('footer-new')}</a>
      <a href="/feeds/new.atom">${t('footer-feed')}</a>
      <a href="/dashboard">${t('footer-publish')}</a>
      <a href="/cli/slipway.mjs" download>${t('footer-uploader')}</a>
      <a href="/docs/api">API</a>
      <a href="/llms.txt">llms.txt</a>
      ${policyLinks(policies)}
      <a href="/moderation">${t('moderation')}</a>
      ${settings.footer_links.map(({ label, url }) => html`<a href="${url}">${label}</a>`)}
      ${settings.contact && contactLink(settings.contact)}
      ${settings.powered_by && html`<span>${t('powered-by', { product: PRODUCT_NAME })}</span>`}
    </nav>
    <div class="site-choices">
      ${themeChoice(theme)}
      ${languages.length > 1 && languageChoice(languages, language)}
    </div>
  </footer>
`

const policyLinks = (policies: readonly PublishedPolicy[]): Html[] =>
  policyKinds
    .filter((kind) => newestPolicy(policies, kind))
    .map((kind) => html`<a href="/${kind}">${t(`policy-${kind}`)}</a>`)

/** An email address, or the address of a page. */
/** The address of a link to the contact of the store. */
export const contactUrl = (contact: string) =>
  contact.startsWith('https://') ? contact : `mailto:${contact}`

const contactLink = (contact: string): Html => {
  const url = contactUrl(contact)
  return html`<a href="${url}">${t('footer-contact')}</a>`
}

/** Each language is named in itself, so that its readers recognize it on a page of another. */
const languageChoice = (languages: readonly Language[], language: Language): Html => html`
  <form class="language-choice" method="post" action="/settings/language">
    <span class="sr">${t('language-label')}</span>
    ${languages.map(
      (code) => html`
        <button class="link" name="language" value="${code}" lang="${code}"
          ${code === language && html`aria-current="true"`}>${languageNames[code] ?? code}</button>
      `,
    )}
  </form>
`

const themeLabels: Record<Theme, LocalText> = {
  auto: t('theme-auto'),
  light: t('theme-light'),
  dark: t('theme-dark'),
}

/** Plain buttons, so that the choice works without script. */
export const themeChoice = (current: Theme): Html => html`
  <form class="theme-choice" method="post" action="/settings/theme">
    <span class="choice-label">${t('theme-label')}</span>
    ${themes.map(
      (theme) => html`
        <button class="link" name="theme" value="${theme}"
          ${theme === current && html`aria-current="true"`}>${themeLabels[theme]}</button>
      `,
    )}
  </form>
`
