// In the bundle, this file replaces node:http. An import of it reads every name that it exports,
// for which Node 22 and later load their whole client of fetch: half of the time of a start.
import type * as http from 'node:http'
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const { Agent, createServer, request } = load('http') as typeof http
