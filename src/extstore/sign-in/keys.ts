import { randomBytes } from 'node:crypto'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { randomText, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import { findCoveredApp } from '../client/store.ts'
import { AUTH_KEY, WEB_API_KEY } from './queries.ts'
import {
  deleteSignIn,
  insertSignIn,
  type LinkRow,
  readLink,
  setAuthKey,
  setTicketKey,
  unlinkApp,
} from './settings-queries.ts'
import { forgetKeys } from './sign-in.ts'
import {
  AUTH_KEY_LENGTH,
  checkWebApiKey,
  TICKET_KEY_BYTES,
  TICKET_KEY_PREFIX,
} from './ticket-rules.ts'

/** What happens to the keys of a game, and who did it. Each is one transaction that holds the listing, so no two mix. */

const newTicketKey = () => TICKET_KEY_PREFIX + randomBytes(TICKET_KEY_BYTES).toString('hex')

/** A new generation with every key: all tokens that an earlier one signed are revoked in the same instant. */
function newAuthKey() {
  const auth_key = randomText(AUTH_KEY_LENGTH)
  const row = {
    generation: uuidv7(),
    auth_key_hash: sha256(auth_key),
    auth_key_last4: auth_key.slice(-4),
  }
  return { auth_key, row }
}

export async function linkOf(core: Core, who: Identity, uid_or_name: string): Promise<LinkRow> {
  const { uid } = await findForEditor(core.sql, who, uid_or_name)
  return (await readLink(core.sql, uid)) ?? refuse('EXTSTORE_NOT_LINKED')
}

async function change<T>(
  core: Core,
  who: Identity,
  uid_or_name: string,
  action: string,
  deed: (tx: Tx, link: LinkRow) => Promise<T>,
): Promise<T> {
  const { result, uid } = await transact(core.sql, async (tx) => {
    const { uid } = await lockForEditor(tx, who, uid_or_name)
    const link = (await readLink(tx, uid)) ?? refuse('EXTSTORE_NOT_LINKED')
    const result = await deed(tx, link)
    await recordAudit(tx, {
      user_uid: who.user_uid,
      game_uid: uid,
      action: `extstore.${action}`,
      detail: { app_id: link.app_id },
    })
    return { result, uid }
  })
  forgetKeys(core, uid)
  return result
}

const whileOn = ({ enabled }: LinkRow) => enabled || refuse('EXTSTORE_SIGN_IN_OFF')

/** For whoever has the listing locked and the key checked: an import that also turns sign-in on does so in its own transaction. */
export async function enableSignIn(
  core: Core,
  tx: Tx,
  game_uid: string,
  web_api_key: string,
): Promise<void> {
  const { auth_key, row } = newAuthKey()
  await insertSignIn(tx, game_uid, row, newTicketKey())
  await core.secrets.put(tx, game_uid, AUTH_KEY, auth_key)
  await core.secrets.put(tx, game_uid, WEB_API_KEY, web_api_key)
}

async function disableSignIn(core: Core, tx: Tx, game_uid: string): Promise<void> {
  await deleteSignIn(tx, game_uid)
  await core.secrets.remove(tx, game_uid, AUTH_KEY)
  await core.secrets.remove(tx, game_uid, WEB_API_KEY)
}

/** The store is asked before anything is locked; if the link moved meanwhile, what it said is about another app. */
async function checkedKey(
  core: Core,
  who: Identity,
  uid_or_name: string,
  sent: string,
): Promise<{ web_api_key: string; app_id: number }> {
  const { app_id } = await linkOf(core, who, uid_or_name)
  const web_api_key = checkWebApiKey(sent)
  await findCoveredApp(core, web_api_key, app_id)
  return { web_api_key, app_id }
}

const sameApp = (link: LinkRow, app_id: number) =>
  link.app_id === app_id || refuse('CONFLICT', undefined, 'The link changed just now; try again')

export async function turnOn(
  core: Core,
  who: Identity,
  uid_or_name: string,
  sent: string,
): Promise<void> {
  const { web_api_key, app_id } = await checkedKey(core, who, uid_or_name, sent)
  await change(core, who, uid_or_name, 'turn-on', async (tx, link) => {
    sameApp(link, app_id)
    if (link.enabled)
      refuse('CONFLICT', undefined, 'Sign-in is on already; replace the Web API key instead')
    await enableSignIn(core, tx, link.game_uid, web_api_key)
  })
}

export async function turnOff(core: Core, who: Identity, uid_or_name: string): Promise<void> {
  await change(core, who, uid_or_name, 'turn-off', async (tx, link) => {
    whileOn(link)
    await disableSignIn(core, tx, link.game_uid)
  })
}

/** What was imported stays. */
export async function unlink(core: Core, who: Identity, uid_or_name: string): Promise<void> {
  await change(core, who, uid_or_name, 'unlink', async (tx, link) => {
    await disableSignIn(core, tx, link.game_uid)
    await unlinkApp(tx, link.game_uid)
  })
}

export function replaceAuthKey(core: Core, who: Identity, uid_or_name: string): Promise<string> {
  return change(core, who, uid_or_name, 'new-auth-key', async (tx, link) => {
    whileOn(link)
    const { auth_key, row } = newAuthKey()
    await setAuthKey(tx, link.game_uid, row)
    await core.secrets.put(tx, link.game_uid, AUTH_KEY, auth_key)
    return auth_key
  })
}

export function revealAuthKey(core: Core, who: Identity, uid_or_name: string): Promise<string> {
  return change(core, who, uid_or_name, 'reveal-auth-key', async (tx, link) => {
    whileOn(link)
    return (await core.secrets.get(tx, link.game_uid, AUTH_KEY))!
  })
}

export function replaceTicketKey(core: Core, who: Identity, uid_or_name: string): Promise<string> {
  return change(core, who, uid_or_name, 'new-ticket-key', async (tx, link) => {
    whileOn(link)
    const ticket_key = newTicketKey()
    await setTicketKey(tx, link.game_uid, ticket_key)
    return ticket_key
  })
}

export async function replaceWebApiKey(
  core: Core,
  who: Identity,
  uid_or_name: string,
  sent: string,
): Promise<void> {
  whileOn(await linkOf(core, who, uid_or_name))
  const { web_api_key, app_id } = await checkedKey(core, who, uid_or_name, sent)
  await change(core, who, uid_or_name, 'replace-web-api-key', async (tx, link) => {
    sameApp(link, app_id)
    whileOn(link)
    await core.secrets.put(tx, link.game_uid, WEB_API_KEY, web_api_key)
  })
}
