import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCatalog } from '../../catalog/fixtures.ts'
import { eventually } from '../../support/app.ts'

/** The links of the section with moods and session lengths, by their text. */
function choicesIn(body: string): [string, string][] {
  const section = body.split('<section ').find((text) => text.includes('id="feel"')) ?? ''
  const links = section
    .split('</section>')[0]!
    .matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)<\/a>/g)
  return [...links].map(([, url, text]) => [text!.trim(), url!.replaceAll('&amp;', '&')])
}

test('home offers the moods and times that listings have, and a mood narrows times', async (t) => {
  const { get, createListing } = await startCatalog(t)
  await createListing({ tone: ['cozy', 'funny'], session_bucket: '15m' })
  await createListing({ tone: ['cozy'], session_bucket: '1h' })
  await createListing({ tone: ['dark'], session_bucket: '3h', visibility: 'draft' })
  const choicesOf = async (url: string) => choicesIn((await get(url)).body)
  const all: [string, string][] = [
    ['Cozy', '/?tone=cozy#feel'],
    ['Funny', '/?tone=funny#feel'],
    ['About 15 minutes', '/search?session_bucket=15m'],
    ['About an hour', '/search?session_bucket=1h'],
  ]
  let choices: [string, string][] = []
  await eventually('the index to be loaded', async () => {
    choices = await choicesOf('/')
    return choices.length > 0 && choices.length < 9
  })
  assert.deepEqual(choices, all)
  assert.deepEqual(await choicesOf('/?tone=funny'), [
    ['Cozy', '/?tone=cozy#feel'],
    ['Funny', '/#feel'],
    ['Funny, any length', '/search?tone=funny'],
    ['About 15 minutes', '/search?tone=funny&session_bucket=15m'],
  ])
  assert.match((await get('/?tone=funny')).body, /aria-current="true">Funny</)
  assert.deepEqual(await choicesOf('/?tone=constructor'), all, 'an unknown mood is ignored')
  assert.deepEqual(await choicesOf('/?tone=cozy&tone=dark'), all)
})

test('the texts of shelves name what their rules select', async (t) => {
  const { get, createListing } = await startCatalog(t)
  for (let n = 0; n < 3; n++) await createListing({ status: 'prototype' })
  await createListing({ asset_type: 'application' })
  const { items } = (await get('/api/v1/public/shelves/recently_updated')).body.data
  assert.ok(items.some(({ asset_type }: { asset_type: string }) => asset_type === 'application'))
  const { body } = await get('/')
  assert.match(body, /New, and hardly anyone has played them yet\./)
  assert.doesNotMatch(body, /New and finished|>Games with a new build/)
})
