import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, temporaryFolder } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { editorPrograms, needs } from '../../support/system-packages.ts'
import { sha256, zip } from '../../uploads/zips.ts'
import { LIBRARY, startAssetApp } from '../fixtures.ts'
import { startEditor } from './driver.ts'

const MINUTES = 20

test('an unmodified editor finds, opens, downloads, verifies and installs a package', {
  timeout: MINUTES * 60_000,
}, async (t) => {
  if (!editorPrograms.every((program) => needs(t, program))) return
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

  const editor = await startEditor({
    library: `${app.url}${LIBRARY}`,
    folder: process.env.EDITOR_FOLDER ?? temporaryFolder(t),
  })
  t.after(editor.stop)
  await editor.open()
  await editor.search('Rain kit for rivers')
  await editor.openDetails('Rain kit for rivers')
  assert.equal(sha256(await editor.download()), sha256(bytes))
  const files = ['LICENSE.txt', 'plugin.cfg', 'rain.gd'].map((name) => `addons/rain_kit/${name}`)
  assert.deepEqual(await editor.install(files), files)
  const [attempt] =
    await app.sql`select client, client_version, source, outcome from download_attempts`
  assert.deepEqual(
    [attempt!.client, attempt!.source, attempt!.outcome],
    ['third_party_editor', 'asset_library', 'ok'],
  )
  assert.ok(attempt!.client_version.startsWith(editor.version), attempt!.client_version)
})
