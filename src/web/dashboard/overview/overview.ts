import { refuse } from '../../../core/runtime/errors.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { t } from '../../../core/text/text.ts'
import { readPictures } from '../../../listings/renditions/pictures.ts'
import { readStorageRoute } from '../../../listings/storage/routes.ts'
import { readApi } from '../../call.ts'
import { healthBadge } from '../../components/badge.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { thumbnail } from '../../store/browse/card.ts'
import { moderationNotices } from '../moderated.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'
import { sharedSecretsNotice } from '../shared-secrets.ts'
import { storageSection } from '../storage-bar.ts'
import { type ProjectSummary, readSummaries } from './summaries.ts'
import { activeSpark, downloadSpark, healthMark, stepLink, sumOf } from './summary-parts.ts'

const THUMBNAIL_SIZES = '(max-width: 760px) 128px, 240px'

type Figure = { id: string; count: number; path: string; chart?: Html }

const figure = (base: string, { id, count, path, chart }: Figure): Html => html`
  <li>
    <a href="${base}/${path}">${richText(id, { count, strong: strongText })}</a>
    ${chart}
  </li>`

function figures(base: string, summary: ProjectSummary): Html {
  const { downloads, active_devices, open_bugs, open_crashes } = summary
  const items: Figure[] = [
    {
      id: 'figure-downloads',
      count: sumOf(downloads),
      path: 'downloads',
      chart: downloadSpark(summary),
    },
    {
      id: 'figure-active-today',
      count: active_devices.at(-1)!,
      path: 'health',
      chart: activeSpark(summary),
    },
    { id: 'figure-open-bugs', count: open_bugs, path: 'bugs' },
    { id: 'figure-open-crashes', count: open_crashes, path: 'crashes' },
  ]
  return html`<ul class="figures linked-figures">${items.map((item) => figure(base, item))}</ul>`
}

const stepList = (base: string, { steps }: ProjectSummary): Html =>
  steps.length
    ? html`
        <ol class="next-steps">
          ${steps.map((step) => html`<li>${stepLink(base, step)}</li>`)}
        </ol>`
    : html`<p class="soft">${t('overview-nothing')}</p>`

async function showOverview(project: ProjectContext) {
  const { core, base, listing, uid } = project
  const { name, tagline, visibility } = listing
  const summaries = await readSummaries(core, [{ uid, visibility }])
  const summary = summaries.get(uid) ?? refuse('NOT_FOUND')
  const pictures = await readPictures(core, [summary.thumbnail])
  const storage = await readApi(project.request, readStorageRoute, { params: { uid } })
  const image = { name, thumbnail: summary.thumbnail }
  const [notice, decisions] = await Promise.all([
    sharedSecretsNotice(project),
    moderationNotices(project),
  ])
  return renderSection(project, 'overview', {
    title: t('section-overview'),
    body: html`
      ${decisions}
      ${notice}
      <div class="overview-head">
        ${thumbnail(image, pictures, { eager: true, sizes: THUMBNAIL_SIZES })}
        <div>
          <p class="lede">${tagline || t('overview-no-tagline')}</p>
          <p class="row">
            <span class="soft">${t('overview-launch-health')}</span>
            ${healthMark(summary) || healthBadge(summary.band)}
          </p>
        </div>
      </div>
      ${subsection('next', t('overview-next'), stepList(base, summary))}
      ${subsection('figures', t('last-days', { days: STATISTICS_DAYS }), figures(base, summary))}
      ${subsection('storage', t('storage-title'), storageSection(storage))}`,
  })
}

export const overviewRoutes = [projectPage('overview', 'Overview of a project', showOverview)]
