import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { sameBytes } from '../../core/security/crypto.ts'
import { type CodeTable, readCodeState, takeAttempt } from './code-table-queries.ts'
import {
  CODE_RESEND_SECONDS,
  CODE_SECONDS,
  MAX_CODE_ATTEMPTS,
  refuseCode,
  refuseResend,
  sixDigitCode,
} from './codes.ts'

/** What a code is derived for, and the job that mails it. */
const kinds = {
  mail_codes: { purpose: 'mail code', job: 'accounts.mail-code' },
  email_changes: { purpose: 'email change', job: 'accounts.mail-email-change' },
} as const satisfies Record<CodeTable, { purpose: string; job: string }>

export type CodeTimes = { valid_seconds: number; resend_seconds: number }
const times: CodeTimes = { valid_seconds: CODE_SECONDS, resend_seconds: CODE_RESEND_SECONDS }

/** Starts a code and mails it. `start` returns the seconds to wait if one was just sent. */
export async function sendCode(
  core: Core,
  table: CodeTable,
  row: { user_uid: string; nonce: string },
  start: (tx: Tx, times: CodeTimes) => Promise<number>,
): Promise<{ sent: boolean; expires_in: number }> {
  await core.sql.begin(async (tx) => {
    const wait = await start(tx, times)
    if (wait) refuseResend(wait)
    const { user_uid, nonce } = row
    await core.jobs.send(tx, kinds[table].job, { user_uid, nonce })
  })
  return { sent: true, expires_in: CODE_SECONDS }
}

/** The nonce of the code that was sent, if this is the code; counts the attempt. */
export async function checkCode(
  core: Core,
  table: CodeTable,
  user_uid: string,
  typed: string,
): Promise<string> {
  const nonce =
    (await takeAttempt(core.sql, table, user_uid, MAX_CODE_ATTEMPTS)) ??
    refuseCode(await readCodeState(core.sql, table, user_uid))
  const code = sixDigitCode(core.secrets.mac(kinds[table].purpose, nonce))
  return sameBytes(code, typed.trim()) ? nonce : refuseCode('wrong')
}
