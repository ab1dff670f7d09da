import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import type { Action, Ground, TargetType } from '../../../moderation/decisions.ts'
import { actionTexts, groundTexts, targetText } from '../../../moderation/mail-templates.ts'
import { readHistoryRoute } from '../../../operator/console/listing-routes.ts'
import { readApi } from '../../call.ts'
import { dateTimeTag, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { table } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { renderConsole } from '../console-page.ts'
import { LISTINGS_URL } from './list.ts'

type Item = RouteData<typeof readHistoryRoute>['items'][number]

const milestoneTexts: Record<string, Text> = {
  created: t('history-created'),
  published: t('history-published'),
  deleted: t('history-deleted'),
}

const releaseTexts: Record<string, Text> = {
  upload: t('history-upload'),
  promote: t('history-promote'),
  rollback: t('history-rollback'),
  delete: t('history-delete'),
  withdraw: t('history-withdraw'),
  restore: t('history-restore'),
}

const reviewTexts: Record<string, Text> = {
  requested: t('history-review-requested'),
  approved: t('history-review-approved'),
  declined: t('history-review-declined'),
}

const actionNames: Record<string, Text> = {
  'listings.change-price': t('history-price'),
  'listings.change-visibility': t('history-visibility'),
}

/** What happened; entries of the audit log without a text are named as the log does. */
function eventText({ kind, event }: Item): Html | Text {
  if (kind === 'release') return releaseTexts[event] ?? event
  if (kind === 'review') return reviewTexts[event] ?? event
  if (kind === 'decision') return actionTexts[event as Action]
  return milestoneTexts[kind] ?? actionNames[event] ?? html`<code>${event}</code>`
}

/** The values of a change from one to another. */
function changeText(event: string, { edition, from = '', to = '' }: Item['detail']): Html {
  const textOf = (value: string) =>
    event === 'listings.change-price' ? formatPrice(Number(value)) : labelOf(value)
  return html`${edition && `${edition}: `}${textOf(from)} → ${textOf(to)}`
}

function detailText({ kind, event, detail }: Item): Html {
  if (kind === 'release') {
    const { app, channel, os, arch, version } = detail
    const parts = [version, app, channel, os && labelOf(os), arch].filter(Boolean)
    return html`${parts.map((part, i) => html`${i > 0 && ' · '}${part}`)}`
  }
  if (kind === 'decision') {
    const { target_type, target_name = '', ground, facts } = detail
    return html`
      ${targetText(target_type as TargetType, target_name)} · ${groundTexts[ground as Ground]}
      <br>${facts}`
  }
  if (event in actionNames) return changeText(event, detail)
  return html`${Object.values(detail).map((value, i) => html`${i > 0 && ' · '}${value}`)}`
}

const historyTable = (items: readonly Item[]): Html =>
  table(
    t('listing-history'),
    [t('history-when'), t('history-event'), t('history-details'), t('history-who')],
    items.map((item) => [
      dateTimeTag(item.at),
      eventText(item),
      detailText(item),
      item.username
        ? html`<a href="/operator/people?q=${item.username}">${item.username}</a>`
        : '–',
    ]),
  )

/** What happened to a listing of any state. */
export const listingHistoryPage = getPage(`${LISTINGS_URL}/:uid`, 'The history of a listing', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String() }),
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const { uid } = input.params
    const history = await readApi(input.request, readHistoryRoute, {
      params: { uid },
      query: { page: pageNumber(input.query.page), page_size: 50 },
    })
    return renderConsole(input, LISTINGS_URL, {
      title: history.name,
      body: html`
        <p class="labels">
          <a href="${LISTINGS_URL}">${t('console-listings')}</a>
          <a href="/operator/people?q=${history.username}">${history.username}</a>
          <a href="/operator/moderation/listing/${uid}">${t('listing-decisions')}</a>
        </p>
        <p class="soft">${t('history-text')}</p>
        ${historyTable(history.items)}
        ${pager(`${LISTINGS_URL}/${uid}`, history)}`,
    })
  },
})
