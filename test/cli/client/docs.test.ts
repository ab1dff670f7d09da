import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeBlocks } from '../../docs/code-blocks.ts'
import { startStore } from './fixtures.ts'

test('the first commands of the guide for players install, start and update a game', async (t) => {
  const game = { name: 'game.sh', body: '#!/bin/sh\n', method: 8, mode: 0o100755 } as const
  const { run, name } = await startStore(t, [game])
  const blocks = codeBlocks('docs/players.md', 'sh')
  const block = blocks.find(({ body }) => body.includes('slipway install'))
  const lines = block!.body.trim().split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    const [, ...words] = line.replace('saltworks/harbor', name).split(' ')
    // The machine of this test may have another system than the builds of its store.
    const platform = words[0] === 'install' ? ['--os', 'linux', '--arch', 'x86_64'] : []
    const { code, stdout, stderr } = await run([...words, ...platform])
    assert.equal(code, 0, `${line}: ${stdout}${stderr}`)
  }
})
