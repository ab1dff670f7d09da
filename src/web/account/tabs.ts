import { type Text, t } from '../../core/text/text.ts'
import { type Html, html } from '../components/html.ts'

const tabs = {
  '/library': t('nav-library'),
  '/library/orders': t('orders'),
  '/settings': t('nav-settings'),
  '/settings/profile': t('profile'),
  '/account/security': t('nav-security'),
  '/account/keys': t('nav-keys'),
  '/account/approvals': t('approvals'),
} as const

export const accountTabs = (current: keyof typeof tabs): Html => {
  const tab = ([url, label]: [string, Text]) => {
    const is_current = url === current && html` aria-current="page"`
    return html`<a href="${url}"${is_current}>${label}</a>`
  }
  return html`
    <nav class="tabs" aria-label="${t('account')}">
      ${Object.entries(tabs).map(tab)}
    </nav>
  `
}
