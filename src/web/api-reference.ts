import { perIp } from '../core/security/limits.ts'
import { type Html, html } from './components/html.ts'
import { page } from './components/layout.ts'
import { getPage } from './page-routes.ts'
import { visitor } from './visitor.ts'

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  description?: string
  default?: unknown
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  patternProperties?: Record<string, Schema>
}
type Operation = {
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: {
    name: string
    in: string
    required?: boolean
    schema: Schema
    description?: string
  }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>
}
type Description = {
  info: { title: string; version: string; description?: string }
  paths: Record<string, Record<string, Operation>>
}
type Entry = { method: string; path: string; operation: Operation }

export const apiReference = getPage('/docs/api', 'The API reference, for people', {
  auth: visitor,
  limits: [perIp(120)],
  handle: (input) =>
    page(input, {
      title: 'API reference · Slipway',
      description: 'Every public route of this service, with its parameters, answers and refusals.',
      canonical: '/docs/api',
      styles: ['docs.css'],
      body: reference(input.request.server.swagger() as unknown as Description),
    }),
})

function reference({ info, paths }: Description): Html {
  const entries: Entry[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  const groups = [...Map.groupBy(entries, ({ operation }) => operation.tags?.[0] ?? 'Other')].sort(
    ([a], [b]) => a.localeCompare(b),
  )
  return html`
    <h1>${info.title} <small class="mono">${info.version}</small></h1>
    <p>${info.description?.replaceAll('`', '')}</p>
    <p>For programs: <a href="/api/v1/public/openapi.json">openapi.json</a>, <a href="/api/v1/public/openapi.yaml">openapi.yaml</a> (OpenAPI 3.1).</p>
    <nav aria-label="Contents">${groups.map(
      ([name, group]) =>
        html`<h2 class="group">${name}</h2><ul class="contents">${group.map((one) => html`<li><a href="#${anchor(one)}"><span class="method">${one.method}</span> <code>${one.path}</code></a> <span class="soft">${one.operation.summary}</span></li>`)}</ul>`,
    )}</nav>
    ${groups.map(([name, group]) => html`<section><h2>${name}</h2>${group.map(entry)}</section>`)}`
}

const anchor = ({ method, path }: Entry) =>
  `${method}${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')

function entry(one: Entry): Html {
  const { method, path, operation } = one
  const needs = operation.security?.some((one) => Object.keys(one).length === 0)
    ? 'optional'
    : 'required'
  return html`
    <article class="operation" id="${anchor(one)}">
      <h3><span class="method method-${method.toLowerCase()}">${method}</span> <code>${path}</code></h3>
      <p>${operation.summary}. ${operation.description}</p>
      ${operation.security?.length && html`<p class="soft">Bearer token: ${needs}</p>`}
      ${
        operation.parameters?.length &&
        html`<table><thead><tr><th>Parameter</th><th>In</th><th>Type</th></tr></thead><tbody>
        ${operation.parameters.map((one) => html`<tr><td><code>${one.name}</code>${one.required ? '' : html` <span class="soft">optional</span>`}</td><td>${one.in}</td><td>${typeName(one.schema)}</td></tr>`)}</tbody></table>`
      }
      ${Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => html`<h4>Body <span class="soft">${type}</span></h4>${fields(schema)}`)}
      <h4>Answers</h4>
      <dl>${Object.entries(operation.responses ?? {}).map(([status, answer]) => html`<dt class="mono">${status}</dt><dd>${answer.description}${Number(status) < 300 && Object.values(answer.content ?? {}).map(({ schema }) => fields(schema))}</dd>`)}</dl>
    </article>`
}

/** Objects as nested lists, so that a reader sees the whole answer without opening anything. */
function fields(schema: Schema): Html | string {
  const inner = schema.type === 'array' && schema.items ? schema.items : schema
  if (!inner.properties) return ''
  const needed = new Set(inner.required)
  return html`<ul class="fields">${Object.entries(inner.properties).map(
    ([name, one]) =>
      html`<li><code>${name}</code> <span class="soft">${typeName(one)}${needed.has(name) ? '' : ', optional'}</span> ${one.description}${fields(one)}</li>`,
  )}</ul>`
}

function typeName(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ')
  if (schema.type === 'array')
    return `list of ${schema.items ? typeName(schema.items) : 'anything'}`
  if (schema.patternProperties)
    return `map to ${Object.values(schema.patternProperties).map(typeName).join(' | ')}`
  const bounds = [schema.minimum, schema.maximum].some((bound) => bound !== undefined)
    ? ` ${schema.minimum ?? ''}–${schema.maximum ?? ''}`
    : ''
  return `${schema.type ?? 'anything'}${schema.format ? ` (${schema.format})` : ''}${bounds}`
}
