import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/app.ts'
import { makePublic, must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { errorsOf } from '../browser.ts'
import { axeViolations, openTab, startChromium } from '../chromium.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

async function startMod(t: Parameters<typeof startDashboard>[0]) {
  const app = await startDashboard(t, { name: 'Lantern Mod', asset_type: 'mod' })
  const { a, sql } = app
  const add = async (name: string, asset_type = 'game') => {
    const listing = await a.listing({ name, asset_type })
    await makePublic(sql, listing.uid)
    return listing
  }
  const harbor = await add('Lantern Harbor')
  await add('Lantern Hills')
  await add('Lantern Tools', 'tool')
  await a.listing({ owner: app.listing.owner, name: 'Lantern Draft' })
  await eventually('the listings to be found', async () => {
    const { total } = must(await app.get('/api/v1/public/search?q=lantern'))
    return total === 3
  })
  return { ...app, harbor }
}

/** One of them, because the search finds the listings of all. */
const sharedMod = sharedInFile(startMod)

test('relations are chosen by searching for names', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { url, listing, at, read } = await sharedMod(t)
  const chromium = await startChromium(t)
  const { page, problems } = await openTab(chromium, url, { token: listing.owner.token })
  await page.goto(at('page'))
  const parent = page.getByRole('combobox', { name: /Game or application on this store/ })
  const options = page.locator('.picker-list').getByRole('option')

  await parent.fill('lantern')
  await options.filter({ hasText: 'Lantern Harbor' }).waitFor()
  const names = (await options.locator('strong').allTextContents()).sort()
  // Hidden listings of the person can be parents, but tools cannot.
  assert.deepEqual(names, ['Lantern Draft', 'Lantern Harbor', 'Lantern Hills'])
  assert.deepEqual(await axeViolations(page), [])
  await page.keyboard.press('Escape')
  assert.equal(await options.first().isVisible(), false)
  await parent.fill('lantern har')
  await options.filter({ hasText: 'Lantern Harbor' }).waitFor()
  await page.keyboard.press('ArrowDown')
  assert.equal(await options.first().getAttribute('aria-selected'), 'true')
  await page.keyboard.press('Enter')
  assert.equal(await parent.inputValue(), 'lantern-harbor')

  const similar = page.getByRole('combobox', { name: /Similar titles/ })
  for (const name of ['Lantern Hills', 'Lantern Harbor']) {
    await similar.fill(name)
    await options.filter({ hasText: name }).first().click()
  }
  const chosen = page.locator('.picker-chosen li .picker-name')
  assert.deepEqual(await chosen.allTextContents(), ['Lantern Hills', 'Lantern Harbor'])
  await page.getByRole('button', { name: 'Earlier Lantern Harbor' }).click()
  assert.deepEqual(await chosen.allTextContents(), ['Lantern Harbor', 'Lantern Hills'])
  await page.getByRole('button', { name: 'Remove Lantern Hills' }).click()

  const dependency = page.getByRole('combobox', { name: 'Listing 1' })
  await page.getByRole('combobox', { name: 'Kind 1' }).selectOption('made_with')
  await dependency.fill('lantern tools')
  await options.filter({ hasText: 'Lantern Tools' }).click()
  assert.equal(await dependency.inputValue(), 'lantern-tools')

  await page.getByRole('button', { name: 'Save', exact: false }).first().click()
  await page.getByText(/saved/i).first().waitFor()
  const saved = await read()
  assert.equal(saved.parent_game.vanity_name, 'lantern-harbor')
  assert.deepEqual(
    saved.similar.map(({ name }: { name: string }) => name),
    ['Lantern Harbor'],
  )
  assert.deepEqual(
    saved.relations.uses.map(({ vanity_name }: { vanity_name: string }) => vanity_name),
    ['lantern-tools'],
  )
  assert.deepEqual(problems, [])
})

test('a listing that does not exist is named in the refusal', async (t) => {
  const { owner, at, pageForm, put, patch, listing } = await sharedMod(t)
  const changes = {
    parent_game: 'no-such-parent',
    games: 'lantern-harbor\nno-such-game',
    kind: ['uses', 'uses'],
    game: ['no-such-pack', ''],
  }
  const { body } = await owner.send(at('page'), await pageForm(changes))
  const messages = errorsOf(body).join()
  for (const name of ['no-such-parent', 'no-such-game', 'no-such-pack'])
    assert.match(
      messages,
      new RegExp(`There is no public listing with the address &quot;${name}&quot;`),
    )

  const api = `/api/v1/private/games/${listing.uid}`
  const refusals = [
    await patch(api, { parent: { game: 'no-such-parent' } }, listing.owner),
    await put(`${api}/similar`, { games: ['no-such-game'] }, listing.owner),
    await patch(`${api}/dependencies`, { game: 'no-such-pack', kind: 'uses' }, listing.owner),
  ]
  for (const [i, name] of ['no-such-parent', 'no-such-game', 'no-such-pack'].entries())
    assert.match(refusals[i]!.body.error.message, new RegExp(`no public listing "${name}"`))
})
