import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { coverSvg, palettes, shotSvg, sizes } from '../../demo/art.ts'
import { catalog } from '../../demo/catalog.ts'
import { fill } from '../../demo/fill.ts'
import { startRenderer } from '../../demo/render.ts'
import { scenes } from '../../demo/scenes.ts'
import { fitsSlot } from '../../src/listings/media/image-rules.ts'
import { startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'

test('scenes draw distinct, reproducible images that the platform accepts', async () => {
  const { render, stop } = startRenderer()
  const seen = new Set<string>()
  try {
    for (const [i, scene] of (Object.keys(scenes) as (keyof typeof scenes)[]).entries()) {
      const palette = Object.keys(palettes)[
        i % Object.keys(palettes).length
      ] as keyof typeof palettes
      const look = { name: `Game & ${scene} 2:`, scene, palette, lettering: 'heavy' } as const
      const svgs = {
        cover: coverSvg(look, sizes.cover),
        thumbnail: coverSvg(look, sizes.thumbnail),
        gallery: shotSvg(look, i, sizes.gallery),
      }
      assert.equal(shotSvg(look, i, sizes.gallery), svgs.gallery)
      assert.doesNotMatch(
        Object.values(svgs).join(''),
        /NaN|undefined|https?:(?!\/\/www\.w3\.org\/2000\/svg)/,
      )
      const bytes = await render(svgs.cover)
      const { format, width, height } = await sharp(bytes).metadata()
      assert.deepEqual(
        [format, fitsSlot('cover', { width: width!, height: height! })],
        ['png', true],
      )
      assert.ok(bytes.length < 400_000)
      seen.add(Buffer.from(bytes).toString('base64'))
    }
  } finally {
    stop()
  }
  assert.equal(seen.size, Object.keys(scenes).length)
  assert.ok(fitsSlot('thumbnail', { width: sizes.thumbnail[0], height: sizes.thumbnail[1] }))
})

test('the demo catalog has unique listings of all seven types in dependency order', () => {
  const slugs = catalog.map(({ slug }) => slug)
  assert.equal(new Set(slugs).size, slugs.length)
  assert.ok(slugs.length >= 24)
  assert.equal(new Set(catalog.map(({ asset_type = 'game' }) => asset_type)).size, 7)
  for (const [i, { parent, uses = [] }] of catalog.entries())
    for (const named of [parent, ...uses.map(([slug]) => slug)])
      if (typeof named === 'string') assert.ok(slugs.indexOf(named) < i, named)
})

test('fills a fresh server with listings, clean builds, reviews and tickets', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const entries = catalog.filter(({ slug }) =>
    ['tidewrack', 'velvet-hours', 'glacier-post', 'tidewrack-chart-maker'].includes(slug),
  )
  const { listings } = await fill(app, { entries })
  const page = must(await app.get('/api/v1/public/games/tidewrack'))
  assert.deepEqual(
    [page.visibility, page.gallery.length, page.health, page.has_tools],
    ['public', 5, 'excellent', true],
  )
  assert.ok(page.files.length >= 3)
  assert.ok(page.community_tags.length)
  assert.equal((await app.get('/api/v1/public/games/glacier-post')).status, 404)
  assert.ok(must(await app.get('/api/v1/public/games/tidewrack/reviews')).summary.count >= 5)
  const { owner, uid } = listings.get('tidewrack')!
  const readOwn = (path: string) => app.get(`/api/v1/private/games/${uid}/${path}`, owner)
  assert.ok(must(await readOwn('bugs')).counts.open > 0)
  assert.ok(must(await readOwn('download-analytics')).downloads.total > 10)
  assert.ok(must(await readOwn('crash-groups')).groups.length > 0)
})
