import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programsOf } from '../docs/code-blocks.ts'
import { must } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { startPlayApp } from './fixtures.ts'
import { startGame, whenTrue } from './frames.ts'

test('the game of the guide greets its player, and goes on from their save', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const [body] = programsOf('docs/play.md', 'html')
  const app = await startPlayApp(t, {
    files: (sdk) => [sdk, { name: 'index.html', body: body!, method: 0 }],
  })
  const person = await app.a.verified()
  const sharing = `/api/v1/private/games/${app.game.uid}/play-sharing`
  must(await app.put(sharing, { shared: true }, person))
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, app.url, { token: person.token })
  for (const level of [2, 3]) {
    await page.goto(`/${app.game.owner.username}/${app.game.vanity_name}/play`)
    const frame = await startGame(page)
    await frame.getByText(`Hello, ${person.username}`).waitFor()
    await whenTrue(frame, `document.title === 'Level ${level}'`)
  }
  assert.deepEqual(
    problems.filter((problem) => !problem.startsWith('requested ')),
    [],
  )
})
