import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareBuilds, compareBuildVersions } from '../../src/builds/channels/build-order.ts'
import { startApp } from '../support/app.ts'
import { fc } from '../support/property.ts'

test('versions compare numerically, and a pre-release comes before its release', () => {
  const rising = [
    '0.9',
    '1.0-alpha',
    '1.0-alpha.1',
    '1.0-beta2',
    '1.0-beta10',
    '1.0-rc',
    '1.0',
    '1.0.1',
    '1.2',
    '1.10',
    '1.10.0.1',
    '2',
    '10.0',
    '99999999999999999999.1',
  ]
  for (const [i, a] of rising.entries())
    for (const [j, b] of rising.entries())
      assert.equal(Math.sign(compareBuildVersions(a, b)), Math.sign(i - j), `${a} and ${b}`)
  for (const [a, b] of [
    ['1.0', '1.0.0'],
    ['v1.2', '1.2'],
    ['1.02', '1.2'],
    ['1.0+a', '1.0+b'],
    ['V1-RC', '1-rc'],
  ] as const)
    assert.equal(compareBuildVersions(a, b), 0, `${a} and ${b}`)
})

test('the order of builds is total', () => {
  const build = fc.record({
    uid: fc.uuid(),
    version: fc.oneof(
      fc.stringMatching(/^v?\d{1,2}(\.\d{1,2}){0,2}(-[a-c]\d?)?$/),
      fc.string({ maxLength: 8 }),
    ),
    created_at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(3) }),
  })
  fc.assert(
    fc.property(build, build, build, (a, b, c) => {
      assert.equal(Math.sign(compareBuilds(a, b)), -Math.sign(compareBuilds(b, a)))
      assert.equal(compareBuilds(a, a), 0)
      if (compareBuilds(a, b) <= 0 && compareBuilds(b, c) <= 0) assert.ok(compareBuilds(a, c) <= 0)
    }),
  )
})

test('a clean file moves its channel forward once, and never back', async (t) => {
  const { sql, a } = await startApp(t)
  const game = await a.listing()
  const heads = async () =>
    (
      await sql`
        select h.channel, h.app, h.os, b.version
        from channel_heads h
        join builds b on b.uid = h.build_uid
        order by 1, 2, 3`
    ).map((row) => Object.values(row).join(' '))
  await a.cleanBuild(game, { version: '1.2' })
  assert.deepEqual(await heads(), ['stable  linux 1.2'])
  await a.cleanBuild(game, { version: '1.10' })
  await a.cleanBuild(game, { version: '1.9' })
  await a.cleanBuild(game, { version: '1.10-rc1' })
  assert.deepEqual(await heads(), ['stable  linux 1.10'])
  await a.cleanBuild(game, { version: '1.0', os: 'windows' })
  await a.cleanBuild(game, { version: '1.0', channel: 'beta' })
  await a.cleanBuild(game, { version: '1.0', app: 'server' })
  assert.deepEqual(await heads(), [
    'beta  linux 1.0',
    'stable  linux 1.10',
    'stable  windows 1.0',
    'stable server linux 1.0',
  ])
  const history = await sql`
    select version, event
    from channel_history
    where channel = 'stable' and os = 'linux' and app = ''
    order by seq`
  assert.deepEqual(
    history.map(({ version, event }) => [version, event]),
    [
      ['1.2', 'upload'],
      ['1.10', 'upload'],
    ],
  )
})
