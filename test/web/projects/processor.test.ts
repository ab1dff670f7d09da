import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { needs } from '../../support/system-packages.ts'
import { openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

test('without script, the processor of a build is the usual one of its system', async (t) => {
  const { owner, at, get, listing } = await startDashboard(t)
  const form = (await owner.open(at('builds'))).body
  assert.match(form, /<option value="usual" selected>Usual for the system<\/option>/)
  const register = async (version: string, os: string, arch: string) => {
    await owner.submit(at('builds/register'), { version, os, arch, channel: 'stable' })
    const { builds } = must(await get(`/api/v1/private/games/${listing.uid}/builds`, listing.owner))
    return builds.find((build: { version: string }) => build.version === version).arch
  }
  assert.equal(await register('1.0', 'windows', 'usual'), 'x86_64')
  assert.equal(await register('1.1', 'macos', 'usual'), 'universal')
  assert.equal(await register('1.2', 'android', 'usual'), 'arm64')
  assert.equal(await register('1.3', 'web', 'usual'), '')
  assert.equal(await register('1.4', 'macos', 'arm64'), 'arm64')
  assert.equal(await register('1.5', 'windows', ''), '')
})

test('with script, the processor follows the system until one is chosen', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, at, listing } = await startDashboard(t)
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  await page.goto(at('builds'))
  const system = page.locator('#f-os')
  const processor = page.locator('#f-arch')
  assert.equal(await processor.inputValue(), 'x86_64')
  assert.equal(await processor.locator('option[value=usual]').count(), 0)
  for (const [os, arch] of [
    ['macos', 'universal'],
    ['web', ''],
    ['linux', 'x86_64'],
  ] as const) {
    await system.selectOption(os)
    assert.equal(await processor.inputValue(), arch, os)
  }
  await processor.selectOption('arm64')
  await system.selectOption('windows')
  assert.equal(await processor.inputValue(), 'arm64', 'the choice stays')
  assert.deepEqual(problems, [])
})
