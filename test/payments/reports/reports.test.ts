import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { csvText } from '../../../src/web/dashboard/insights/csv.ts'
import { must, refused } from '../../support/builders.ts'
import { startStore } from '../../web/fixtures.ts'

const GAMES = '/api/v1/private/games'
const DAY = 86_400_000
type Entries = Record<'buyer' | 'seller' | 'store' | 'provider', number>

async function startWithOrders(t: Parameters<typeof startStore>[0]) {
  const app = await startStore(t)
  const { a, sql } = app
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const buyer = await a.verified()
  /** An order with the entries of its ledger, paid some days ago. */
  async function sell(amount_minor: number, fields: object = {}, entries: Partial<Entries> = {}) {
    const uid = randomUUID()
    const days_ago = 'days_ago' in fields ? Number(fields.days_ago) : 0
    const { days_ago: _, ...columns } = { days_ago, ...fields }
    const order = {
      uid,
      buyer_uid: buyer.uid,
      seller_uid: listing.owner.uid,
      game_uid: listing.uid,
      state: 'paid',
      provider: 'manual',
      title: 'Saltmarsh',
      seller: sql.json({}),
      currency: 'USD',
      list_minor: amount_minor,
      amount_minor,
      tax_minor: 0,
      fee_minor: 0,
      expires_at: new Date(),
      paid_at: new Date(Date.now() - days_ago * DAY),
      ...columns,
    }
    await sql`insert into orders ${sql(order)}`
    const transaction_uid = randomUUID()
    const fact = { uid: transaction_uid, fact: uid, order_uid: uid, kind: 'payment' }
    await sql`insert into ledger_transactions ${sql({ ...fact, currency: order.currency })}`
    const sums = { buyer: -amount_minor, seller: amount_minor, ...entries }
    const rows = Object.entries(sums).map(([account, minor], position) => ({
      transaction_uid,
      position,
      account,
      amount_minor: minor,
    }))
    await sql`insert into ledger_entries ${sql(rows)}`
    return uid
  }
  return { ...app, listing, owner: listing.owner, buyer, sell }
}

test('a developer reads what a listing sold, by currency, day, edition and reduction', async (t) => {
  const { listing, owner, sell, get, a, signedIn, buyer } = await startWithOrders(t)
  const url = `${GAMES}/${listing.uid}`
  const fees = { seller: 1700, store: 200, provider: 100 }
  await sell(2000, { tax_minor: 300, country: 'DE', discovery: 'search' }, fees)
  await sell(
    2000,
    { days_ago: 3, edition_name: 'Deluxe', sale_uid: randomUUID(), country: 'DE' },
    fees,
  )
  await sell(1500, { currency: 'JPY', coupon_uid: randomUUID() })
  await sell(9900, { days_ago: 31 })
  await sell(
    500,
    { state: 'refunded', refunded_minor: 500, tax_minor: 80 },
    { buyer: -1, seller: 1 },
  )
  await sell(700, { state: 'open', paid_at: null })
  const report = must(await get(`${url}/sales-report?days=30`, owner))
  const [dollars, yen] = report.totals
  assert.deepEqual(dollars, {
    currency: 'USD',
    orders: 3,
    gross_minor: 4500,
    refunded_minor: 500,
    disputed_minor: 0,
    tax_minor: 300,
    fee_minor: 400,
    processing_minor: 200,
    net_minor: 3401,
  })
  assert.deepEqual([yen.currency, yen.orders, yen.net_minor], ['JPY', 1, 1500])
  const today = new Date().toISOString().slice(0, 10)
  assert.deepEqual(
    report.by_day
      .filter((row: any) => row.day === today)
      .map((row: any) => row.orders)
      .sort(),
    [1, 2],
  )
  const deluxe = report.by_edition.find((row: any) => row.edition === 'Deluxe')
  assert.deepEqual([deluxe.orders, deluxe.net_minor], [1, 1700])
  assert.deepEqual(report.by_reduction.map((row: any) => [row.reduction, row.orders]).sort(), [
    ['coupon', 1],
    ['none', 2],
    ['sale', 1],
  ])
  assert.deepEqual(
    report.by_country.map((row: any) => [row.country, row.currency, row.orders]).sort(),
    [
      [null, 'JPY', 1],
      [null, 'USD', 1],
      ['DE', 'USD', 2],
    ],
  )
  assert.deepEqual(
    report.by_discovery.map((row: any) => [row.discovery, row.currency, row.net_minor]).sort(),
    [
      [null, 'JPY', 1500],
      [null, 'USD', 1701],
      ['search', 'USD', 1700],
    ],
  )
  assert.equal(must(await get(`${url}/sales-report?days=40`, owner)).totals[0].orders, 4)
  const stranger = await a.developer()
  for (const path of ['sales-report', 'sold-orders'])
    assert.deepEqual(refused(await get(`${url}/${path}`, stranger)), [404, 4040])
  const { key } = await a.key('agent', owner, ['mcp:read'])
  assert.equal((await get(`${url}/sales-report`, { token: key })).status, 403)

  const browser = signedIn(owner)
  const base = `/dashboard/${listing.vanity_name}/revenue`
  const { body, status } = await browser.open(base)
  assert.equal(status, 200)
  assert.match(body, /\$45\.00/)
  assert.match(body, /¥1,500/)
  const csv = await browser.open(`${base}/csv/orders?days=30`)
  assert.match(csv.headers['content-type']!, /text\/csv/)
  assert.match(csv.body, /Deluxe,paid,DE,,USD,20\.00,20\.00,0\.00,0\.00,0\.00,2\.00,17\.00/)
  assert.ok(!csv.body.includes(buyer.uid) && !csv.body.includes(buyer.username))
  assert.match((await browser.open(`${base}/csv/daily?days=30`)).body, new RegExp(today))
  assert.match(body, /Germany/)
  assert.match(body, /Unknown/)
  const countries = await browser.open(`${base}/csv/countries?days=30`)
  assert.match(countries.body, /^DE,USD,2,40\.00,0\.00,0\.00,3\.00,4\.00,2\.00,34\.00\r?$/m)
  const channels = await browser.open(`${base}/csv/discovery?days=30`)
  assert.match(channels.body, /^search,USD,1,20\.00/m)
})

