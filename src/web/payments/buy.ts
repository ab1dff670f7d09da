import { Type } from 'typebox'
import { type Text, t } from '../../core/text/text.ts'
import { createOrderRoute } from '../../payments/orders/routes.ts'
import { callApi, toRefusal } from '../call.ts'
import { fieldValue } from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

/** The button that starts a purchase. Nothing is paid before the page of the provider. */
export const buyForm = (game_uid: string, label: Html | Text, edition = ''): Html => html`
  <form method="post" action="/games/${game_uid}/buy">
    ${edition && html`<input type="hidden" name="edition" value="${edition}">`}
    <button class="button ${edition ? 'button-quiet button-small' : 'button-primary'}">
      ${label}
    </button>
  </form>
`

export const submitBuy = postForm('/games/:game_id/buy', 'Order a listing', {
  auth: member,
  params: Type.Object({ game_id: Type.String() }),
  async handle({ request, reply, body: sent, params: { game_id } }) {
    const edition = fieldValue(sent, 'edition')
    const body = { game: game_id, currency: 'USD', ...(edition && { edition }) }
    const answer = await callApi(request, createOrderRoute, { body })
    if (answer.ok) return redirectTo(reply, `/library/orders/${answer.data.order.uid}`)
    if (answer.status === 404) throw toRefusal(answer)
    return redirectTo(reply, `/games/${encodeURIComponent(game_id)}`, answer.message)
  },
})

export const buyLabel = t('buy')
