import { findRecipient } from '../../accounts/publishing/queries.ts'
import { job } from '../../core/jobs/index.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { pageUrl } from '../page/url.ts'
import { heldReleaseMail, releaseDecisionMail } from './mail-templates.ts'
import { findReleaseRow } from './release-queries.ts'

type Held = { game_uid: string; operator_uid: string; id: string }

/** Tells an operator that a first release waits for a review. */
export const mailHeldRelease = job<Held>({
  name: 'listings.mail-held-release',
  async handle({ core, data: { game_uid, operator_uid, id } }) {
    const release = await findReleaseRow(core.sql, game_uid)
    const recipient = await findRecipient(core.sql, operator_uid)
    if (!recipient || release?.state !== 'waiting') return
    const text = heldReleaseMail({
      store: core.settings.current.store_name,
      game: release.name,
      username: release.username,
      review_url: `${core.addresses.web_url}/operator/approvals/releases/${game_uid}`,
    })
    const mail = writeMail(text, mailLanguage(core.config, recipient.language))
    await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
  },
})

/** Tells the owner of a listing what the operators decided. */
export const mailReleaseDecision = job<{ game_uid: string; id: string }>({
  name: 'listings.mail-release-decision',
  async handle({ core, data: { game_uid, id } }) {
    const release = await findReleaseRow(core.sql, game_uid)
    const recipient = release && (await findRecipient(core.sql, release.owner_uid))
    if (!recipient || release.state === 'waiting') return
    const is_approved = release.state === 'approved'
    const { username: owner_username, vanity_name } = release
    const text = releaseDecisionMail({
      store: core.settings.current.store_name,
      game: release.name,
      is_approved,
      reason: release.reason,
      url: is_approved
        ? pageUrl(core.addresses, { owner_username, vanity_name })
        : `${core.addresses.web_url}/dashboard/${vanity_name}/settings`,
    })
    const mail = writeMail(text, mailLanguage(core.config, recipient.language))
    await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
  },
})
