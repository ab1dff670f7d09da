import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { type Input, type Route, route, type Scheme } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import type { MaybePromise } from '../core/runtime/maybe-promise.ts'
import { limitKey } from '../core/security/client-address.ts'
import { type Limit, perIp } from '../core/security/limits.ts'
import type { FormBody } from './components/form.ts'

type Nothing = TObject<Record<never, never>>
type Parts<Who, Params extends TSchema, Query extends TSchema> = {
  auth: Scheme<Who>
  params?: Params
  query?: Query
  limits?: Limit[]
  cache?: string
  handle: (input: Input<Who, Static<Params>, Static<Query>, FormBody>) => MaybePromise<unknown>
}

/** Generous for people, and an end for a script that means no good. */
const PAGES = 'pages'
const limit = perIp(600, { bucket: PAGES })
const limits = [limit]
const common = { role: 'web', page: true, hidden: true, envelope: false, limits } as const

/** Counts a page as the kernel does, for one that is free only while a copy of it is kept. */
export const countPage = ({ limiter }: Core, { ip_address }: FastifyRequest): MaybePromise<void> =>
  limiter.take(`${limit.by} ${PAGES}`, limitKey(ip_address), limit)

/** A page somebody opens. */
export const getPage = <Who, Params extends TSchema = Nothing, Query extends TSchema = Nothing>(
  url: string,
  summary: string,
  parts: Parts<Who, Params, Query>,
): Route => route({ method: 'GET', url, summary, ...common, ...parts } as never)

/** What a form on a page is sent to. It ends in a redirect, or in the page again with what was typed and what is wrong with it. */
export const postForm = <Who, Params extends TSchema = Nothing, Query extends TSchema = Nothing>(
  url: string,
  summary: string,
  parts: Parts<Who, Params, Query>,
): Route => route({ method: 'POST', url, summary, ...common, body: FormData, ...parts } as never)

/** A button that is alone in its form sends none. */
const FormData = Type.Union([
  Type.Null(),
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
])
