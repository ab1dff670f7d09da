import { type Text, t } from '../../core/text/text.ts'
import type { Action, TargetType } from '../../moderation/decisions.ts'
import { targetText } from '../../moderation/mail-templates.ts'
import { labelOf } from '../components/format.ts'
import { decisionNames } from '../operator/moderation/decision-form.ts'

const DELETE = /^Delete version (\S+) for (.+) \((\S+)\) and its files$/
const RELEASE = new RegExp(
  String.raw`^Release version (\S+)(?: of (\S+))?( on all its platforms)?` +
    String.raw` to (?:all players|(\d+) % of the devices) \(stable\)(?: for (\d+) hours)?$`,
)

const DECIDE = /^Decide (\w+) on (\w+) (.+)$/
const SETTING = /^Change the setting (\w+) to (.+)$/
const RETRY = /^Retry (all|\d+) failed jobs$/
const FIRST_RELEASE = /^(Publish|Decline) the first release of (.+)$/

/** What a tool of operators asks for. */
function operatorText(summary: string): Text | undefined {
  const [, action, type, target] = summary.match(DECIDE) ?? []
  if (action && type && target)
    return t('approval-decision', {
      action: decisionNames[action as Action] ?? action,
      target: targetText(type as TargetType, target),
    })
  const [, setting, value] = summary.match(SETTING) ?? []
  if (setting && value)
    return value === 'its default'
      ? t('approval-setting-default', { setting })
      : t('approval-setting', { setting, value })
  const [, jobs] = summary.match(RETRY) ?? []
  if (jobs)
    return jobs === 'all' ? t('approval-retry-all') : t('approval-retry', { count: Number(jobs) })
  const [, verb, listing] = summary.match(FIRST_RELEASE) ?? []
  if (verb && listing)
    return t(verb === 'Publish' ? 'approval-publish' : 'approval-decline', { listing })
  return undefined
}

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
  const [, released, app, platforms, percent, hours] = summary.match(RELEASE) ?? []
  if (!released) return operatorText(summary) ?? summary
  const build = app ? t('approval-version-of', { version: released, app }) : released
  const version = platforms ? t('approval-version-platforms', { version: build }) : build
  if (percent) return t('approval-release-part', { version, percent })
  return hours
    ? t('approval-release-for', { version, count: Number(hours) })
    : t('approval-release', { version })
}
