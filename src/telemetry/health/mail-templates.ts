import { STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import type { MailText } from '../../core/text/mail-text.ts'
import { joinTexts, t } from '../../core/text/text.ts'
import type { DropMail } from './queries.ts'

export const healthDropMail = (drop: DropMail): MailText => {
  const { game_name: game, version, previous_version: previous } = drop
  const band = t(`band-${drop.band}`)
  const previous_band = t(`band-${drop.previous_band}`)
  const figures = [
    t('mail-health-devices', { days: STATISTICS_DAYS, count: drop.devices }),
    t('mail-health-started', { count: drop.boot_ok }),
    t('mail-health-crashed', { count: drop.crash_on_boot }),
  ]
  return {
    subject: t('mail-health-subject', { game, version, band }),
    paragraphs: [
      t('mail-health', { game, version, previous, band, previous_band }),
      joinTexts(figures, '\n'),
      t('mail-health-next'),
    ],
  }
}
