import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { codeBlocks } from '../docs/code-blocks.ts'
import { paymentSettings, startPaymentApp } from '../payments/fixtures.ts'
import { admin } from '../support/admin-run.ts'
import { startApp } from '../support/app.ts'

/** The words after `npm run admin --` of every command in a block with this text. */
function commandsWith(blocks: { body: string }[], text: string): string[][] {
  const block = blocks.find(({ body }) => body.includes(text))
  assert.ok(block, `no block has ${text}`)
  return block.body
    .trim()
    .split('\n')
    .map((line) => line.replace('npm run admin -- ', '').split(' '))
}

test('the tables of commands in the guide for operations have every command, and no other', async () => {
  const { stdout } = await admin({}, 'help')
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+(?: (?!to-)[a-z-]+)?)(?: \S+)*? {2,}\S/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help')
  const page = readFileSync('docs/operations.md', 'utf8')
  const [, section] = /## Administrator commands\n([\s\S]*?)\n###? /.exec(page)!
  const rows = section!.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) =>
    [...row.slice(0, row.indexOf(' |', 1)).matchAll(/`([a-z -]+?)(?: \[.*?| to-s3.*?)?`/g)].map(
      ([, name]) => name!,
    ),
  )
  assert.ok(commands.length > 50)
  assert.deepEqual(named.sort(), commands.sort())
})

test('the commands of the guide for operators make a set-up link and an operator', async (t) => {
  const { a, settings, sql } = await startApp(t)
  const blocks = codeBlocks('docs/operator.md', 'sh')
  const [link] = commandsWith(blocks, 'setup-link')
  const made = await admin(settings, ...link!)
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /https?:\/\/\S+\/setup/)
  await a.user({ username: 'your-name' })
  for (const words of commandsWith(blocks, 'operators add')) {
    const { code, stderr } = await admin(settings, ...words)
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
  }
  const operators = await sql`
    select u.username from operators o join users u on u.uid = o.user_uid`
  assert.deepEqual(
    operators.map(({ username }) => username),
    ['your-name'],
  )
})

test('the command of the guide for payments compares the ledger with the provider', async (t) => {
  const app = await startPaymentApp(t)
  const [words] = commandsWith(codeBlocks('docs/payments.md', 'sh'), 'ledger verify')
  const settings = { ...app.settings, ...paymentSettings(app.provider) }
  const { code, stdout, stderr } = await admin(settings, ...words!)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /\S/)
})
