import { Type } from 'typebox'
import type { Route } from '../../core/route.ts'
import { setPageHeaders } from '../layout.ts'
import { goTo } from '../notice.ts'
import { getPage } from '../pages.ts'
import { member } from '../visitor.ts'
import { bugRoutes } from './bug.ts'
import { bugsRoutes } from './bugs.ts'
import { buildRoutes } from './build.ts'
import { buildsRoutes, showBuilds } from './builds.ts'
import { channelRoutes } from './channels.ts'
import { checkPanel } from './check.ts'
import { crashRoutes } from './crashes.ts'
import { openDesk } from './desk.ts'
import { downloadRoutes } from './downloads.ts'
import { editionRoutes } from './editions.ts'
import { newImportRoutes } from './external-import.ts'
import { externalStoreRoutes } from './external-store.ts'
import { healthRoutes } from './health.ts'
import { imageRoutes } from './images.ts'
import { linkRoutes } from './links.ts'
import { pageRoutes } from './page-room.ts'
import { peopleRoutes } from './people.ts'
import { pressRoutes } from './press.ts'
import { projectRoutes } from './projects.ts'
import { settingsRoutes } from './settings.ts'

const params = Type.Object({ game: Type.String() })

const openProject = getPage('/dashboard/:game', 'A project', {
  auth: member,
  params,
  handle: ({ params, reply }) => goTo(reply, `/dashboard/${encodeURIComponent(params.game)}/page`),
})

/** The check alone, for the element that keeps it up to date. */
const showCheck = getPage('/dashboard/:game/check', 'The listing check of a project', {
  auth: member,
  params,
  async handle(input) {
    const desk = await openDesk(input)
    return setPageHeaders(desk, { noindex: true }).send(checkPanel(desk.base, desk.check, desk.listing.visibility).markup)
  },
})

/** Where developers work, room by room. */
export const dashboardRoutes: Route[] = [
  ...projectRoutes,
  ...newImportRoutes,
  openProject,
  showCheck,
  ...pageRoutes,
  ...imageRoutes,
  ...buildsRoutes,
  ...buildRoutes,
  ...channelRoutes(showBuilds),
  ...healthRoutes,
  ...downloadRoutes,
  ...crashRoutes,
  ...bugsRoutes,
  ...bugRoutes,
  ...pressRoutes,
  ...linkRoutes,
  ...externalStoreRoutes,
  ...peopleRoutes,
  ...settingsRoutes,
  ...editionRoutes,
]
