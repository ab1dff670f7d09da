import { findRecipient } from '../../accounts/publishing/queries.ts'
import { job, type Run } from '../../core/jobs/index.ts'
import { type MailText, mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { findOrder } from '../orders/queries.ts'
import { giftPath } from './link.ts'
import { giftAnswerMail, giftMail, giftTakenMail } from './mail-templates.ts'
import { findGiftRecipient, readGifts } from './queries.ts'
import { giftState } from './states.ts'

type GiftJob = { order_uid: string }
type Recipient = { email: string; language: string | null }

async function sendTo(
  { core, id }: Pick<Run, 'core' | 'id'>,
  { email, language }: Recipient,
  text: MailText,
): Promise<void> {
  const mail = writeMail(text, mailLanguage(core.config, language))
  await core.mail.send({ ...mail, id, to: email, created_at: new Date() })
}

/** Tells the receiver of a gift about it, with the link to accept it. */
export const mailGift = job<GiftJob>({
  name: 'payments.mail-gift',
  async handle(run) {
    const { core } = run
    const [gift] = await readGifts(core.sql, [run.data.order_uid])
    if (!gift || giftState(gift.order_state, gift.state) !== 'waiting') return
    const recipient = await findGiftRecipient(core.sql, gift)
    if (!recipient) return
    const text = giftMail(
      { ...gift, is_named: !gift.adult || recipient.shows_adult },
      {
        store: core.settings.current.store_name,
        url: `${core.addresses.web_url}${giftPath(core, gift.uid)}`,
      },
    )
    await sendTo(run, recipient, text)
  },
})

/** Tells the buyer what the receiver decided. */
export const mailGiftAnswer = job<GiftJob>({
  name: 'payments.mail-gift-answer',
  async handle(run) {
    const { core } = run
    const { order_uid } = run.data
    const order = await findOrder(core.sql, order_uid)
    const [gift] = await readGifts(core.sql, [order_uid])
    const buyer = order?.buyer_uid && (await findRecipient(core.sql, order.buyer_uid))
    if (!gift || !buyer || gift.state === 'waiting') return
    const answer = { ...gift, is_accepted: gift.state === 'accepted' }
    const text = giftAnswerMail(answer, {
      store: core.settings.current.store_name,
      url: `${core.addresses.web_url}/library/orders/${order_uid}`,
    })
    await sendTo(run, buyer, text)
  },
})

/** Tells whoever accepted a gift that its payment went back, and the copy with it. */
export const mailGiftTaken = job<GiftJob & { holder_uid: string }>({
  name: 'payments.mail-gift-taken',
  async handle(run) {
    const { core } = run
    const order = await findOrder(core.sql, run.data.order_uid)
    const holder = await findRecipient(core.sql, run.data.holder_uid)
    if (!order || !holder) return
    const text = giftTakenMail(order.title, {
      store: core.settings.current.store_name,
      url: `${core.addresses.web_url}/library`,
    })
    await sendTo(run, holder, text)
  },
})
