import { checkEmail } from '../../accounts/people/email-addresses.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import type { TargetType } from '../decisions.ts'

export const reportKinds = [
  'illegal',
  'malware',
  'copyright',
  'privacy',
  'hate',
  'spam',
  'false-label',
  'other',
] as const
export type ReportKind = (typeof reportKinds)[number]

/** What everyone can report; of builds they see the files. */
export const reportedTypes = [
  'listing',
  'file',
  'review',
  'community_tag',
  'bug_message',
  'person',
] as const satisfies readonly TargetType[]
export type ReportedType = (typeof reportedTypes)[number]

export const reportLimits = { text: 4000, urls: 5, url: 2000, work: 2000, name: 200 } as const

export type CopyrightClaim = { work: string; holder: string; signature: string }

export type ReportRequest = {
  target_type: ReportedType
  target_id: string
  kind: ReportKind
  text: string
  contact_email?: string | undefined
  urls?: string[] | undefined
  copyright?: CopyrightClaim | undefined
}

const invalid = (field: string, explanation: ReturnType<typeof explain>): never =>
  refuse('MALFORMED', { field }, explanation)

function checkUrls(urls: readonly string[]): string[] {
  return urls.map((text) => {
    const url = URL.parse(text)
    return url && ['http:', 'https:'].includes(url.protocol)
      ? url.href
      : invalid('urls', explain('report_url', 'urls: send http or https addresses'))
  })
}

/** A copyright notice names the work, who holds the rights, and who says so. */
function checkClaim({ kind, copyright, contact_email }: ReportRequest): CopyrightClaim | null {
  if (kind !== 'copyright') return null
  const { work = '', holder = '', signature = '' } = copyright ?? {}
  const claim = { work: work.trim(), holder: holder.trim(), signature: signature.trim() }
  for (const [name, value] of Object.entries(claim))
    if (!value)
      invalid(
        name,
        explain(
          'report_copyright',
          'copyright: name the work, the holder of the rights, and sign with your name',
        ),
      )
  if (!contact_email)
    invalid(
      'contact_email',
      explain('report_contact', 'contact_email: a copyright notice needs an address to answer'),
    )
  return claim
}

/** The report as it is stored. */
export function checkReport(report: ReportRequest) {
  const text = report.text.trim()
  if (!text) invalid('text', explain('report_text', 'text: say what is wrong'))
  const email = report.contact_email?.trim()
  return {
    text,
    urls: checkUrls(report.urls ?? []),
    contact_email: email ? checkEmail(email, 'contact_email') : null,
    copyright: checkClaim({ ...report, contact_email: email }),
  }
}
