import { type WebhookRules, webhookProblem } from '../../bugs/deliveries/webhook-url.ts'
import { recipientProblem, senderProblem } from '../../core/mail/mail.ts'
import { checkAll, type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain, withMessage } from '../../core/runtime/reasons.ts'
import {
  announcementProblem,
  type ColorTheme,
  colorProblem,
  contactProblem,
  contrastProblem,
  linkProblem,
} from '../../core/settings/branding.ts'
import type { StoreSettings } from '../../core/settings/table.ts'

/** What schemas cannot say about settings. */

function refuseField(field: string, problem: Explanation | undefined, name: ErrorName): void {
  if (problem)
    refuse(
      name,
      { field },
      withMessage(problem, (message) => `${field}: ${message}`),
    )
}

const checkColor = (field: string, color: string, theme: ColorTheme) => () => {
  if (!color) return
  refuseField(field, colorProblem(color), 'MALFORMED')
  refuseField(field, contrastProblem(color, theme), 'COLOR_CONTRAST')
}

function checkFooterLinks(links: StoreSettings['footer_links']): void {
  links.forEach(({ url }, i) => {
    refuseField(`footer_links[${i}].url`, linkProblem(url), 'MALFORMED')
  })
}

function checkAnnouncement(announcement: StoreSettings['announcement']): void {
  const { field, problem } = announcementProblem(announcement) ?? {}
  refuseField(`announcement.${field}`, problem, 'MALFORMED')
}

function checkPrices({ min_price_cents, max_price_cents }: StoreSettings): void {
  if (min_price_cents <= max_price_cents) return
  const problem = explain('price_order', 'must be at least min_price_cents')
  refuseField('max_price_cents', problem, 'MALFORMED')
}

/** Refuses settings that are not valid, with all that is wrong; they are those after the change. */
export function checkSettings(settings: StoreSettings, webhook: WebhookRules): void {
  const { contact, accent_color, accent_color_dark, footer_links, announcement } = settings
  const { mail_from, reports_email, reports_webhook_url } = settings
  checkAll({
    contact: () => contact && refuseField('contact', contactProblem(contact), 'MALFORMED'),
    accent_color: checkColor('accent_color', accent_color, 'light'),
    accent_color_dark: checkColor('accent_color_dark', accent_color_dark, 'dark'),
    footer_links: () => checkFooterLinks(footer_links),
    announcement: () => checkAnnouncement(announcement),
    prices: () => checkPrices(settings),
    mail_from: () => mail_from && refuseField('mail_from', senderProblem(mail_from), 'MALFORMED'),
    reports_email: () =>
      reports_email && refuseField('reports_email', recipientProblem(reports_email), 'MALFORMED'),
    reports_webhook_url: () =>
      reports_webhook_url &&
      refuseField('reports_webhook_url', webhookProblem(reports_webhook_url, webhook), 'MALFORMED'),
  })
}
