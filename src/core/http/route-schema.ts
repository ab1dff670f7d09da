import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Route } from './route.ts'

const envelope = (data: TSchema) => Type.Object({ success: Type.Literal(true), data })

/** The schema of a successful answer with data: the data itself, or the data in the envelope. */
export const answerSchema = (route: Route, data: TSchema): TSchema =>
  route.envelope === false ? data : envelope(data)

/** What Fastify checks and serializes by. The API description is made in openapi.ts. */
export function schemaOf(route: Route): FastifySchema {
  const { params, query, body, data } = route
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body ? { body } : takesNoBody(route) && { body: NoBody }),
    ...(data && { response: { [successStatus(route)]: answerSchema(route, data) } }),
  }
}

export const successStatus = ({ redirect, status }: Route) => redirect ?? status ?? 200

/** A route without a body rejects one that is not empty, so that a mistake is reported. */
const NoBody = Type.Union([Type.Null(), Type.Object({}, { additionalProperties: false })])
const takesNoBody = ({ method, raw_body }: Route) => method !== 'GET' && !raw_body
