import { Type } from 'typebox'
import type { Route } from '../../core/http/route.ts'
import { setPageHeaders } from '../components/layout.ts'
import { redirectTo } from '../flash-message.ts'
import { languageOf } from '../language.ts'
import { getPage } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { bugRoutes } from './bugs/bug.ts'
import { bugsRoutes } from './bugs/bugs.ts'
import { buildRoutes } from './builds/build.ts'
import { buildsRoutes, showBuilds } from './builds/builds.ts'
import { channelRoutes } from './builds/channels.ts'
import { deployKeyRoutes } from './builds/deploy-keys.ts'
import { externalStoreRoutes } from './import/external-store.ts'
import { newImportRoutes } from './import/import.ts'
import { crashGroupRoutes } from './insights/crash-group.ts'
import { crashReportRoutes } from './insights/crash-report.ts'
import { crashRoutes } from './insights/crashes.ts'
import { downloadRoutes } from './insights/downloads.ts'
import { healthRoutes } from './insights/health.ts'
import { reviewRoutes } from './insights/reviews.ts'
import { overviewRoutes } from './overview/overview.ts'
import { checkPanel } from './page/check.ts'
import { editionRoutes } from './page/editions.ts'
import { imageRoutes } from './page/images.ts'
import { linkRoutes } from './page/links.ts'
import { pageRoutes } from './page/page.ts'
import { pressRoutes } from './page/press.ts'
import { settingsRoutes } from './page/settings.ts'
import { peopleRoutes } from './people.ts'
import { openProject } from './project-page.ts'
import { projectRoutes } from './projects.ts'
import { couponPageRoutes } from './sales/coupons.ts'
import { keyPageRoutes } from './sales/keys.ts'
import { revenueRoutes } from './sales/revenue.ts'
import { salesRoutes } from './sales/sales.ts'

const params = Type.Object({ game: Type.String() })

const redirectToOverview = getPage('/dashboard/:game', 'A project', {
  auth: member,
  params,
  handle: ({ params, reply }) =>
    redirectTo(reply, `/dashboard/${encodeURIComponent(params.game)}/overview`),
})

/** The listing check alone, for the element that refreshes it. */
const showCheck = getPage('/dashboard/:game/check', 'The listing check of a project', {
  auth: member,
  params,
  async handle(input) {
    const project = await openProject(input)
    const { base, check, listing } = project
    const panel = checkPanel(base, check, listing)
    return setPageHeaders(project, { noindex: true }).send(panel.write(languageOf(input.request)))
  },
})

/** Every route of the dashboard, section by section. */
export const dashboardRoutes: Route[] = [
  ...projectRoutes,
  ...newImportRoutes,
  redirectToOverview,
  showCheck,
  ...overviewRoutes,
  ...pageRoutes,
  ...imageRoutes,
  ...buildsRoutes,
  ...buildRoutes,
  ...channelRoutes(showBuilds),
  ...deployKeyRoutes,
  ...healthRoutes,
  ...downloadRoutes,
  ...crashRoutes,
  ...crashReportRoutes,
  ...crashGroupRoutes,
  ...bugsRoutes,
  ...bugRoutes,
  ...reviewRoutes,
  ...pressRoutes,
  ...linkRoutes,
  ...externalStoreRoutes,
  ...peopleRoutes,
  ...settingsRoutes,
  ...editionRoutes,
  ...salesRoutes,
  ...couponPageRoutes,
  ...keyPageRoutes,
  ...revenueRoutes,
]
