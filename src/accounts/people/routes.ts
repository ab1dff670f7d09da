import { Type } from 'typebox'
import { anyone, Body, Nullable, OneOf, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount, perIp } from '../../core/security/limits.ts'
import { startCode, verifyEmail } from '../credentials/code-queries.ts'
import { refuseCode } from '../credentials/codes.ts'
import { checkCode, sendCode } from '../credentials/mailed-codes.ts'
import { checkRegistration } from '../invitations/invitations.ts'
import { signInCookies, signOutCookies } from '../sessions/cookies.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { proveByPassword } from '../sessions/recent-sign-in.ts'
import { website, wholeAccount } from '../sessions/schemes.ts'
import { endSession, logIn, openSession, register } from '../sessions/sessions.ts'
import { AccountData, accountData, SignedIn, signedIn } from './account-data.ts'
import { DEVELOPER_TERMS_VERSION } from './developer-terms.ts'
import {
  disableDeveloper,
  enableDeveloper,
  readUser,
  setAdult,
  setLanguage,
  setTheme,
} from './queries.ts'
import { themes } from './themes.ts'
import { MAX_EMAIL } from './usernames.ts'

const LanguageCode = Type.String({ pattern: '^[A-Za-z-]{2,20}$' })

export const registerRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/register',
  summary: 'Create an account and sign in',
  auth: anyone,
  limits: [perIp(60, { seconds: HOUR })],
  body: Body({
    username: Type.String({ maxLength: 64 }),
    email: Type.String({ maxLength: MAX_EMAIL }),
    password: Type.String({ maxLength: 512 }),
    store_terms_version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The newest terms, which the person accepts; required while there are any',
      }),
    ),
    invitation: Type.Optional(
      Type.String({ maxLength: 100, description: 'The `invitation` of the link of an operator' }),
    ),
  }),
  status: 201,
  data: SignedIn,
  errors: [
    'CONFLICT',
    'INVALID_CREDENTIALS',
    'STORE_TERMS_NOT_ACCEPTED',
    'REGISTRATION_CLOSED',
    'INVITATION_REQUIRED',
  ],
  async handle({ core, request, body, reply }) {
    await checkRegistration(core.sql, core.settings.current, body.invitation)
    const user = await register(core, body)
    const session = await openSession({ core, request }, user, { method: 'registration' })
    reply.header('set-cookie', signInCookies(core, session))
    return signedIn({ user, session })
  },
})

export const loginRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/login',
  summary: 'Sign in with a username or email and a password',
  description:
    'An account with a second factor answers 4293 with `data.ticket`, which ' +
    'account/login/second-step takes.',
  auth: anyone,
  body: Body({
    login: Type.String({ minLength: 1, maxLength: MAX_EMAIL }),
    password: Type.String({ minLength: 1, maxLength: 512 }),
  }),
  data: SignedIn,
  errors: ['INVALID_CREDENTIALS', 'SUSPENDED', 'SECOND_STEP_REQUIRED'],
  async handle({ core, request, body, reply }) {
    const result = await logIn({ core, request }, body)
    reply.header('set-cookie', signInCookies(core, result.session))
    return signedIn(result)
  },
})

export const logoutRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/logout',
  summary: 'End the session',
  auth: website,
  data: Type.Object({}),
  async handle({ core, who, reply }) {
    await endSession(core.sql, who.credential_uid)
    reply.header('set-cookie', signOutCookies(core))
    return {}
  },
})

export const confirmPassword = route({
  method: 'POST',
  url: '/api/v1/private/account/confirm-password',
  summary: 'Prove with the password that the session is yours; the proof counts for ten minutes',
  auth: website,
  body: Body({ password: Type.String({ minLength: 1, maxLength: 512 }) }),
  data: Type.Object({ valid_until: Timestamp }),
  errors: ['INVALID_CREDENTIALS'],
  async handle({ core, request, who, body }) {
    const valid_until = await proveByPassword({ core, request, who }, body.password)
    return { valid_until: valid_until.toISOString() }
  },
})

export const readAccount = route({
  method: 'GET',
  url: '/api/v1/private/account',
  summary: 'Read the signed-in account',
  auth: website,
  data: AccountData,
  handle: async ({ sql, who }) => accountData(await readUser(sql, who.user_uid)),
})

/** Agents may take part: the code arrives in the person's mailbox, so the person decides. */
const emailVerifier = wholeAccount({ agent: ['mcp:write'], player: ['player:write'] })

