import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageShape } from '../../../src/listings/fields/editor.ts'
import { startApp } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { fc } from '../../support/property.ts'
import { zip } from '../../uploads/zips.ts'

const shape = (...paths: string[]) => packageShape(paths)

test('a single outer folder is a wrapper, unless it is the add-ons folder', () => {
  for (const [wrapped, ...paths] of [
    [true, 'kit-1.0/addons/kit/plugin.cfg'],
    [true, 'kit-1.0/', 'kit-1.0/README.md', 'kit-1.0/addons/kit/plugin.cfg'],
    [false, 'addons/kit/plugin.cfg'],
    [false, 'addons/', 'addons/kit/plugin.cfg'],
    [false, 'kit-1.0/a', 'README.md'],
    [false, 'kit-1.0/a', 'other/b'],
    [false, 'kit-1.0/a', 'other/'],
    [false, 'plugin.cfg'],
    [false, 'kit-1.0/'],
    [false],
  ] as [boolean, ...string[]][])
    assert.equal(shape(...paths).has_wrapper, wrapped, paths.join(' '))
})

test('a project is detected by its file at the top or in the wrapper, not in examples', () => {
  for (const [expected, ...paths] of [
    [true, 'project.godot'],
    [true, 'template-2/project.godot', 'template-2/main.tscn'],
    [false, 'kit/demo/project.godot'],
    [false, 'addons/kit/plugin.cfg', 'demo/project.godot'],
    [false, 'demo/project.godot', 'README.md'],
    [false, 'addons/project.godot'],
    [false, 'kit/project.godot.txt'],
    [false, 'kit/my-project.godot'],
    [false, 'project.godot/'],
    [false, 'kit/Project.godot'],
  ] as [boolean, ...string[]][])
    assert.equal(shape(...paths).has_project_file, expected, paths.join(' '))
})

test('folders are complete when each parent folder of a file has its own entry', () => {
  assert.equal(shape('a/', 'a/b/', 'a/b/file').has_folders, true)
  assert.equal(shape('a/', 'a/b/file').has_folders, false)
  assert.equal(shape('a/b/', 'a/b/file').has_folders, false)
  assert.equal(shape('file').has_folders, true)
  const name = fc.stringMatching(/^[a-c]{1,2}$/)
  const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.uniqueArray(file, { minLength: 1, maxLength: 8 }), (files) => {
      const needed = [
        ...new Set(
          files.flatMap((path) =>
            path.split('/').map((_, i, all) => `${all.slice(0, i).join('/')}/`),
          ),
        ),
      ].filter((f) => f !== '/')
      assert.equal(packageShape([...needed, ...files]).has_folders, true)
      for (const omitted of needed)
        assert.equal(
          packageShape([...needed.filter((f) => f !== omitted), ...files]).has_folders,
          false,
        )
    }),
  )
})

test('warns publishers about a missing outer folder and folders without an entry', async (t) => {
  const app = await startApp(t)
  const warnings = async (uid: string, token: string) =>
    must(await app.get(`/api/v1/private/games/${uid}/lint`, { token }))
      .warnings.map(({ id }: any) => id)
      .filter((id: string) => id.startsWith('editor_'))
  const plugin = await app.a.listing({ asset_type: 'plugin' })
  const { token } = plugin.owner
  assert.deepEqual(await warnings(plugin.uid, token), [], 'warnings without a build')
  const publish = (version: string, names: string[], more = {}) =>
    app.a.cleanBuild(plugin, { version, bytes: zip(names.map((name) => ({ name }))), ...more })
  await publish('1.0', ['plugin.cfg'])
  assert.deepEqual(await warnings(plugin.uid, token), [], 'warnings for an unknown editor')
  await publish('1.1', ['addons/kit/plugin.cfg'], { engine_version: '3.2' })
  assert.deepEqual(await warnings(plugin.uid, token), ['editor_wrapper', 'editor_folders'])
  await publish('1.2', ['kit/addons/kit/plugin.cfg'], { engine_version: '3.2' })
  assert.deepEqual(await warnings(plugin.uid, token), ['editor_folders'])
  await publish('1.3', ['project.godot', 'scenes/', 'scenes/main.tscn'], { engine_version: '3.2' })
  assert.deepEqual(
    await warnings(plugin.uid, token),
    [],
    'warnings for a project without an outer folder',
  )
  await publish('1.4', ['plugin.cfg'], { channel: 'beta', engine_version: '3.2' })
  assert.deepEqual(await warnings(plugin.uid, token), [], 'warnings for a beta build')
  await publish('1.5', ['plugin.cfg'])
  assert.deepEqual(await warnings(plugin.uid, token), [])
  const range = (engine: string) =>
    app.put(
      `/api/v1/private/games/${plugin.uid}/engine-compat`,
      { ranges: [{ engine }] },
      { token },
    )
  must(await range('other'))
  assert.deepEqual(await warnings(plugin.uid, token), [])
  must(await range('godot'))
  assert.deepEqual(await warnings(plugin.uid, token), ['editor_wrapper'])
})
