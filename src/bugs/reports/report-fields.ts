import { explain } from '../../core/runtime/reasons.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { osAliases } from '../../listings/fields/platforms.ts'
import {
  type Field,
  invalidField,
  longerThan,
  plainText,
  quoteValue,
  tooLong,
  VISIBLE,
} from '../../listings/fields/text.ts'
import { MAX_BUILD_ID, MAX_CLIENT_VERSION, MAX_MESSAGE, MAX_PLATFORM } from './report-limits.ts'

/** Whether a report came from a running game or from the store page. */
export type ReportSource = 'game' | 'store'

/** Who filed a report: an account, an account of the external store, or both if they are linked. */
export type Reporter = { user_uid: string | null; extstore_id: string | null }

/** The key under which reports are counted; both kinds of sign-in of an account share one. */
export const reporterKey = ({ user_uid, extstore_id }: Reporter) =>
  user_uid ? `user:${user_uid}` : `extstore:${extstore_id}`

/** The key of reports that somebody filed today before linking their accounts; they count, too. */
export const unlinkedReporterKey = ({ user_uid, extstore_id }: Reporter) =>
  user_uid && extstore_id ? `extstore:${extstore_id}` : null

/** The fields of a report, without its files. */
export type ReportText = {
  message: string
  client_version: string | null
  os: string | null
  arch: string | null
  build_id: string | null
}

export const textFields = ['message', 'client_version', 'os', 'arch', 'build_id'] as const
export const reportField = (field: string): Field => ({ refusal: 'MALFORMED', field })

/** Validates the fields of a report. Empty fields count as missing. */
export function readReport(fields: Record<string, unknown>): ReportText {
  const { client_version } = fields
  return {
    message: readMessage(fields.message),
    client_version:
      plainText(reportField('client_version'), client_version, MAX_CLIENT_VERSION) || null,
    os: readPlatform('os', fields.os),
    arch: readPlatform('arch', fields.arch),
    build_id: readBuildId(fields.build_id),
  }
}

/** Kept exactly as written. Its length is counted in code points. */
function readMessage(value: unknown): string {
  const text = value ?? ''
  const field = reportField('message')
  if (typeof text !== 'string') invalidField(field, `send text, not ${quoteValue(text)}`)
  if (!VISIBLE.test(text)) invalidField(field, explain('describe_bug', 'describe what went wrong'))
  if (longerThan(text, MAX_MESSAGE)) invalidField(field, tooLong(MAX_MESSAGE))
  return text
}

/** Unknown platforms are accepted, so that no report is lost because of one. */
function readPlatform(field: string, value: unknown): string | null {
  const text = plainText(reportField(field), value, MAX_PLATFORM).toLowerCase()
  return (Object.hasOwn(osAliases, text) ? osAliases[text] : text) || null
}

function readBuildId(value: unknown): string | null {
  const field = reportField('build_id')
  const text = plainText(field, value, MAX_BUILD_ID).toLowerCase()
  if (text === '') return null
  return isUuid(text) ? text : invalidField(field, 'send the build_id of a registered build')
}
