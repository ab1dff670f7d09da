import type { Addresses } from '../../core/runtime/config.ts'
import { type ScreenshotType, screenshotEndings } from '../reports/image-header.ts'
import type { ReportText } from '../reports/report-fields.ts'
import { signJson, signPath } from './signing.ts'

export type Filed = ReportText & {
  uid: string
  game_uid: string
  has_log: boolean
  screenshot_type: ScreenshotType | null
  created_at: Date
}
export type Game = { uid: string; name: string }

/** What the chat service takes in one embed. */
const MAX_TITLE = 256
const MAX_DESCRIPTION = 4096
const MAX_VALUE = 1024

export const screenshotKey = ({ uid, game_uid }: { uid: string; game_uid: string }) =>
  `bugs/${game_uid}/${uid}`

export const screenshotPath = (
  { uid, game_uid }: { uid: string; game_uid: string },
  type: ScreenshotType,
) => `/media/bugs/${game_uid}/${uid}/screenshot.${screenshotEndings[type]}`

/** What any receiver but a chat service is sent. Never the log: a webhook may end in a room that many people read. */
export function signedJson({ base_url }: Addresses, key: string, game: Game, bug: Filed): string {
  const {
    uid: bug_uid,
    message,
    client_version,
    os,
    arch,
    build_id,
    has_log,
    screenshot_type,
    created_at,
  } = bug
  const link = screenshot_type && {
    screenshot_url: base_url + signPath(key, screenshotPath(bug, screenshot_type), created_at),
  }
  return signJson(key, {
    event: 'bug.created',
    ...{
      game_uid: game.uid,
      game_name: game.name,
      bug_uid,
      message,
      client_version,
      os,
      arch,
      build_id,
    },
    ...{ has_log, has_screenshot: screenshot_type !== null, ...link },
    created_at: created_at.toISOString(),
  })
}

/** What a chat service is sent: enough to go and look, and nothing in it that calls anyone or hides where a link leads. */
export function chatEmbed(game: Game, bug: Filed): string {
  const yes = (has: boolean) => (has ? 'yes' : 'no')
  const field = (name: string, value: string, inline = true) => ({ name, value, inline })
  const embed = {
    title: plain(`Bug report: ${game.name}`, MAX_TITLE),
    description: plain(bug.message, MAX_DESCRIPTION),
    fields: [
      field('Game', plain(game.name, MAX_VALUE)),
      field('Ticket', bug.uid, false),
      field('Version', plain(bug.client_version ?? 'not said', MAX_VALUE)),
      field(
        'Platform',
        plain([bug.os, bug.arch].filter(Boolean).join(' ') || 'not said', MAX_VALUE),
      ),
      field('Log', yes(bug.has_log)),
      field('Screenshot', yes(bug.screenshot_type !== null)),
    ],
  }
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } })
}

/** Marks that mean something there get a backslash; what could name a person, a room or a command gets a gap that nobody sees. */
const GAP = '\u200b'
const MEANING = /[\\*_~`|>#[\]()-]/
const CALLING = /[@<]/
/** What turns the direction of the text around it, and could make an address read as another. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text as it was typed, for people to read. Cut at a character, so that no escape is left half. */
export function plain(text: string, max: number): string {
  let out = ''
  for (const character of text.replaceAll(TURNING, '')) {
    const next = MEANING.test(character)
      ? `\\${character}`
      : CALLING.test(character)
        ? character + GAP
        : character
    if (out.length + next.length > max - 1) return `${out}…`
    out += next
  }
  return out
}
