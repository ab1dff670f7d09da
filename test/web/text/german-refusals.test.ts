import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../support/app.ts'
import { makePublic, must } from '../../support/builders.ts'
import { form, type Upload } from '../../support/images.ts'
import { sha256, zip } from '../../uploads/zips.ts'
import { errorsOf } from '../browser.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

const german = { 'accept-language': 'de' }

type Fields = Record<string, string | string[]>

/** A project, and what its forms say in German about values that they refuse. */
async function startGerman(t: Parameters<typeof startDashboard>[0], asset_type: string) {
  const app = await startDashboard(t, { asset_type })
  const errors = async (part: string, fields: Fields) => {
    const { status, body } = await app.owner.send(app.at(part), fields, german)
    assert.ok(status >= 400, `${part} was not refused: ${status}`)
    return errorsOf(body).join('\n')
  }
  const pageErrors = async (fields: Fields) => errors('page', await app.pageForm(fields))
  return { ...app, errors, pageErrors }
}

test('the Page section of a mod explains refused values in German', async (t) => {
  const { listing, a, sql, pageErrors } = await startGerman(t, 'mod')
  const tool = await a.listing({ name: 'Hammer', asset_type: 'tool' })
  await makePublic(sql, tool.uid)
  const own = listing.vanity_name
  const cases: [Fields, RegExp][] = [
    [{ install_path: 'mods\\boats' }, /Schreibe den Pfad mit \/ statt \\\./],
    [{ install_path: '/mods' }, /ohne \/ am Anfang/],
    [{ install_path: 'C:/mods' }, /ohne Laufwerksbuchstaben und Doppelpunkt/],
    [{ install_path: 'mods/../..' }, /Bleibe im Ordner des Spiels/],
    [{ parent_game: own }, /kann nicht sein eigenes Hauptprodukt sein/],
    [{ parent_game: tool.vanity_name }, /Wähle ein Spiel oder eine Anwendung/],
    [{ games: tool.vanity_name }, /Ähnliche Titel sind Spiele/],
    [{ games: own }, /kann nicht sich selbst nennen/],
    [{ kind: ['uses'], game: [tool.vanity_name] }, /passt nicht zu dieser Art/],
    [{ demo_url: 'ftp://files.example/1' }, /höchstens 255 Zeichen/],
  ]
  for (const [fields, sentence] of cases)
    assert.match(await pageErrors(fields), sentence, JSON.stringify(fields))
})

test('only mods and plugins support a listing, which the form says in German', async (t) => {
  const { a, sql, pageErrors } = await startGerman(t, 'game')
  const tool = await a.listing({ name: 'Hammer', asset_type: 'tool' })
  await makePublic(sql, tool.uid)
  assert.match(
    await pageErrors({ kind: ['supports'], game: [tool.vanity_name] }),
    /Das können nur diese Arten von Einträgen: Mod, Plugin\./,
  )
})

test('the forms of settings, links and bugs explain refused values in German', async (t) => {
  const { listing, errors } = await startGerman(t, 'game')
  const edition = {
    slug: 'big',
    name: 'Groß',
    kind: 'bundle',
    price_cents: '9,99',
    sort_order: '0',
    active: 'true',
  }
  const own = listing.vanity_name
  const cases: [string, Fields, RegExp][] = [
    ['settings/editions/new', edition, /Nenne 1 bis 10 andere Einträge/],
    ['settings/editions/new', { ...edition, bundle_asset_uids: 'none' }, /nur deine anderen/],
    ['settings/editions/new', { ...edition, bundle_asset_uids: own }, /schon Teil des Pakets/],
    ['links', { store_02: 'https://gog.com:444/game' }, /Lass den Port im Link weg/],
    ['links', { store_02: 'https://shop.example/1' }, /„shop\.example“ .* gog\.com, www\.gog\.com/],
    [
      'bugs/reporter',
      { daily_cap: '9', webhook_urls: 'ftp://files.example' },
      /Gib eine https-Adresse/,
    ],
    [
      'bugs/reporter',
      { daily_cap: '9', webhook_urls: `https://a.example/${'x'.repeat(2000)}` },
      /2\.?000 Bytes/,
    ],
  ]
  for (const [part, fields, sentence] of cases)
    assert.match(await errors(part, fields), sentence, `${part} ${JSON.stringify(fields)}`)
})

test('forms with files explain a refused file in German', async (t) => {
  const { listing, at, url, post, put, patch, call, owner } = await startDashboard(t)
  const api = `/api/v1/private/games/${listing.uid}`
  const fields = { version: '9.0', os: 'linux', arch: 'x86_64', channel: 'beta' }
  const { build_id } = must(await post(`${api}/builds`, fields, listing.owner))
  const send = async (part: string, fields: Record<string, string>, files: Upload[]) => {
    const { headers, raw } = await form(fields, files)
    const { body } = await call('POST', at(part), {
      raw,
      headers: {
        ...headers,
        ...german,
        cookie: `svc_session=${listing.owner.token}`,
        accept: 'text/html',
        origin: url,
        'sec-fetch-site': 'same-origin',
      },
    })
    return errorsOf(body).join('\n')
  }
  const sendBuild = (bytes: Buffer, filename = 'game.zip') =>
    send(`builds/${build_id}/file`, { build_id, checksum: sha256(bytes) }, [
      { bytes, filename, type: 'application/zip' },
    ])
  assert.match(await sendBuild(Buffer.from('PK'), 'game.rar'), /Wähle eine \.zip-Datei\./)
  assert.match(await sendBuild(Buffer.from('PK')), /Die Zip-Datei ist beschädigt/)
  const outside = zip([{ name: '../game.exe' }])
  assert.match(await sendBuild(outside), /Der Name „\.\.\/game\.exe“ in der Zip-Datei/)
  assert.match(await send('images/add', { kind: 'gallery' }, []), /Wähle ein Bild\./)

  // A script asks for the sentence of the reasons that the API named.
  const sentence = async ({ body: { error } }: Answer) => {
    const { message, reasons } = error
    const query = new URLSearchParams({ message, reasons: JSON.stringify(reasons) })
    return (await owner.open(`/help/refusal-text?${query}`, german)).body.text
  }
  const order = await put(`${api}/media/order`, { order: ['none'] }, listing.owner)
  assert.equal(order.body.error.message, 'order: "none" is not in the gallery')
  assert.match(await sentence(order), /^Die Liste hat sich inzwischen geändert\./)
  const published = await patch(api, { visibility: 'public' }, listing.owner)
  assert.match(await sentence(published), /^Die Prüfung des Eintrags hat \d+ Fehler gefunden\.$/)
})
