import { randomBytes } from 'node:crypto'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
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

/** Changes to the keys of a game. Each is one transaction that locks the listing. */

const newTicketKey = () => TICKET_KEY_PREFIX + randomBytes(TICKET_KEY_BYTES).toString('hex')

/** Each key has its own generation, so replacing the key revokes all tokens signed before. */
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

type KeyChange = { core: Core; who: Identity; uid_or_name: string; action: string }

/** Runs a change in a transaction with the listing locked, and records it in the audit log. */
async function changeKeys<T>(
  { core, who, uid_or_name, action }: KeyChange,
  change: (tx: Tx, link: LinkRow) => Promise<T>,
): Promise<T> {
  const { result, uid } = await transact(core.sql, async (tx) => {
    const { uid } = await lockForEditor(tx, who, uid_or_name)
    const link = (await readLink(tx, uid)) ?? refuse('EXTSTORE_NOT_LINKED')
    const result = await change(tx, link)
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

const requireEnabled = ({ enabled }: LinkRow) => enabled || refuse('EXTSTORE_SIGN_IN_OFF')

/** The caller has locked the listing and checked the key. */
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

/**
 * Checks a key with the store before the listing is locked. The caller compares the app again
 * afterwards, because the link may have changed in between.
 */
async function checkKey(
  core: Core,
  who: Identity,
  uid_or_name: string,
  key: string,
): Promise<{ web_api_key: string; app_id: number }> {
  const { app_id } = await linkOf(core, who, uid_or_name)
  const web_api_key = checkWebApiKey(key)
  await findCoveredApp(core, web_api_key, app_id)
  return { web_api_key, app_id }
}

const requireSameApp = (link: LinkRow, app_id: number) =>
  link.app_id === app_id ||
  refuse(
    'CONFLICT',
    undefined,
    explain('linked_app_changed', 'The linked app has just changed. Try again.'),
  )

export async function turnOn(
  core: Core,
  who: Identity,
  uid_or_name: string,
  key: string,
): Promise<void> {
  const { web_api_key, app_id } = await checkKey(core, who, uid_or_name, key)
  await changeKeys({ core, who, uid_or_name, action: 'turn-on' }, async (tx, link) => {
    requireSameApp(link, app_id)
    if (link.enabled)
      refuse(
        'CONFLICT',
        undefined,
        explain('sign_in_on', 'Sign-in is already on. Replace the Web API key instead.'),
      )
    await enableSignIn(core, tx, link.game_uid, web_api_key)
  })
}

export async function turnOff(core: Core, who: Identity, uid_or_name: string): Promise<void> {
  await changeKeys({ core, who, uid_or_name, action: 'turn-off' }, async (tx, link) => {
    requireEnabled(link)
    await disableSignIn(core, tx, link.game_uid)
  })
}

/** Imported fields stay. */
export async function unlink(core: Core, who: Identity, uid_or_name: string): Promise<void> {
  await changeKeys({ core, who, uid_or_name, action: 'unlink' }, async (tx, link) => {
    await disableSignIn(core, tx, link.game_uid)
    await unlinkApp(tx, link.game_uid)
  })
}

export function replaceAuthKey(core: Core, who: Identity, uid_or_name: string): Promise<string> {
  return changeKeys({ core, who, uid_or_name, action: 'new-auth-key' }, async (tx, link) => {
    requireEnabled(link)
    return makeAuthKey(core, tx, link.game_uid)
  })
}

/** The caller has locked the listing, whose sign-in is on, and forgets its keys afterwards. */
export async function makeAuthKey(core: Core, tx: Tx, game_uid: string): Promise<string> {
  const { auth_key, row } = newAuthKey()
  await setAuthKey(tx, game_uid, row)
  await core.secrets.put(tx, game_uid, AUTH_KEY, auth_key)
  return auth_key
}

/** After an operator started over with a new secrets key. */
const KEY_LOST = explain(
  'auth_key_lost',
  'The store has lost this key. Make a new one, and set the Web API key again.',
)

export function revealAuthKey(core: Core, who: Identity, uid_or_name: string): Promise<string> {
  return changeKeys({ core, who, uid_or_name, action: 'reveal-auth-key' }, async (tx, link) => {
    requireEnabled(link)
    const auth_key = await core.secrets.get(tx, link.game_uid, AUTH_KEY)
    return auth_key ?? refuse('EXTSTORE_SIGN_IN_OFF', undefined, KEY_LOST)
  })
}

export function replaceTicketKey(core: Core, who: Identity, uid_or_name: string): Promise<string> {
  return changeKeys({ core, who, uid_or_name, action: 'new-ticket-key' }, async (tx, link) => {
    requireEnabled(link)
    const ticket_key = newTicketKey()
    await setTicketKey(tx, link.game_uid, ticket_key)
    return ticket_key
  })
}

export async function replaceWebApiKey(
  core: Core,
  who: Identity,
  uid_or_name: string,
  key: string,
): Promise<void> {
  requireEnabled(await linkOf(core, who, uid_or_name))
  const { web_api_key, app_id } = await checkKey(core, who, uid_or_name, key)
  await changeKeys({ core, who, uid_or_name, action: 'replace-web-api-key' }, async (tx, link) => {
    requireSameApp(link, app_id)
    requireEnabled(link)
    await core.secrets.put(tx, link.game_uid, WEB_API_KEY, web_api_key)
  })
}
