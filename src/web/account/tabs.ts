import { type Html, html } from '../components/html.ts'

const tabs = {
  '/library': 'Library',
  '/settings': 'Settings',
  '/account/keys': 'Keys',
  '/account/approvals': 'Approvals',
} as const

export const accountTabs = (current: keyof typeof tabs): Html => {
  const tab = ([url, label]: [string, string]) => {
    const is_current = url === current && html` aria-current="page"`
    return html`<a href="${url}"${is_current}>${label}</a>`
  }
  return html`
    <nav class="tabs" aria-label="Account">
      ${Object.entries(tabs).map(tab)}
    </nav>
  `
}
