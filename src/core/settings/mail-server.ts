import type { Sql, Tx } from '../database/sql.ts'
import { type Explanation, explain } from '../runtime/reasons.ts'
import type { Secrets } from '../security/secrets.ts'
import { deleteStoreSecret, putStoreSecret, readStoreSecret } from './store-secrets.ts'

/**
 * The mail server that operators set in the console. Its address contains a password, so it is
 * sealed in store_secrets. A row of the table of settings says that it is set, so that every
 * process follows and the change is recorded.
 */
export const MAIL_SERVER = 'smtp_url'

/** What the row of the table of settings has; `uid` changes with the address. */
export type MailServer = { uid: string; local_port: number | null }

const MAX_URL = 500
const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 25, 'smtps:': 465 }

/** Why a text is not the address of a mail server. It is never repeated: it has a password. */
export function mailServerProblem(url: string): Explanation | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const is_server =
    parsed &&
    url.length <= MAX_URL &&
    !/[\s\p{C}]/u.test(url) &&
    parsed.protocol in DEFAULT_PORTS &&
    parsed.hostname !== ''
  if (is_server) return undefined
  return explain('mail_server', 'use an address such as smtps://user:password@mail.example:465')
}

/** The port of a mail server on this machine, which webhooks must not reach. */
export function localPortOf(url: string): number | null {
  const { hostname, port, protocol } = new URL(url)
  const is_local = /^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(hostname)
  return is_local ? Number(port) || DEFAULT_PORTS[protocol]! : null
}

/** The mail server among the rows of the table of settings. */
export function mailServerOf(
  rows: readonly { name: string; value: unknown }[],
): MailServer | undefined {
  return rows.find(({ name }) => name === MAIL_SERVER)?.value as MailServer | undefined
}

export const storeMailServer = (tx: Tx, secrets: Secrets, url: string): Promise<void> =>
  putStoreSecret(tx, secrets, MAIL_SERVER, url)

export const deleteMailServer = (tx: Tx): Promise<void> => deleteStoreSecret(tx, MAIL_SERVER)

type Source = {
  /** The address of the environment, which wins. */
  fixed: string | undefined
  current: () => MailServer | undefined
  sql: Sql
  secrets: Secrets
}

/** Reads the address of the mail server for every mail, and opens it once after each change. */
export function followMailServer({ fixed, current, sql, secrets }: Source) {
  let opened: { uid: string; url: string | undefined } | undefined
  return async (): Promise<string | undefined> => {
    const server = fixed ? undefined : current()
    if (!server) return fixed
    if (opened?.uid !== server.uid)
      opened = { uid: server.uid, url: await readStoreSecret(sql, secrets, MAIL_SERVER) }
    return opened.url
  }
}