export const sendEmailCode = route({
  method: 'POST',
  url: '/api/v1/private/account/email-code',
  summary: 'Send a six-digit code to the account email',
  auth: emailVerifier,
  limits: [perAccount(20, { seconds: HOUR })],
  data: Type.Object({ sent: Type.Boolean(), expires_in: Type.Integer() }),
  errors: ['CONFLICT'],
  async handle({ core, who }) {
    if ((await readUser(core.sql, who.user_uid)).email_verified)
      refuse(
        'CONFLICT',
        undefined,
        explain('already_verified', 'This email address is already verified'),
      )
    const code = { user_uid: who.user_uid, nonce: uuidv7() }
    return sendCode(core, 'mail_codes', code, (tx, times) => startCode(tx, code, times))
  },
})

export const verifyEmailRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/verify-email',
  summary: 'Verify the email address with the code',
  auth: emailVerifier,
  body: Body({ code: Type.String({ maxLength: 32 }) }),
  data: Type.Object({ email_verified: Type.Boolean() }),
  errors: ['INVALID_EMAIL_CODE'],
  async handle({ core, sql, who, body }) {
    const nonce = await checkCode(core, 'mail_codes', who.user_uid, body.code)
    if (!(await verifyEmail(sql, who.user_uid, nonce))) refuseCode('missing')
    clearIdentityCache()
    return { email_verified: true }
  },
})

export const developerRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/developer',
  summary: 'Turn developer mode on or off',
  auth: website,
  body: Body({ enabled: Type.Boolean(), accept_terms: Type.Optional(Type.Boolean()) }),
  data: Type.Object({
    developer: Type.Boolean(),
    developer_enabled_at: Nullable(Timestamp),
    developer_terms_version: Nullable(Type.String()),
    current_developer_terms_version: Type.String(),
  }),
  errors: ['DEVELOPER_TERMS_NOT_ACCEPTED', 'DEVELOPER_MODE_IN_USE'],
  async handle({ sql, who, body }) {
    if (body.enabled && !body.accept_terms)
      refuse('DEVELOPER_TERMS_NOT_ACCEPTED', {
        current_developer_terms_version: DEVELOPER_TERMS_VERSION,
      })
    const state = body.enabled
      ? await enableDeveloper(sql, who.user_uid, DEVELOPER_TERMS_VERSION)
      : await disableDeveloper(sql, who.user_uid)
    if (!state) refuse('DEVELOPER_MODE_IN_USE')
    clearIdentityCache()
    return {
      ...state,
      developer_enabled_at: state.developer_enabled_at?.toISOString() ?? null,
      current_developer_terms_version: DEVELOPER_TERMS_VERSION,
    }
  },
})

export const adultRoute = route({
  method: 'PUT',
  url: '/api/v1/private/settings/adult',
  summary: 'Show or hide adult listings',
  auth: website,
  body: Body({ show: Type.Boolean(), confirm_18: Type.Optional(Type.Boolean()) }),
  data: Type.Object({
    show_adult: Type.Boolean(),
    adult_confirmed: Type.Boolean(),
    sees_adult: Type.Boolean(),
  }),
  errors: ['AGE_NOT_CONFIRMED'],
  async handle({ sql, who, body }) {
    if (body.show && !body.confirm_18) refuse('AGE_NOT_CONFIRMED')
    const state = await setAdult(sql, who.user_uid, body.show)
    clearIdentityCache()
    return { ...state, sees_adult: state.show_adult && state.adult_confirmed }
  },
})

export const languageRoute = route({
  method: 'PUT',
  url: '/api/v1/private/settings/language',
  summary: 'Choose the language of your pages and mails',
  auth: website,
  body: Body({
    language: Type.Union([LanguageCode, Type.Null()], {
      description: 'One of the languages of this store; null follows the browser.',
    }),
  }),
  data: Type.Object({ language: Type.Union([Type.String(), Type.Null()]) }),
  errors: ['MALFORMED'],
  async handle({ core, sql, who, body: { language } }) {
    const { languages } = core.config
    if (language !== null && !languages.includes(language))
      refuse('MALFORMED', { field: 'language' }, `send one of ${languages.join(', ')}, or null`)
    await setLanguage(sql, who.user_uid, language)
    clearIdentityCache()
    return { language }
  },
})

export const themeRoute = route({
  method: 'PUT',
  url: '/api/v1/private/settings/theme',
  summary: 'Choose the theme of your pages',
  auth: website,
  body: Body({ theme: OneOf(themes, { description: '`auto` follows the system.' }) }),
  data: Type.Object({ theme: OneOf(themes) }),
  async handle({ sql, who, body: { theme } }) {
    await setTheme(sql, who.user_uid, theme)
    clearIdentityCache()
    return { theme }
  },
})

export const accountRoutes = [
  registerRoute,
  loginRoute,
  logoutRoute,
  confirmPassword,
  readAccount,
  sendEmailCode,
  verifyEmailRoute,
  developerRoute,
  adultRoute,
  languageRoute,
  themeRoute,
]
