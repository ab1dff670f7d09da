import type { FastifyReply } from 'fastify'
import { type Text, t } from '../../core/text/text.ts'
import { type Html, html } from '../components/html.ts'
import { type Context, page, withStoreName } from '../components/layout.ts'

/** The sections of the console in the order of its navigation: address and label. */
export const consoleSections = {
  '/operator': t('console-overview'),
  '/operator/settings': t('console-settings'),
  '/operator/approvals': t('console-approvals'),
  '/operator/invitations': t('console-invitations'),
  '/operator/sale-events': t('console-sale-events'),
  '/operator/sales-report': t('console-sales-report'),
  '/operator/policies': t('policies'),
  '/operator/moderation': t('moderation'),
  '/operator/people': t('console-people'),
  '/operator/security-events': t('security-events'),
  '/operator/listings': t('console-listings'),
  '/operator/orders': t('console-orders'),
  '/operator/files': t('console-files'),
  '/operator/quotas': t('console-quotas'),
  '/operator/jobs': t('console-jobs'),
  '/operator/mail': t('console-mail'),
} as const
export type ConsoleSection = keyof typeof consoleSections

type ConsolePage = {
  /** The first heading, where it is not the name of the section. */
  title?: Text
  body: Html
  scripts?: readonly string[]
}

/** A page of the console: its sections on the left, or above on a phone. */
export function renderConsole(
  context: Context,
  section: ConsoleSection,
  { title = consoleSections[section], body, scripts = [] }: ConsolePage,
): Promise<FastifyReply> {
  return page(context, {
    title: withStoreName(context.core, title),
    noindex: true,
    layout: 'project-page console-page',
    styles: ['dashboard.css'],
    scripts: ['dashboard.mjs', ...scripts],
    body: html`
      <div class="project-frame">
        <header class="project-head">
          <p class="project-title">${t('nav-operator')}</p>
        </header>
        <nav class="section-nav" aria-label="${t('console-sections')}">
          <ul class="section-groups">${sectionLinks(section, context.who?.operator ?? false)}</ul>
        </nav>
        <div class="section-body">
          <h1>${title}</h1>
          ${body}
        </div>
      </div>`,
  })
}

/** What people who moderate but do not run the store may open. */
const moderatorSections: readonly string[] = ['/operator/moderation']

const sectionLinks = (current: ConsoleSection, is_operator: boolean): Html[] =>
  Object.entries(consoleSections)
    .filter(([url]) => is_operator || moderatorSections.includes(url))
    .map(([url, label]) => {
      const is_current = url === current && html` aria-current="page"`
      return html`<li><a href="${url}"${is_current}>${label}</a></li>`
    })

/** A part of a page of the console, with a heading and an anchor. */
export const consoleSubsection = (id: string, title: Text, body: Html): Html => html`
  <section class="subsection" id="${id}" aria-labelledby="${id}-title">
    <header><h2 id="${id}-title">${title}</h2></header>
    ${body}
  </section>`

type Search = { label: Text; q: string; fields?: Html }

/** A form that searches a list of the console. */
export const searchForm = (action: string, { label, q, fields }: Search): Html => html`
  <form class="console-search" role="search" action="${action}" aria-label="${label}">
    <label class="sr" for="q">${label}</label>
    <input id="q" type="search" name="q" value="${q}" maxlength="200" placeholder="${label}">
    ${fields}
    <button class="button button-ink">${t('search-button')}</button>
  </form>`
