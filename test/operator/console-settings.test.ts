import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorPages } from '../../src/web/operator/routes.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { errorsOf, filledForm, formsOf } from '../web/browser.ts'
import { SETTINGS, sharedConsole, startConsole } from './fixtures.ts'

const startShared = sharedConsole()

const PAGE = '/operator/settings'

test('the console is for operators; for others it is a missing page', async (t) => {
  const { a, operator, console, signedIn, visitor, sql } = await startShared(t)
  const person = signedIn(await a.verified())
  const missing = await person.open('/operator/missing')
  assert.equal(missing.status, 404)
  const withoutPath = (body: string) => body.replaceAll(/\/operator[\w/-]*/g, '')
  for (const { method, url } of operatorPages) {
    const path = url.replaceAll(/:\w+/g, operator.uid)
    const send = (who: ReturnType<typeof visitor>) =>
      method === 'GET' ? who.open(path) : who.send(path)
    const refused = await send(person)
    assert.equal(refused.status, 404, `${method} ${path}`)
    assert.equal(withoutPath(refused.body), withoutPath(missing.body), path)
    const signed_out = await send(visitor())
    if (method === 'GET') {
      assert.equal(signed_out.status, 303, path)
      assert.equal(signed_out.headers.location, `/login?next=${encodeURIComponent(path)}`)
    } else assert.ok([303, 401].includes(signed_out.status), `${path}: ${signed_out.status}`)
  }
  assert.doesNotMatch((await person.open('/')).body, /href="\/operator"/)
  assert.match((await console.open('/')).body, /href="\/operator"/)
  assert.equal((await console.open(PAGE)).status, 200)
  await sql`delete from operators`
  assert.equal((await console.open(PAGE)).status, 404)
  await eventually(
    'the menu without the console',
    async () => !/href="\/operator"/.test((await console.open('/')).body),
  )
})

test('a form of an operator whose session has ended is kept', async (t) => {
  const { visitor } = await startShared(t)
  const answer = await visitor().send(PAGE, { store_name: 'Harbor', opened: '{}' })
  assert.equal(answer.status, 401)
  assert.match(answer.body, /Harbor/)
})

test('the form changes the settings that were edited, and lists who changed them', async (t) => {
  const { operator, console, patch, get } = await startShared(t)
  const opened = (await console.open(PAGE)).body
  must(await patch(SETTINGS, { editions_max: 3 }, operator))
  const fields = filledForm(opened, PAGE, { store_name: 'Harbor', sale_fee_percent: '0' })
  delete fields.powered_by
  const { body } = await console.submit(PAGE, fields)
  assert.match(body, /Settings saved/)
  const { settings, changes } = must(await get(SETTINGS, operator))
  assert.deepEqual(
    [settings.store_name, settings.sale_fee_percent, settings.powered_by, settings.editions_max],
    ['Harbor', 0, false, 3],
  )
  assert.equal(changes.length, 4)
  const rows = [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    row!
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  assert.ok(
    rows.some((row) => row.startsWith(`Name of the store Default Harbor ${operator.username}`)),
    rows.join('\n'),
  )
  assert.ok(rows.some((row) => /^Name the software .* Default Off/.test(row)))

  // An empty field restores the default.
  const again = filledForm((await console.open(PAGE)).body, PAGE, { store_name: ' ' })
  await console.submit(PAGE, again)
  assert.equal(must(await get(SETTINGS, operator)).settings.store_name, 'Slipway')
})

test('the settings have a list of their parts, each of which exists', async (t) => {
  const { console } = await startShared(t)
  const { body } = await console.open('/operator/settings')
  const list = body.match(/<nav class="page-contents".*?<\/nav>/s)![0]
  const ids = [...list.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id)
  assert.ok(ids.length > 5)
  for (const id of ids) assert.ok(body.includes(`<section class="subsection" id="${id}"`), id)
})

test('refused values are explained at their fields and nothing is saved', async (t) => {
  const { operator, console, get } = await startShared(t)
  const fields = filledForm((await console.open(PAGE)).body, PAGE, {
    store_name: 'x'.repeat(61),
    editions_max: 'many',
    refund_window_hours: '8761',
    sale_fee_percent: '5',
  })
  const { status, body } = await console.send(PAGE, fields)
  assert.equal(status, 400)
  const errors = errorsOf(body).join('\n')
  assert.match(errors, /at most 60 characters/)
  for (const name of ['store_name', 'editions_max', 'refund_window_hours'])
    assert.match(body, new RegExp(`id="f-${name}" name="${name}"[^>]*aria-invalid="true"`), name)
  const form = formsOf(body).find(({ action }) => action === PAGE)!
  assert.deepEqual([form.fields.editions_max, form.fields.sale_fee_percent], [['many'], ['5']])
  assert.deepEqual(must(await get(SETTINGS, operator)).changes, [])
  const order = { min_price_cents: '200', max_price_cents: '199' }
  const refused = await console.send(PAGE, { ...fields, ...filledForm(body, PAGE, order) })
  assert.equal(refused.status, 400)

  const crossed = filledForm((await console.open(PAGE)).body, PAGE, order)
  const answer = await console.send(PAGE, crossed)
  assert.match(answer.body, /id="f-max_price_cents"[^>]*aria-invalid="true"/)
})

test('a setting of the environment is shown as fixed with the name of its variable', async (t) => {
  const { console } = await startConsole(t, { STORE_NAME: 'Harbor', POWERED_BY: 'off' })
  const { body } = await console.open(PAGE)
  assert.match(body, /<code>STORE_NAME<\/code>/)
  assert.match(body, /<p class="fixed-value">Harbor<\/p>/)
  assert.match(body, /<code>POWERED_BY<\/code>/)
  const { names } = formsOf(body).find(({ action }) => action === PAGE)!
  assert.ok(names.includes('editions_max'))
  assert.ok(!names.includes('store_name') && !names.includes('powered_by'))
  await console.submit(PAGE, filledForm(body, PAGE, { editions_max: '3' }))
})

test('what operators and the environment enter is escaped', async (t) => {
  const name = '"><script>alert(1)</script>'
  const { console } = await startShared(t)
  const { body } = await console.open(PAGE)
  await console.submit(PAGE, filledForm(body, PAGE, { store_name: name }))
  assert.doesNotMatch((await console.open(PAGE)).body, /<script>alert/)
})
