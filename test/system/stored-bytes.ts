import { randomBytes, randomUUID } from 'node:crypto'
import type { startBugApp } from '../bugs/fixtures.ts'
import { report } from '../bugs/fixtures.ts'
import type { Answer } from '../support/app.ts'
import { must, newAddress } from '../support/builders.ts'
import { form, picture } from '../support/images.ts'
import { fieldsOf, form as rawForm, upload } from '../uploads/forms.ts'
import { sha256, zip } from '../uploads/zips.ts'

/** A request for each route that stores bytes, on a game made for it. Each can be repeated. */
export async function storingRequests(app: Awaited<ReturnType<typeof startBugApp>>) {
  const game = await app.buggyGame()
  await app.sql`update users set email_verified_at = now() where uid = ${game.owner.uid}`
  const { cover } = await app.a.images(game)
  const ci = await app.a.deployer(game)
  const { build_id } = must(await app.post('/api/v1/tool/upload/build', { version: '9' }, ci))
  const player = await app.player()
  const { token } = must(
    await app.post(`/api/v1/private/games/${game.uid}/player-token`, undefined, player),
  )
  const shot = report({}, { screenshot: await picture(64, 64) })
  const requests: Record<string, () => Promise<Answer>> = {
    image: async () =>
      app.call('POST', `/api/v1/private/games/${game.uid}/media`, {
        token: game.owner.token,
        ...(await form({ kind: 'gallery' }, [{ bytes: await picture(1280, 720) }])),
      }),
    bug: () => app.send(game.uid, token, shot),
    save: () =>
      app.call('PUT', `/api/v1/public/games/${game.uid}/saves/auto`, {
        raw: randomUUID(),
        token,
        headers: newAddress(),
      }),
    crash: () =>
      app.call(
        'POST',
        '/api/v1/public/crashes',
        rawForm([{ name: 'dump', filename: 'x.dmp', bytes: Buffer.from('MDMP and more') }], {
          headers: { 'x-app-id': game.uid, 'x-build-id': build_id },
        }),
      ),
    file: () =>
      app.call(
        'POST',
        '/api/v1/tool/upload/files',
        upload(zip([{ name: 'a', body: randomUUID() }]), { build_id }, ci),
      ),
    symbols: () => {
      const id = randomBytes(16).toString('hex').toUpperCase()
      const bytes = Buffer.from(`MODULE Linux x86_64 ${id}0 game\n`)
      const fields = fieldsOf({ build_id, checksum: sha256(bytes) })
      const file = { name: 'file', filename: 'game.sym', bytes }
      return app.call('POST', '/api/v1/tool/upload/symbols', rawForm([...fields, file], ci))
    },
  }
  return { game, cover, requests, ci, build_id: build_id as string, player_token: token as string }
}
