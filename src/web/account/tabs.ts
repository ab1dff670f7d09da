import { type Html, html } from '../components/html.ts'

const tabs = {
  '/library': 'Library',
  '/settings': 'Settings',
  '/account/keys': 'Keys',
  '/account/approvals': 'Approvals',
} as const

export const accountTabs = (at: keyof typeof tabs): Html =>
  html`<nav class="tabs" aria-label="Account">${Object.entries(tabs).map(([url, label]) => html`<a href="${url}"${url === at && html` aria-current="page"`}>${label}</a>`)}</nav>`
