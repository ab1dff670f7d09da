import { createStoreApi } from '../../client/store-api.ts'
import type { Command, Context } from '../../command.ts'
import { isObject } from '../../http/api.ts'
import { jsonLine } from '../../lines.ts'
import { signIn, signOut } from '../../login/login.ts'
import type { DeviceCodes } from '../../login/oauth.ts'
import { later, t } from '../../messages.ts'
import { readStoreSettings } from '../../settings.ts'

const storeArgument = { name: '<store>', summary: later('login-store'), optional: true }

/** The store of the argument, or the one that other commands use. */
function loginContext({ args: [store], env, ui, signal, ...flags }: Context) {
  const settings = readStoreSettings(flags, env, ui, store ?? undefined)
  return { settings, ui, signal, env }
}

export const login: Command = {
  name: 'login',
  summary: later('login'),
  details: [later('login-details')],
  args: [storeArgument],
  async run(context) {
    const connection = loginContext(context)
    const { settings } = connection
    if (settings.token) context.ui.warn(t('login-key-wins'))
    const usernameOf = async (token: string) => {
      const api = createStoreApi({ ...settings, token }, connection)
      try {
        const data = await api.get('/private/token')
        return isObject(data?.user) ? String(data.user.username) : ''
      } finally {
        api.close()
      }
    }
    const { username, store } = await signIn(
      connection,
      (codes) => showCodes(context, codes),
      usernameOf,
    )
    const { host } = new URL(store)
    return {
      json: { ok: true, store, username },
      lines: [t('login-done', { store: host, username })],
    }
  },
}

/** Launchers get the codes as an event, people as a text. */
function showCodes({ ui, has }: Context, codes: DeviceCodes) {
  const { device_code: _, interval: __, ...public_codes } = codes
  if (ui.event) return ui.event('login', public_codes)
  if (has('json')) return ui.note(jsonLine({ event: 'login', ...public_codes }))
  ui.note(t('login-open', { address: codes.verification_uri, code: codes.user_code }))
  ui.note(t('login-open-complete', { address: codes.verification_uri_complete }))
}

export const logout: Command = {
  name: 'logout',
  summary: later('logout'),
  details: [later('logout-details')],
  args: [storeArgument],
  async run(context) {
    const connection = loginContext(context)
    const { api_url: store } = connection.settings
    const { login: ended, error } = await signOut(connection)
    const { host } = new URL(store)
    if (!ended)
      return {
        json: { ok: true, store, signed_out: false },
        lines: [t('logout-none', { store: host })],
      }
    if (error) context.ui.warn(t('logout-not-revoked', { message: error.message }))
    return {
      json: { ok: !error, store, username: ended.username, signed_out: true, revoked: !error },
      lines: [t('logout-done', { store: host, username: ended.username })],
      exit_code: error?.exit_code ?? 0,
    }
  },
}
