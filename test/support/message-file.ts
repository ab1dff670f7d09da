import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { FluentResource } from '@fluent/bundle'

/** The ids of the messages of a file, each with the variables and tags it uses. */
export function readMessageFile(path: string): Map<string, string[]> {
  const source = readFileSync(path, 'utf8')
  // The parser drops entries that it cannot read.
  const entries = source.match(/^-?[a-zA-Z][\w-]* *=/gm)?.length ?? 0
  const { body } = new FluentResource(source)
  assert.equal(body.length, entries, `${path} has an entry that cannot be read`)
  const messages = new Map<string, string[]>()
  for (const { id, value } of body) {
    assert.ok(!messages.has(id), `${path}: ${id} exists twice`)
    messages.set(id, namesIn(JSON.stringify(value)))
  }
  return messages
}

function namesIn(pattern: string): string[] {
  const variables = [...pattern.matchAll(/"type":"var","name":"(\w+)"/g)].map(
    ([, name]) => `$${name}`,
  )
  const tags = [...pattern.matchAll(/<(\w+)>/g)].map(([, name]) => `<${name}>`)
  return [...new Set([...variables, ...tags])].sort()
}