test('operators read fees, disputes and a tax report by period, seller and country', async (t) => {
  const { sell, get, a, sql, signedIn, owner } = await startWithOrders(t)
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const OPERATIONS = '/api/v1/private/operations'
  const fees = { seller: 1800, store: 200 }
  const in_june = { paid_at: new Date('2025-06-30T23:59:59Z'), tax_minor: 319, country: 'FR' }
  await sell(2000, in_june, fees)
  await sell(2000, { paid_at: new Date('2025-07-01T00:00:00Z') }, fees)
  await sell(2000, { paid_at: new Date('2024-12-31T23:59:59Z') }, fees)
  const uid = await sell(1000, { state: 'disputed' }, { seller: 900, store: 100 })
  const report = must(await get(`${OPERATIONS}/sales-report`, operator))
  assert.deepEqual([report.totals[0].orders, report.totals[0].fee_minor], [1, 100])
  assert.deepEqual(
    report.by_seller.map((row: any) => [row.seller, row.currency, row.fee_minor]),
    [[owner.username, 'USD', 100]],
  )
  assert.deepEqual(
    report.disputes.map((row: any) => [row.uid, row.seller]),
    [[uid, owner.username]],
  )
  const { rows } = must(await get(`${OPERATIONS}/tax-report?year=2025`, operator))
  assert.deepEqual(
    rows.map((row: any) => [row.period, row.seller, row.country, row.gross_minor, row.tax_minor]),
    [
      ['2025-06', owner.username, 'FR', 2000, 319],
      ['2025-07', owner.username, null, 2000, 0],
    ],
  )
  const periodsOf = async (period: string) => {
    const path = `${OPERATIONS}/tax-report?year=2025&period=${period}`
    return must(await get(path, operator)).rows.map((row: any) => row.period)
  }
  assert.deepEqual(await periodsOf('quarter'), ['2025-Q2', '2025-Q3'])
  assert.deepEqual(await periodsOf('year'), ['2025', '2025'], 'one row for each country')
  for (const path of ['sales-report', 'tax-report?year=2025'])
    assert.deepEqual(refused(await get(`${OPERATIONS}/${path}`, owner)), [403, 4030])
  const console = signedIn(operator)
  assert.match((await console.open('/operator/sales-report')).body, /Saltmarsh/)
  const csv = await console.open('/operator/sales-report/tax/2025?period=month')
  assert.match(
    csv.body,
    new RegExp(`2025-06,${owner.username},FR,USD,1,20\\.00,0\\.00,0\\.00,3\\.19,2\\.00`),
  )
})

test('reports take off the tax of what went back, and show disputes and negative sums', async (t) => {
  const { sql, get, sell, listing, owner, signedIn } = await startWithOrders(t)
  await sell(1001, { tax_minor: 151, refunded_minor: 500 })
  const uid = await sell(2000, { tax_minor: 300, state: 'disputed' })
  const transaction_uid = randomUUID()
  const fact = { uid: transaction_uid, fact: `dispute:${uid}`, order_uid: uid, kind: 'dispute' }
  await sql.begin(async (tx) => {
    await tx`insert into ledger_transactions ${tx({ ...fact, currency: 'USD' })}`
    const rows = [
      { transaction_uid, position: 0, account: 'buyer', amount_minor: 2000 },
      { transaction_uid, position: 1, account: 'seller', amount_minor: -3500 },
      { transaction_uid, position: 2, account: 'provider', amount_minor: 1500 },
    ]
    await tx`insert into ledger_entries ${tx(rows)}`
  })
  const { totals } = must(await get(`${GAMES}/${listing.uid}/sales-report`, owner))
  // 151 * 501 / 1001 is 75.6; all of the disputed tax is gone.
  assert.deepEqual([totals[0].tax_minor, totals[0].disputed_minor], [76, 2000])
  const { orders } = must(await get(`${GAMES}/${listing.uid}/sold-orders`, owner))
  const disputed = orders.find((row: any) => row.uid === uid)
  assert.deepEqual(
    [disputed.tax_minor, disputed.disputed_minor, disputed.net_minor],
    [0, 2000, -1500],
  )
  const csv = await signedIn(owner).open(`/dashboard/${listing.vanity_name}/revenue/csv/orders`)
  assert.match(csv.body, /tax,refunded,disputed,fee,net\r\n/)
  assert.match(csv.body, /,20\.00,0\.00,0\.00,20\.00,0\.00,-15\.00\r\n/)
})

test('CSV cells that a spreadsheet would run get an apostrophe, numbers do not', () => {
  const line = (cell: string | number) => csvText([[cell]]).trimEnd()
  for (const number of ['-1.50', '-3', '0.00']) assert.equal(line(number), number)
  assert.equal(line(-7), '-7')
  for (const text of ['-1+2', '-', '--1', '-1.', '=1', '+1', '@x', '-1.5e3', '-1 '])
    assert.equal(line(text), `'${text}`.trimEnd())
})
