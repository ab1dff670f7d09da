import { stringify } from 'yaml'
import type { Core } from '../../runtime/core.ts'
import { perCore } from '../../runtime/per-core.ts'
import { version } from '../../runtime/version.ts'
import { perIp } from '../../security/limits.ts'
import { anyone, type Input, route } from '../route.ts'
import { describeApi } from './document.ts'

type DocumentInput = Pick<Input<unknown, unknown, unknown, unknown>, 'core' | 'request'>

type Audience = 'public' | 'private'
type Description = ReturnType<typeof describeApi>

type Written = {
  settings_version: number
  documents: Map<Audience, Description>
  texts: Map<string, string>
}

const latest = perCore((core) => ({ written: startOver(core) }))

function startOver({ settings }: Core): Written {
  return { settings_version: settings.version, documents: new Map(), texts: new Map() }
}

/** What was written since the settings changed, which the name of the store is part of. */
function writtenFor(core: Core): Written {
  const state = latest(core)
  if (state.written.settings_version !== core.settings.version) state.written = startOver(core)
  return state.written
}

/** The description of the public routes, or of all others, made when it is first read. */
export function apiDescription({ core, request }: DocumentInput, audience: Audience): Description {
  const { documents } = writtenFor(core)
  const routes = request.server.all_routes
  const { store_name } = core.settings.current
  const description =
    documents.get(audience) ??
    describeApi({ audience, store_name, version, routes, ...core.addresses })
  documents.set(audience, description)
  return description
}

/** The text of a description, written once: YAML of this size takes a tenth of a second. */
function descriptionText(input: DocumentInput, audience: Audience, format: Format): string {
  const { texts } = writtenFor(input.core)
  const key = `${audience} ${format}`
  const text = texts.get(key) ?? formats[format](apiDescription(input, audience))
  texts.set(key, text)
  return text
}

type Format = 'json' | 'yaml'
const formats: Record<Format, (description: Description) => string> = {
  json: (description) => JSON.stringify(description),
  yaml: (description) => stringify(description, { aliasDuplicateObjects: false }),
}

const limits = [perIp(120, { bucket: 'openapi' })]
const common = {
  method: 'GET',
  auth: anyone,
  limits,
  cors: true,
  cache: 'no-cache',
  envelope: false,
} as const

const jsonRoute = (audience: Audience, summary: string) =>
  route({
    ...common,
    url: `/api/v1/${audience}/openapi.json`,
    summary,
    produces: 'application/json',
    handle: (input) =>
      input.reply
        .type('application/json; charset=utf-8')
        .send(descriptionText(input, audience, 'json')),
  })

export const openapiRoutes = [
  jsonRoute('public', 'This description, as JSON'),
  route({
    ...common,
    url: '/api/v1/public/openapi.yaml',
    summary: 'This description, as YAML',
    produces: 'application/yaml',
    handle: (input) =>
      input.reply
        .type('application/yaml; charset=utf-8')
        .send(descriptionText(input, 'public', 'yaml')),
  }),
  jsonRoute('private', 'The description of all other routes, as JSON'),
]
