import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { targetText } from '../../../moderation/mail-templates.ts'
import { type PartType, partTypes } from '../../../moderation/targets/part-queries.ts'
import { listPartsRoute, readTargetRoute } from '../../../moderation/targets/routes.ts'
import { readApi } from '../../call.ts'
import { dateTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { table } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { consoleSubsection, renderConsole } from '../console-page.ts'
import type { TargetParams } from './decision-form.ts'
import { MODERATION, targetPath } from './paths.ts'
import { targetStateBadge } from './target-state.ts'

type Target = RouteData<typeof readTargetRoute>
type Parts = RouteData<typeof listPartsRoute>
type Part = Parts['items'][number]

/** How many parts of each type the page of a target shows. */
const FIRST_PARTS = 5
const MAX_TEXT = 200

const partNames: Record<PartType, Text> = {
  listing: t('parts-listings'),
  build: t('parts-builds'),
  file: t('parts-files'),
  image: t('parts-images'),
  review: t('section-reviews'),
  community_tag: t('community-tags'),
}

const imageNames: Record<string, Text> = {
  cover: t('image-slot-cover'),
  thumbnail: t('image-slot-thumbnail'),
  gallery: t('image-slot-gallery'),
  avatar: t('image-slot-avatar'),
  banner: t('image-slot-banner'),
}

const shortened = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text

const preview = ({ sha256 }: Part): Html | false =>
  sha256 !== null &&
  html`<img src="${MODERATION}/images/${sha256}" alt="" width="120" loading="lazy">`

const partRow = (part: Part) => [
  html`
    ${preview(part)}
    <a href="${targetPath(part.target_type, part.target_id)}">
      ${part.target_type === 'image' ? (imageNames[part.name] ?? part.name) : part.name}
    </a>`,
  shortened(part.text),
  targetStateBadge(part.state),
  part.created_at ? dateTag(part.created_at) : '',
]

const partTable = (type: PartType, { items }: Parts): Html =>
  table(
    partNames[type],
    [t('snapshot-name'), t('history-details'), t('console-state'), t('console-created')],
    items.map(partRow),
  )

const partsPath = ({ target_type, target_id }: TargetParams, type: PartType) =>
  `${targetPath(target_type, target_id)}/parts/${type}`

/** What belongs to a target, the newest of each type, so that each can be decided on. */
export async function targetParts({ request }: Context, target: Target): Promise<Html[]> {
  const { target_type, target_id } = target
  const params = { target_type, target_id }
  const lists = await Promise.all(
    target.parts.map(async (type) => {
      const query = { type, page_size: FIRST_PARTS }
      return { type, parts: await readApi(request, listPartsRoute, { params, query }) }
    }),
  )
  return lists
    .filter(({ parts }) => parts.total > 0)
    .map(({ type, parts }) =>
      consoleSubsection(
        `parts-${type}`,
        partNames[type],
        html`
          ${partTable(type, parts)}
          ${
            parts.total > FIRST_PARTS &&
            html`
              <p>
                <a href="${partsPath(params, type)}">${t('parts-all', { count: parts.total })}</a>
              </p>`
          }`,
      ),
    )
}

export const partsPage = getPage(
  `${MODERATION}/:target_type/:target_id/parts/:part`,
  'What belongs to a target, for moderators',
  {
    auth: consoleModerator,
    params: Type.Object({
      target_type: Type.String(),
      target_id: Type.String(),
      part: Type.String(),
    }),
    query: Type.Object({ page: Type.String({ default: '1' }) }),
    async handle(input) {
      const { part, ...rest } = input.params
      const params = rest as TargetParams
      const type = partTypes.find((name) => name === part) ?? refuse('NOT_FOUND')
      const query = { type, page: pageNumber(input.query.page) }
      const target = await readApi(input.request, readTargetRoute, { params })
      const parts = await readApi(input.request, listPartsRoute, { params, query })
      const title = targetText(target.target_type, target.target_name ?? target.target_id)
      return renderConsole(input, MODERATION, {
        title: partNames[type],
        body: html`
          <p><a href="${targetPath(target.target_type, target.target_id)}">${title}</a></p>
          ${partTable(type, parts)}
          ${pager(partsPath(target, type), parts)}`,
      })
    },
  },
)
