import { Type } from 'typebox'
import { nameSchemas, Timestamp, Uid } from '../../core/http/route.ts'
import type { OpenSession } from './queries.ts'

const OptionalText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })

export const SessionData = Type.Object({
  uid: Uid,
  current: Type.Boolean({ description: 'Whether this request was sent with it' }),
  browser: OptionalText('The browser or program that signed in; null if it is not known'),
  system: OptionalText('The operating system that it names; null if it names none'),
  country: OptionalText('The two-letter country of its address; null if it is not known'),
  network: OptionalText('The /24 or /48 of its address; null for sessions from before'),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
})
nameSchemas({ Session: SessionData })

export const sessionData = (session: OpenSession, current_uid: string) => ({
  ...session,
  current: session.uid === current_uid,
  created_at: session.created_at.toISOString(),
  last_used_at: session.last_used_at.toISOString(),
  expires_at: session.expires_at.toISOString(),
})
