import { type Text, t } from '../../core/text/text.ts'
import { labelOf } from '../components/format.ts'

const DELETE = /^Delete version (\S+) for (.+) \((\S+)\) and its files$/
const RELEASE = new RegExp(
  String.raw`^Release version (\S+)(?: of (\S+))?( on all its platforms)?` +
    String.raw` to all players \(stable\)(?: for (\d+) hours)?$`,
)

/**
 * What an agent asks for. The sentence is stored in English, as the agent and the mail read it, and
 * recognized here.
 */
export function approvalText(summary: string): Text {
  const [, deleted, platform, channel] = summary.match(DELETE) ?? []
  if (deleted && platform && channel) {
    const system = platform === 'any system' ? t('any-system') : labelOf(platform)
    return t('approval-delete', { version: deleted, system, channel })
  }
  const [, released, app, platforms, hours] = summary.match(RELEASE) ?? []
  if (!released) return summary
  const build = app ? t('approval-version-of', { version: released, app }) : released
  const version = platforms ? t('approval-version-platforms', { version: build }) : build
  return hours
    ? t('approval-release-for', { version, count: Number(hours) })
    : t('approval-release', { version })
}
