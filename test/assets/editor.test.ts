import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually, temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { editorParts, editorScript, needs } from '../support/system-packages.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { LIBRARY, startAssetApp } from './fixtures.ts'

const MINUTES = 6

/**
 * Where the script that drives the editor exists, everything it needs must be installed; elsewhere
 * the test is skipped with a message.
 */
function canRun(t: TestContext): boolean {
  if (existsSync(editorScript)) return editorParts.every((part) => needs(t, part))
  t.skip('NOT RUN: ../shared/tools/editor-client.sh, which drives the real editor, is not there')
  return false
}

/** The PATH includes the Node that runs the server, because the script starts its relay with it. */
async function drive(out: string, base: string, title: string, env: Record<string, string>) {
  const child = spawn('bash', [editorScript, base, title], {
    env: {
      ...process.env,
      ...env,
      OUT_DIR: out,
      PATH: `${process.env.PATH}:${dirname(process.execPath)}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text))
  const [code] = await once(child, 'exit')
  return { code: code as number, said }
}

test('an unmodified editor finds, opens, downloads, verifies and installs a package', {
  timeout: MINUTES * 60_000,
}, async (t) => {
  if (!canRun(t)) return
  const app = await startAssetApp(t)
  const folders = ['rain_kit-1.2/', 'rain_kit-1.2/addons/', 'rain_kit-1.2/addons/rain_kit/']
  const bytes = zip([
    ...folders.map((name) => ({ name, mode: 0o040755 })),
    {
      name: 'rain_kit-1.2/addons/rain_kit/plugin.cfg',
      body: '[plugin]\nname="Rain kit"\ndescription="Rain"\nauthor="a"\nversion="1.2"\nscript="rain.gd"\n',
    },
    { name: 'rain_kit-1.2/addons/rain_kit/rain.gd', body: 'tool\nextends EditorPlugin\n' },
    { name: 'rain_kit-1.2/addons/rain_kit/LICENSE.txt', body: 'CC0' },
  ])
  // Publish as a developer does: parent, taxonomy, images, a build by deploy key, anonymous
  // downloads, and then the page.
  const owner = await app.a.verifiedDeveloper({ username: 'rain-maker' })
  const kit = await app.a.listing({ owner, name: 'Rain kit for rivers', asset_type: 'plugin' })
  const url = `/api/v1/private/games/${kit.uid}`
  const parent = { external_name: 'An editor', external_url: 'https://editor.example' }
  must(
    await app.patch(
      url,
      {
        tagline: 'Makes it [wet]',
        description: '# Rain\n\n- drops\n- **puddles**',
        parent,
        license_kind: 'cc0',
      },
      owner,
    ),
  )
  must(
    await app.put(
      `${url}/taxonomy`,
      { tags: ['rain', 'water', 'weather'], engines: ['godot'] },
      owner,
    ),
  )
  must(
    await app.put(
      `${url}/engine-compat`,
      { ranges: [{ engine: 'godot', min_version: '3.0', max_version: '3.6' }] },
      owner,
    ),
  )
  await app.a.images(kit)
  await app.a.cleanBuild(kit, { version: '1.2', engine_version: '3.2', bytes })
  must(
    await app.put(`${url}/anonymous-downloads`, { enabled: true, confirm_no_license: true }, owner),
  )
  must(await app.patch(url, { visibility: 'public' }, owner))
  await app.publish({ name: 'Another kit' })
  await eventually(
    'both packages to be listed',
    async () => (await app.get(`${LIBRARY}/asset?godot_version=3.2`)).body.total_items === 2,
  )

  const expected = { EXPECT_FILE: 'addons/rain_kit/plugin.cfg', EXPECT_SHA256: sha256(bytes) }
  const out = process.env.EDITOR_OUT_DIR ?? temporaryFolder(t)
  const { code, said } = await drive(out, `${app.url}${LIBRARY}`, 'Rain kit for rivers', expected)
  t.diagnostic(said)
  assert.equal(code, 0, said)
  assert.match(said, /installed 3 of 3 files/)
  const [attempt] =
    await app.sql`select client, client_version, source, outcome from download_attempts`
  assert.deepEqual(
    [attempt!.client, attempt!.source, attempt!.outcome],
    ['third_party_editor', 'asset_library', 'ok'],
  )
  assert.match(attempt!.client_version, /^3\.\d/)
})
