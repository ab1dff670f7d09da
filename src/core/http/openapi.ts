import { stringify } from 'yaml'
import packageFile from '../../../package.json' with { type: 'json' }
import { perCore } from '../runtime/per-core.ts'
import { perIp } from '../security/limits.ts'
import { describeApi } from './openapi-document.ts'
import { anyone, type Input, route } from './route.ts'

export const version = packageFile.version

type DocumentInput = Pick<Input<unknown, unknown, unknown, unknown>, 'core' | 'request'>

type Audience = 'public' | 'private'
type Description = ReturnType<typeof describeApi>

const documents = perCore(() => new Map<Audience, Description>())

/** The description of the public routes, or of all others, made when it is first read. */
export function apiDescription({ core, request }: DocumentInput, audience: Audience): Description {
  const made = documents(core)
  const routes = request.server.all_routes
  const description =
    made.get(audience) ?? describeApi({ audience, version, routes, ...core.addresses })
  made.set(audience, description)
  return description
}

const texts = perCore(() => new Map<string, string>())

/** The text of a description, written once: YAML of this size takes a tenth of a second. */
function descriptionText(input: DocumentInput, audience: Audience, format: Format): string {
  const written = texts(input.core)
  const key = `${audience} ${format}`
  const text = written.get(key) ?? formats[format](apiDescription(input, audience))
  written.set(key, text)
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
