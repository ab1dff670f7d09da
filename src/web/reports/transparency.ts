import { type Text, t } from '../../core/text/text.ts'
import type { Action, Ground } from '../../moderation/decisions.ts'
import { actionTexts, groundTexts } from '../../moderation/mail-templates.ts'
import { kindTexts } from '../../moderation/reports/mail-templates.ts'
import type { ReportKind } from '../../moderation/reports/report-input.ts'
import { readYears, type YearFigures } from '../../moderation/transparency/figures.ts'
import { contactUrl } from '../components/header-footer.ts'
import { type Html, html, richText } from '../components/html.ts'
import { page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { table } from '../components/table.ts'
import { getPage } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const outcomeTexts: Record<string, Text> = {
  open: t('transparency-open'),
  no_action: t('transparency-no-action'),
  action_taken: t('transparency-action-taken'),
  upheld: t('transparency-upheld'),
  reversed: t('transparency-reversed'),
}

type CountTable = {
  title: Text
  counts: Record<string, number>
  textOf: (name: string) => Text | undefined
}

const countTable = ({ title, counts, textOf }: CountTable): Html | '' =>
  Object.keys(counts).length === 0
    ? ''
    : table(
        title,
        [title, t('transparency-count')],
        Object.entries(counts).map(([name, count]) => [textOf(name) ?? name, count]),
      )

const medianLine = (hours: number | null): Html | '' =>
  hours === null ? '' : html`<p>${t('transparency-median', { hours })}</p>`

const yearSection = ({ year, reports, decisions, appeals }: YearFigures): Html => html`
  <section class="panel" aria-labelledby="year-${year}">
    <h2 id="year-${year}">${String(year)}</h2>
    <h3>${t('transparency-reports', { count: reports.total })}</h3>
    ${medianLine(reports.median_hours)}
    ${countTable({
      title: t('transparency-kind'),
      counts: reports.kinds,
      textOf: (name) => kindTexts[name as ReportKind],
    })}
    ${countTable({
      title: t('appeal-outcome'),
      counts: reports.outcomes,
      textOf: (name) => outcomeTexts[name],
    })}
    <h3>${t('transparency-decisions', { count: decisions.total })}</h3>
    ${countTable({
      title: t('moderation-action'),
      counts: decisions.actions,
      textOf: (name) => actionTexts[name as Action],
    })}
    ${countTable({
      title: t('moderation-ground'),
      counts: decisions.grounds,
      textOf: (name) => groundTexts[name as Ground],
    })}
    <h3>${t('transparency-appeals', { count: appeals.total })}</h3>
    ${medianLine(appeals.median_hours)}
    ${countTable({
      title: t('appeal-outcome'),
      counts: appeals.outcomes,
      textOf: (name) => outcomeTexts[name],
    })}
  </section>`

/** What everyone may know of moderation: how it works, whom to write to, and yearly counts. */
export const transparencyPage = getPage('/moderation', 'How the store is moderated', {
  auth: visitor,
  async handle(input) {
    const { core } = input
    const { store_name: store, contact } = core.settings.current
    const years = await readYears(core)
    return page(input, {
      title: withStoreName(core, t('moderation')),
      body: html`
        <article class="policy">
          <h1>${t('moderation')}</h1>
          <p>${t('transparency-intro', { store })}</p>
          <h2>${t('transparency-report-title')}</h2>
          <p>${t('transparency-report')}</p>
          <h2>${t('transparency-appeal-title')}</h2>
          <p>${richText('transparency-appeal', { link: linkTo('/settings/moderation') })}</p>
          ${
            contact &&
            html`
              <h2>${t('footer-contact')}</h2>
              <p><a href="${contactUrl(contact)}">${contact}</a></p>`
          }
          <h2>${t('transparency-figures')}</h2>
          <p>${richText('transparency-file', { link: linkTo('/moderation.json') })}</p>
          ${years.length ? years.map(yearSection) : html`<p class="soft">${t('nothing-yet')}</p>`}
        </article>
      `,
    })
  },
})
