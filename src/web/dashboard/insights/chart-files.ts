import { attachment } from '../../../core/http/file-headers.ts'
import type { Route } from '../../../core/http/route.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { MAX_STATISTICS_DAYS, STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import type { Language } from '../../../core/text/languages.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { type Chart, periodName } from '../../components/chart.ts'
import { type Html, html } from '../../components/html.ts'
import { setPageHeaders } from '../../components/layout.ts'
import { languageOf } from '../../language.ts'
import { getPage } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { anyQuery, openProject, type ProjectContext, pathParams } from '../project-page.ts'
import { csvText } from './csv.ts'

/** The ranges of charts, which end today. */
const ranges = [7, 14, STATISTICS_DAYS, 90, MAX_STATISTICS_DAYS] as const

/** How many days the charts show; anything but one of the ranges means the default. */
export const rangeOf = (text: string | undefined, max: number = MAX_STATISTICS_DAYS): number =>
  ranges.find((days) => String(days) === text && days <= max) ?? STATISTICS_DAYS

export const daysOfRange = ({ query }: ProjectContext, max?: number): number =>
  rangeOf(query.days, max)

export const rangeName = (days: number): Text =>
  days === MAX_STATISTICS_DAYS ? t('last-months', { months: 12 }) : t('last-days', { days })

/** Links that choose the range of the charts on this page, of at most `max` days. */
export const rangeLinks = (project: ProjectContext, section: string, max?: number): Html =>
  rangeNav(`${project.base}/${section}`, daysOfRange(project, max), max)

/** The same for a page that is not of a project. */
export function rangeNav(url: string, current: number, max: number = MAX_STATISTICS_DAYS): Html {
  const attributes = (days: number) =>
    html`href="${url}?days=${days}"${days === current && html` aria-current="true"`}`
  const link = (days: number) => html`
    <a ${attributes(days)}>
      ${rangeName(days)}
    </a>
  `
  const links = ranges.filter((days) => days <= max).map(link)
  return html`<nav class="ranges" aria-label="${t('chart-range')}">${links}</nav>`
}

export const csvUrl = (project: ProjectContext, section: string, chart: string) =>
  `${project.base}/${section}/csv/${chart}?days=${daysOfRange(project)}`

/** The numbers of a chart: the first row has the names of the columns. */
export type ChartRows = readonly (readonly (Text | number)[])[]

export const dayRows = ({ days, series, period }: Chart): ChartRows => [
  [periodName(period), ...series.map(({ name }) => name)],
  ...days.map((day, i) => [day, ...series.map(({ values }) => values[i] ?? 0)]),
]

const written = (cell: Text | number, language: Language) =>
  typeof cell === 'number' || typeof cell === 'string' ? cell : cell.write(language)

/** The charts of a section as CSV files, by their names. */
export const chartFileRoute = (
  section: string,
  summary: string,
  readCharts: (project: ProjectContext) => Promise<Map<string, ChartRows>>,
): Route =>
  getPage(`/dashboard/:game/${section}/csv/:chart`, summary, {
    auth: member,
    params: pathParams(`:game/${section}/csv/:chart`),
    query: anyQuery,
    async handle(input) {
      const project = await openProject(input as never)
      const { params, listing } = project
      const rows = (await readCharts(project)).get(params.chart!) ?? refuse('NOT_FOUND')
      const language = languageOf(input.request)
      const text = csvText(rows.map((row) => row.map((cell) => written(cell, language))))
      return setPageHeaders(project, { noindex: true })
        .type('text/csv; charset=utf-8')
        .header('content-disposition', attachment(`${listing.vanity_name}-${params.chart}.csv`))
        .send(text)
    },
  })
