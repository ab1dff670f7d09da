import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import { declineGift } from '../../payments/gifts/decide.ts'
import { findGiftByToken } from '../../payments/gifts/link.ts'
import { findGiftFor } from '../../payments/gifts/queries.ts'
import { acceptGiftRoute, type listGiftsRoute, showGift } from '../../payments/gifts/routes.ts'
import { callApi } from '../call.ts'
import { fieldValue } from '../components/form.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { confirmButton } from '../components/secret-field.ts'
import { redirectTo } from '../flash-message.ts'
import { withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member, visitor } from '../visitor.ts'
import { titleOf } from './orders.ts'

const URL = '/library/gift'
type Gift = RouteData<typeof listGiftsRoute>['items'][number]
const linkOf = (token: string) => `${URL}?token=${encodeURIComponent(token)}`

/** Who gives what, without the name of adult content that the reader did not turn on. */
function sentence(gift: Gift): Html {
  const { title, given_by } = gift
  const what = title ? titleOf(gift) : t('gift-adult-item')
  return given_by
    ? richText('gift-from', { giver: given_by, game: what, strong: strongText })
    : richText('gift-from-somebody', { game: what, strong: strongText })
}

/** Shown in the library of a person for whom a gift waits. */
export const giftNotice = (gift: Gift): Html => html`
  <div class="notice notice-ok" role="status">
    ${icon('ok')}
    <div>
      <p>${sentence(gift)}</p>
      <p><a class="button button-quiet button-small" href="${gift.url}">${t('gift-open')}</a></p>
    </div>
  </div>`

const endedText = (state: Gift['state']): LocalText =>
  ({
    unpaid: t('rule-gift-unpaid'),
    waiting: t('gift-waiting'),
    accepted: t('rule-gift-accepted'),
    declined: t('rule-gift-declined'),
    returned: t('rule-gift-returned'),
  })[state]

type Reader = {
  is_signed_in: boolean
  is_receiver: boolean
  shows_adult: boolean
  can_sign_up: boolean
}

function acceptPart(gift: Gift, token: string, reader: Reader): Html {
  const next = linkOf(token)
  if (!reader.is_signed_in)
    return html`
      <p>${t('gift-sign-in-text')}</p>
      <p class="row">
        <a class="button button-primary" href="${withNext('/login', next)}">${t('sign-in')}</a>
        ${
          reader.can_sign_up &&
          html`
            <a class="button button-quiet" href="${withNext('/signup', next)}">
              ${t('create-account')}
            </a>`
        }
      </p>`
  if (!reader.is_receiver) return html`<p class="notice notice-warn">${t('gift-not-yours')}</p>`
  if (gift.adult && !reader.shows_adult)
    return html`
      <p class="notice notice-warn">
        ${richText('gift-adult-text', {
          link: (text) => html`<a href="/settings#adult">${text}</a>`,
        })}
      </p>`
  return html`
    <form method="post" action="${URL}/accept">
      <input type="hidden" name="token" value="${token}">
      <p><button class="button button-primary">${t('gift-accept')}</button></p>
    </form>`
}

const declinePart = (token: string): Html =>
  confirmButton({
    label: t('gift-decline'),
    sentence: t('gift-decline-text'),
    action: `${URL}/decline`,
    fields: html`<input type="hidden" name="token" value="${token}">`,
  })

async function requireGift({ core }: Pick<Context, 'core'>, token: string) {
  return (await findGiftByToken(core, token)) ?? refuse('NOT_FOUND')
}

/** The page of the link in the mail. It shows without an account, and is accepted with one. */
export const giftPage = getPage(URL, 'A gift', {
  auth: visitor,
  query: Type.Object({ token: Type.String({ default: '', maxLength: 200 }) }),
  async handle(input) {
    const { core, who, query } = input
    const row = await requireGift(input, query.token)
    const own = who && (await findGiftFor(core.sql, row.uid, who.user_uid))
    const reader = {
      is_signed_in: who !== null,
      is_receiver: Boolean(own),
      shows_adult: who?.show_adult ?? false,
      can_sign_up: core.settings.current.registration !== 'closed',
    }
    const gift = showGift(core, row, reader.shows_adult)
    const body =
      gift.state === 'waiting' && !row.available
        ? html`<p class="notice notice-warn">${t('rule-gift-unavailable')}</p>`
        : gift.state === 'waiting'
          ? html`
            <p class="lede">${sentence(gift)}</p>
            ${acceptPart(gift, query.token, reader)}
            ${declinePart(query.token)}`
          : html`
            <p class="notice">${endedText(gift.state)}</p>
            <p><a class="button button-quiet" href="/library">${t('order-to-library')}</a></p>`
    return narrowPage(input, { title: t('gift-title'), secret: true, body })
  },
})

export const submitAcceptGift = postForm(`${URL}/accept`, 'Accept a gift', {
  auth: member,
  async handle(input) {
    const token = fieldValue(input.body, 'token')
    const { uid } = await requireGift(input, token)
    const answer = await callApi(input.request, acceptGiftRoute, { params: { gift_uid: uid } })
    return answer.ok
      ? redirectTo(input.reply, '/library', t('gift-accept-done'))
      : redirectTo(input.reply, linkOf(token), answer.message)
  },
})

/** The link is enough, so that nobody needs an account to say no. */
export const submitDeclineGift = postForm(`${URL}/decline`, 'Decline a gift', {
  auth: visitor,
  async handle(input) {
    const token = fieldValue(input.body, 'token')
    const { uid } = await requireGift(input, token)
    await declineGift(input.core, uid)
    return redirectTo(input.reply, linkOf(token), t('gift-decline-done'))
  },
})

export const giftPages = [giftPage, submitAcceptGift, submitDeclineGift]
