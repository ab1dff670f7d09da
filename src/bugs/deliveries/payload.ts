import type { Addresses } from '../../core/runtime/config.ts'
import type { ScreenshotType } from '../reports/image-header.ts'
import type { ReportText } from '../reports/report-fields.ts'
import { screenshotPath } from '../reports/screenshots.ts'
import { escapeChatText } from './chat-text.ts'
import { signJson, signPath } from './signing.ts'

export type FiledReport = ReportText & {
  uid: string
  game_uid: string
  has_log: boolean
  screenshot_type: ScreenshotType | null
  created_at: Date
}
export type Game = { uid: string; name: string }

/** The limits of one embed of the chat service. */
const MAX_TITLE = 256
const MAX_DESCRIPTION = 4096
const MAX_VALUE = 1024

/**
 * The payload for all receivers but chat services. It never contains the log, because the receiver
 * may post the payload where many people read it.
 */
export function signedJson(
  { base_url }: Addresses,
  key: string,
  game: Game,
  report: FiledReport,
): string {
  const { screenshot_type, created_at } = report
  const screenshot_url =
    screenshot_type && base_url + signPath(key, screenshotPath(report, screenshot_type), created_at)
  return signJson(key, {
    event: 'bug.created',
    game_uid: game.uid,
    game_name: game.name,
    bug_uid: report.uid,
    message: report.message,
    client_version: report.client_version,
    os: report.os,
    arch: report.arch,
    build_id: report.build_id,
    has_log: report.has_log,
    has_screenshot: screenshot_type !== null,
    ...(screenshot_url && { screenshot_url }),
    created_at: created_at.toISOString(),
  })
}

/** The payload for a chat service. Its text mentions nobody and cannot disguise a link. */
export function chatEmbed(game: Game, report: FiledReport): string {
  const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
  const field = (name: string, value: string, inline = true) => ({ name, value, inline })
  const platform = [report.os, report.arch].filter(Boolean).join(' ')
  const embed = {
    title: escapeChatText(`Bug report: ${game.name}`, MAX_TITLE),
    description: escapeChatText(report.message, MAX_DESCRIPTION),
    fields: [
      field('Game', escapeChatText(game.name, MAX_VALUE)),
      field('Ticket', report.uid, false),
      field('Version', escapeChatText(report.client_version ?? 'unknown', MAX_VALUE)),
      field('Platform', escapeChatText(platform || 'unknown', MAX_VALUE)),
      field('Log', yesOrNo(report.has_log)),
      field('Screenshot', yesOrNo(report.screenshot_type !== null)),
    ],
  }
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } })
}
