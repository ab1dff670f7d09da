import type { Operation, Parameter, Response } from '../core/http/openapi/document.ts'
import { apiDescription, openapiRoutes } from '../core/http/openapi/openapi.ts'
import type { Schema } from '../core/http/openapi/schemas.ts'
import { perIp } from '../core/security/limits.ts'
import { type Html, html } from './components/html.ts'
import { page, withStoreName } from './components/layout.ts'
import { getPage } from './page-routes.ts'
import { visitor } from './visitor.ts'

type Description = ReturnType<typeof apiDescription>
type Endpoint = { method: string; path: string; operation: Operation }

export const apiReference = getPage('/docs/api', 'API reference', {
  auth: visitor,
  limits: [perIp(120)],
  handle: (input) =>
    page(input, {
      title: withStoreName(input.core, 'API reference'),
      description: 'Every public route of this service with its parameters, answers and errors.',
      canonical: '/docs/api',
      styles: ['docs.css'],
      body: reference(withoutReferences(apiDescription(input, 'public'))),
    }),
})

/** The description with a copy of every schema in the places that refer to it. */
function withoutReferences(description: Description): Description {
  const { schemas } = description.components
  const expand = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, part) =>
      typeof part?.$ref === 'string' ? expand(schemas[part.$ref.split('/').at(-1)]) : part,
    )
  return expand(description) as Description
}

function reference({ info, paths }: Description): Html {
  const endpoints: Endpoint[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  const groups = [...Map.groupBy(endpoints, ({ operation }) => operation.tags[0] ?? 'Other')].sort(
    ([a], [b]) => a.localeCompare(b),
  )
  return html`
    <h1>${info.title} <small class="mono">${info.version}</small></h1>
    <p>${info.description.replaceAll('`', '')}</p>
    <p>
      OpenAPI 3.1 of this page: ${publicFiles.map(fileLink)}. The routes of the website, of build
      machines, running games, agents and operators: ${privateFiles.map(fileLink)}.
    </p>
    <nav aria-label="Contents">${groups.map(contentsGroup)}</nav>
    ${groups.map(
      ([name, group]) => html`<section><h2>${name}</h2>${group.map(endpointArticle)}</section>`,
    )}
  `
}

const isPrivate = (url: string) => url.startsWith('/api/v1/private/')
const files = openapiRoutes.map(({ url }) => url)
const publicFiles = files.filter((url) => !isPrivate(url))
const privateFiles = files.filter(isPrivate)

const fileLink = (url: string, i: number) =>
  html`${i > 0 && ', '}<a href="${url}">${url.split('/').at(-1)}</a>`

const contentsGroup = ([name, group]: [string, Endpoint[]]) => html`
  <h2 class="group">${name}</h2>
  <ul class="contents">${group.map(contentsEntry)}</ul>
`

function contentsEntry(endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint
  const link = html`<span class="method">${method}</span> <code>${path}</code>`
  return html`
    <li>
      <a href="#${anchor(endpoint)}">${link}</a>
      <span class="soft">${operation.summary}</span>
    </li>
  `
}

const anchor = ({ method, path }: Endpoint) =>
  `${method}${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')

function endpointArticle(endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint
  const { security, parameters } = operation
  const method_class = `method method-${method.toLowerCase()}`
  return html`
    <article class="operation" id="${anchor(endpoint)}">
      <h3><span class="${method_class}">${method}</span> <code>${path}</code></h3>
      <p>${operation.summary}. ${operation.description}</p>
      ${security.length > 0 && credentialLine(security)}
      ${parameters?.length && parameterTable(parameters)}
      ${Object.entries(operation.requestBody?.content ?? {}).map(requestBody)}
      <h4>Answers</h4>
      <dl>${Object.entries(operation.responses ?? {}).map(response)}</dl>
    </article>
  `
}

const credentialNames: Record<string, string> = {
  bearer: 'Token in Authorization or SVC_GAMES',
  game_auth_key: 'Auth key of the game',
  game_app: 'X-App-Id and X-Build-Id',
  game_player: 'Token of a player of the game in Authorization',
}

function credentialLine(security: Operation['security']): Html {
  const schemes = security.map((scheme) => Object.keys(scheme)[0])
  const names = new Set(schemes.flatMap((name) => credentialNames[name ?? ''] ?? []))
  const is_optional = schemes.includes(undefined)
  return html`
    <p class="soft">${[...names].join(', ')}: ${is_optional ? 'optional' : 'required'}</p>
  `
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const row = ({ name, in: place, required, description, schema }: Parameter) => html`
    <tr>
      <td><code>${name}</code>${!required && html` <span class="soft">optional</span>`}</td>
      <td>${place}</td>
      <td>${typeName(schema)}</td>
      <td>${description}</td>
    </tr>
  `
  return html`
    <table>
      <thead>
        <tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr>
      </thead>
      <tbody>${parameters.map(row)}</tbody>
    </table>
  `
}

const requestBody = ([type, { schema }]: [string, { schema: Schema }]) => html`
  <h4>Body <span class="soft">${type}</span></h4>
  ${fieldList(schema)}
`

function response([status, { description, content = {} }]: [string, Response]): Html {
  const is_success = Number(status) < 300
  return html`
    <dt class="mono">${status}</dt>
    <dd>
      ${description}
      ${is_success && Object.values(content).map(({ schema }) => fieldList(schema))}
    </dd>
  `
}

/** Objects as nested lists, so that the complete answer is visible without opening anything. */
function fieldList(schema: Schema): Html | string {
  const object = schema.type === 'array' && schema.items ? schema.items : schema
  if (!object.properties) return ''
  const required = new Set(object.required)
  const field = ([name, property]: [string, Schema]) => {
    const type = `${typeName(property)}${required.has(name) ? '' : ', optional'}`
    return html`
      <li>
        <code>${name}</code>
        <span class="soft">${type}</span>
        ${property.description}
        ${fieldList(property)}
      </li>
    `
  }
  return html`<ul class="fields">${Object.entries(object.properties).map(field)}</ul>`
}

function typeName(schema: Schema): string {
  const { minimum, maximum } = schema
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ')
  if (schema.type === 'array')
    return `list of ${schema.items ? typeName(schema.items) : 'anything'}`
  if (typeof schema.additionalProperties === 'object')
    return `map to ${typeName(schema.additionalProperties)}`
  const has_bounds = minimum !== undefined || maximum !== undefined
  const bounds = has_bounds ? ` ${minimum ?? ''}–${maximum ?? ''}` : ''
  return `${schema.type ?? 'anything'}${schema.format ? ` (${schema.format})` : ''}${bounds}`
}
