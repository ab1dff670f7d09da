import type { startApp } from '../support/app.ts'
import { must, type Person } from '../support/builders.ts'

export const ACTIONS = '/api/v1/private/moderation/actions'

type App = Pick<Awaited<ReturnType<typeof startApp>>, 'a' | 'sql' | 'post'>

/** A decision with everything that it needs. */
export const decision = (target_type: string, target_id: string, action: string, more = {}) => ({
  target_type,
  target_id,
  action,
  ground: action === 'restore' || action === 'dismiss' ? 'no-violation' : 'rule-spam',
  facts: 'The page sells something else',
  statement: 'Your page is not about a game.',
  ...more,
})

/** An operator and a moderator, and how the moderator decides. */
export async function moderationTeam({ a, sql, post }: App) {
  const operator = await a.verified()
  const moderator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  await sql`insert into moderators (user_uid) values (${moderator.uid})`
  const decide = async (
    target_type: string,
    target_id: string,
    action: string,
    more = {},
    who: Person = moderator,
  ) => must(await post(ACTIONS, decision(target_type, target_id, action, more), who))
  return { operator, moderator, decide }
}

type Caller = Pick<Awaited<ReturnType<typeof startApp>>, 'call' | 'url'>

/** Headers of a browser; without a person nobody is signed in. */
export const browserHeaders = ({ url }: Pick<Caller, 'url'>, who?: { token: string }) => ({
  accept: 'text/html',
  origin: url,
  ...(who && { cookie: `svc_session=${who.token}` }),
})

/** Sends a form as a browser without script does. */
export const sendForm = (
  app: Caller,
  path: string,
  { fields, who }: { fields: Record<string, string>; who?: { token: string } },
) =>
  app.call('POST', path, {
    raw: String(new URLSearchParams(fields)),
    headers: {
      ...browserHeaders(app, who),
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
