import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { day, startPolicies } from '../../accounts/policies/fixtures.ts'
import { must } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'
import { browser, errorsOf, filledForm, formsOf } from '../browser.ts'
import { openTab, startChromium } from '../chromium.ts'
import { signedIn } from '../dashboard-fixtures.ts'
import { layoutProblems } from '../layouts.ts'

/** For tests that publish nothing. */
const sharedPolicies = sharedInFile(startPolicies)

const root = join(import.meta.dirname, '../../..')
const EDITOR = '/operator/policies/terms'
const kinds = ['terms', 'privacy', 'rules', 'imprint', 'about']

test('an operator publishes a policy from a template, after filling it in', async (t) => {
  const app = await startPolicies(t, { STORE_NAME: 'Harbor' })
  const operator = signedIn(app, app.operator)
  const opened = await operator.open(`${EDITOR}?template=en`)
  assert.equal(opened.status, 200)
  const form = filledForm(opened.body, EDITOR, {})
  const text = String(form.text)
  assert.match(text, /when you use Harbor at http/)
  const answer = await operator.send(EDITOR, form)
  assert.equal(answer.status, 400)
  assert.match(errorsOf(answer.body).join(), /Replace or remove “\[\[Template/)
  assert.deepEqual(filledForm(answer.body, EDITOR, {}).text, [text])
  const complete = text.replaceAll(/\[\[[^\]]*\]\]/g, 'Ada')
  const page = await operator.submit(EDITOR, { ...form, text: complete })
  assert.match(page.body, /Version 1 is published/)
  assert.match((await app.get('/terms')).body, /<h2>1\. What the store is<\/h2>/)
  const again = await operator.send(EDITOR, { ...form, text: complete })
  assert.equal(again.status, 409)
  assert.match(errorsOf(again.body).join(), /Another version was published meanwhile/)
})

test('the editor starts from the newest version and previews without publishing', async (t) => {
  const app = await startPolicies(t)
  await app.published('terms', { text: 'One < two', effective_from: day(5) })
  const operator = signedIn(app, app.operator)
  const form = filledForm((await operator.open(EDITOR)).body, EDITOR, {})
  assert.deepEqual(
    [form.text, form.previous_version, form.effective_from],
    [['One < two'], ['1'], [day(0)]],
  )
  const preview = await operator.send(`${EDITOR}/preview`, { text: '# New\n\n<b>three</b>' })
  assert.equal(preview.status, 200)
  assert.match(preview.body, /<h2>New<\/h2>\s*<p>&lt;b&gt;three/)
  assert.equal(must(await app.get('/api/v1/public/policies/terms')).text, 'One < two')
})

test('only operators open the pages of policies', async (t) => {
  const app = await sharedPolicies(t)
  const person = signedIn(app, await app.a.verified())
  for (const path of ['/operator/policies', EDITOR]) {
    assert.equal((await person.open(path)).status, 404, path)
    assert.match((await browser(app).open(path)).headers.location!, /^\/login\?next=/, path)
    assert.equal((await signedIn(app, app.operator).open(path)).status, 200, path)
  }
  assert.equal((await person.send(EDITOR, { text: 'x' })).status, 404)
  assert.equal((await person.send(`${EDITOR}/preview`, { text: 'x' })).status, 404)
  assert.equal((await signedIn(app, app.operator).open('/operator/policies/other')).status, 404)
})

test('every page has a template in every language, marked as one', async (t) => {
  const files = globSync('policies/*/*.md', { cwd: root })
  assert.deepEqual(
    files.sort(),
    ['de', 'en'].flatMap((language) =>
      [...kinds].sort().map((kind) => `policies/${language}/${kind}.md`),
    ),
  )
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    assert.match(text, /^> \[\[(?:Template|Vorlage): .*(?:lawyer|Anwalt)/, file)
    assert.doesNotMatch(text, /Slipway/, file)
  }
  const app = await sharedPolicies(t)
  for (const kind of kinds)
    for (const language of ['en', 'de']) {
      const path = `/operator/policies/${kind}`
      const opened = await signedIn(app, app.operator).open(`${path}?template=${language}`)
      const { text } = filledForm(opened.body, path, {})
      assert.doesNotMatch(String(text), /\{\{/, `${kind} ${language}`)
      assert.ok(formsOf(opened.body).length > 1)
    }
})

test('pages of policies pass axe at two widths and in both themes', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const app = await startPolicies(t, { STORE_NAME: 'Harbor' })
  for (const kind of kinds) {
    const text = readFileSync(join(root, `policies/en/${kind}.md`), 'utf8')
    await app.published(kind, { text: text.replaceAll(/\[\[[^\]]*\]\]/g, 'Ada Lovelace') })
  }
  await app.published('rules', { text: 'Be kind.', summary: 'Shorter.', effective_from: day(9) })
  const { token } = app.operator
  const { page, problems } = await openTab(await startChromium(t), app.url, { token })
  const layout_problems: string[] = []
  for (const path of [
    ...kinds.map((kind) => `/${kind}`),
    '/rules?version=2',
    '/operator/policies',
    '/operator/policies/privacy',
  ])
    layout_problems.push(...(await layoutProblems(page, path)))
  assert.deepEqual(layout_problems, [])
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await page.fill('[name=text]', '# Fresh\n\nText')
    await page.click('button[data-preview]')
    await page.waitForSelector('.preview-dialog[open] h2')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.preview-dialog', { state: 'hidden' })
  }
  assert.deepEqual(problems, [])
})
