import type { Operation } from '../../../src/core/http/openapi-document.ts'
import type { Schema } from '../../../src/core/http/openapi-schemas.ts'
import type { Client } from '../../support/app.ts'

export type Description = {
  openapi: string
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, { type: string; name?: string; description: string }>
  }
}
export type Described = { method: string; path: string; operation: Operation }

/** Reads a description of the API from the running service. */
export const apiDescriptionOf = async (
  { get }: Pick<Client, 'get'>,
  audience: 'public' | 'private',
): Promise<Description> => (await get(`/api/v1/${audience}/openapi.json`)).body

export const operationsOf = ({ paths }: Description): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
