import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poolSizes } from '../../../src/core/database/pools.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { read, readCompose } from './deploy-files.ts'

test('the compose file runs every role, sets known variables and uses its services', () => {
  const { services, volumes } = readCompose()
  const ours = Object.values<any>(services).filter(({ image }) => image === 'slipway')
  assert.deepEqual(
    [...new Set(ours.flatMap(({ environment }) => environment.SLIPWAY_ROLES.split(',')))].sort(),
    ['api', 'upload', 'web', 'worker'],
  )
  const known = new Set(
    [...read('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map((match) => match[1]),
  )
  for (const { environment } of ours)
    for (const name of Object.keys(environment)) assert.ok(known.has(name), name)
  for (const [name, url] of Object.entries({
    postgres: 'DATABASE_URL',
    redis: 'REDIS_URL',
    clamd: 'CLAMD_URL',
  }))
    assert.ok(
      services[name] && ours.every(({ environment }) => environment[url].includes(name)),
      name,
    )
  for (const [name, { mem_limit, logging }] of Object.entries<any>(services)) {
    assert.match(mem_limit, /^(\$\{[A-Z]+_MEMORY:-)?\d+[mg]\}?$/, `${name} has no memory limit`)
    assert.ok(logging.options['max-size'], `the log of ${name} is not rotated`)
  }
  const used = Object.values<any>(services).flatMap((service) => service.volumes ?? [])
  for (const volume of Object.keys(volumes))
    assert.ok(
      used.some((mount: string) => mount.startsWith(`${volume}:`)),
      volume,
    )
  // The service must accept all settings of a container together.
  for (const service of ours) composedConfig(service)
})

/** The settings of a service of the compose file, with values for what operators fill in. */
const composedConfig = ({ environment }: { environment: Record<string, string> }) =>
  readConfig(
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value
          .replaceAll(/\$\{BASE_URL[^}]*\}/g, 'https://store.example')
          .replaceAll(/\$\{SECRETS_KEY[^}]*\}/g, `${'A'.repeat(43)}=`)
          .replaceAll(/\$\{[^}]*\}/g, ''),
      ]),
    ),
  )

/** What the server keeps for superusers. */
const RESERVED_CONNECTIONS = 3
/** For starts, a backup and commands. */
const SPARE_CONNECTIONS = 12

test('the database of the compose file has connections for two processes of each role', () => {
  const { services } = readCompose()
  const ours = Object.values<any>(services).filter(({ image }) => image === 'slipway')
  const needed = ours
    .flatMap((service) => [...poolSizes(composedConfig(service)).values()])
    .reduce((sum, size) => sum + size)
  assert.ok(
    read('docs/scaling.md').includes(
      `${needed} for one process of each\nrole, ${2 * needed} for two`,
    ),
  )
  const { command = [] } = services.postgres
  const [, limit = '100'] = /max_connections=(\d+)/.exec(command.join(' ')) ?? []
  const total = 2 * needed + RESERVED_CONNECTIONS + SPARE_CONNECTIONS
  assert.ok(total <= Number(limit), `${total} of ${limit} connections`)
})
