import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { parse } from 'yaml'
import { programsOf } from '../docs/code-blocks.ts'
import { must } from '../support/builders.ts'
import { picture } from '../support/images.ts'
import { startUploaderApp, tree } from './slipway.ts'

async function shell(
  script: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number; out: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, out: out + errors }
}

/** The environment of a build machine: the built game and the deploy key. */
async function startMachine(t: Parameters<typeof startUploaderApp>[0]) {
  const app = await startUploaderApp(t)
  const cwd = tree(t, {
    'build/linux/play': '#!/bin/sh\n',
    'build/windows/play.exe': 'MZ',
    Makefile: 'build:\n\t@chmod +x build/linux/play\n',
  })
  const { SVC_ACCESS_TOKEN, SVC_SECRET_KEY, TMPDIR } = app.env
  const env = { SLIPWAY_SERVER: app.url, SVC_ACCESS_TOKEN, SVC_SECRET_KEY, TMPDIR }
  const versions = async () =>
    must(await app.get('/api/v1/tool/builds', app.ci))
      .builds.map(({ version, os, files }: any) => `${version} ${os} ${files[0]?.scan}`)
      .sort()
  return { ...app, cwd, env, versions }
}

const files = programsOf('docs/uploader.md', 'yaml')
const recipes = files.map((body) => parse(body))

test('the workflow in the docs publishes each platform of a tag once', async (t) => {
  const { cwd, env, versions } = await startMachine(t)
  const { jobs } = recipes.find((recipe) => recipe.jobs)!
  assert.deepEqual(Object.keys(jobs.publish.env).sort(), [
    'SLIPWAY_SERVER',
    'SVC_ACCESS_TOKEN',
    'SVC_SECRET_KEY',
  ])
  const steps = jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? [])
  for (const step of steps) {
    const { code, out } = await shell(step, cwd, { ...env, GITHUB_REF_NAME: 'v1.2.3' })
    assert.equal(code, 0, out)
  }
  assert.deepEqual(await versions(), ['1.2.3 linux clean', '1.2.3 windows clean'])
  const again = await shell(steps.at(-1)!, cwd, { ...env, GITHUB_REF_NAME: 'v1.2.4' })
  assert.match(again.out, /unchanged: /)
  assert.equal((await versions()).length, 2)
})

test('the pipeline in the docs publishes a tag and fails when the scan is not clean', async (t) => {
  const { cwd, env, versions } = await startMachine(t)
  const pipeline = recipes.find((recipe) => recipe.stages)!
  const run = (job: string, tag: string) =>
    shell(pipeline[job].script.join('\n'), cwd, { ...env, CI_COMMIT_TAG: tag })
  assert.equal((await run('build', 'v2.0')).code, 0)
  const { code, out } = await run('publish', 'v2.0')
  assert.equal(code, 0, out)
  assert.deepEqual(await versions(), ['2.0 linux clean'])
  assert.equal((await run('publish', 'v2.0.1')).code, 0)
  assert.deepEqual(await versions(), ['2.0 linux clean'], 'an unchanged build was uploaded')
  const { EICAR } = await import('../uploads/zips.ts')
  writeFileSync(join(cwd, 'build/linux/bad'), EICAR)
  assert.equal((await run('publish', 'v2.1')).code, 4)
})

test('the file commands in the docs publish the build that they describe', async (t) => {
  const { run, get, game, ci, home } = await startUploaderApp(t)
  mkdirSync(join(home, 'build/linux'), { recursive: true })
  writeFileSync(join(home, 'build/linux/play'), '#!/bin/sh\n', { mode: 0o755 })
  mkdirSync(join(home, 'store'))
  const sizes = { cover: [1024, 576], thumbnail: [960, 540], 1: [1280, 720], 2: [1280, 720] }
  for (const [name, [width, height]] of Object.entries(sizes))
    writeFileSync(join(home, `store/${name}.png`), await picture(width!, height!))
  const commands = programsOf('docs/uploader.md', 'sh').find((body) =>
    /^slipway genbuild/.test(body),
  )!
  const lines = commands
    .replaceAll(/ +#.*$/gm, '')
    .trim()
    .split('\n')
  // Twice, because a CI runs the commands for every commit.
  for (const line of [...lines, ...lines.slice(2)]) {
    const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
    const { code, stderr } = await run(words.slice(1), { cwd: home })
    assert.equal(code, 0, `${line}: ${stderr}`)
  }
  const { builds, total } = must(await get('/api/v1/tool/builds', ci))
  assert.equal(total, 1, 'the files were added to another build than the described one')
  const { build_id, version, os, files } = builds[0]
  assert.deepEqual([version, os, files.map(({ scan }: any) => scan)], ['1.0.0', 'linux', ['clean']])
  const { title, changelog_items } = must(
    await get(`/api/v1/private/games/${game.uid}/builds/${build_id}`, game.owner),
  )
  assert.deepEqual(
    [title, changelog_items],
    ['Untitled Build', [{ title: 'New level', description: 'The lighthouse.' }]],
  )
  const media = must(await get('/api/v1/tool/media', ci))
  assert.deepEqual(
    [media.cover !== '', media.thumbnail !== '', media.gallery.length],
    [true, true, 2],
  )
})

test('the YAML files in the docs are valid', async (t) => {
  const { run, home } = await startUploaderApp(t)
  mkdirSync(join(home, 'build/linux/data'), { recursive: true })
  writeFileSync(join(home, 'build/linux/play'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(home, 'build/linux/data/a'), 'x')
  for (const body of files.filter((body) => /^version: v1/.test(body))) {
    const spec = /spec: (\w+)/.exec(body)![1]!
    // Leave out the images, which need files; another test covers them.
    writeFileSync(join(home, `${spec}.yml`), body.replace(/ {2}media:\n(?: {4}.*\n)*/, ''))
    const result = await run([spec, '--asset', join(home, `${spec}.yml`), '--json'])
    assert.equal(result.code, 0, result.stdout)
    assert.doesNotMatch(result.stderr, /warning/)
  }
})
