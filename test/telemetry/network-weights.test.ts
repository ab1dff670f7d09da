import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchBand } from '../../src/telemetry/health/bands.ts'
import { type NetworkGroup, weighByNetwork } from '../../src/telemetry/health/network-weights.ts'
import { must, type Person, refused } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { type BuildOf, device, startTelemetryApp } from './fixtures.ts'

const group = (networks: number, devices: number, boot_ok = devices): NetworkGroup => ({
  networks,
  devices,
  boot_ok,
  crash_on_boot: devices - boot_ok,
})
const bandOf = (...groups: NetworkGroup[]) => {
  const sum = (name: 'devices' | 'boot_ok' | 'crash_on_boot') =>
    groups.reduce((total, each) => total + each[name] * each.networks, 0)
  const launches = {
    devices: sum('devices'),
    boot_ok: sum('boot_ok'),
    crash_on_boot: sum('crash_on_boot'),
  }
  return launchBand(launches, weighByNetwork(groups))
}

test('one network cannot decide the band of a build with many', () => {
  const players = group(300, 1)
  assert.equal(bandOf(players), 'excellent')
  assert.equal(bandOf(players, group(1, 10_000, 0)), 'mixed', 'forged crashes')
  assert.equal(bandOf(group(300, 1, 0), group(1, 10_000)), 'problematic', 'forged starts')
})

test('networks are weighed from 100 devices on', () => {
  assert.equal(bandOf(group(80, 1), group(1, 19, 0)), 'problematic')
  assert.equal(bandOf(group(80, 1), group(1, 20, 0)), 'mixed')
})

test('a build that one network runs has the band of its devices', () => {
  assert.equal(bandOf(group(1, 500)), 'excellent')
  assert.equal(bandOf(group(1, 500, 450)), 'mixed')
  assert.equal(bandOf(group(1, 19)), 'unrated')
})

const groups = fc
  .array(
    fc.record({
      networks: fc.integer({ min: 1, max: 60 }),
      devices: fc.integer({ min: 1, max: 3000 }),
      started: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) =>
    rows.map(({ networks, devices, started }) =>
      group(networks, devices, Math.floor(devices * started)),
    ),
  )
const EPSILON = 1e-6

test('property: no network has more than 5 %, or all have the same below 20 networks', () => {
  fc.assert(
    fc.property(groups, (all) => {
      const total = all.reduce((sum, { devices, networks }) => sum + devices * networks, 0)
      const networks = all.reduce((sum, each) => sum + each.networks, 0)
      const weighed = weighByNetwork(all)
      assert.ok(weighed.devices <= total + EPSILON)
      assert.ok(weighed.boot_ok + weighed.crash_on_boot <= weighed.devices * (1 + EPSILON))
      if (total < 100) return assert.equal(weighed.devices, total)
      // What one network of each group counts for: without it, the sum is that much smaller.
      const shares = all.map((each) => {
        const marked = { ...each, networks: 1, boot_ok: each.devices, crash_on_boot: 0 }
        const others = all.flatMap((other) => [
          { ...other, networks: other === each ? other.networks - 1 : other.networks, boot_ok: 0 },
        ])
        const { boot_ok, devices } = weighByNetwork([...others, marked])
        return boot_ok / devices
      })
      const limit = Math.max(0.05, 1 / networks)
      for (const share of shares) assert.ok(share <= limit + EPSILON, `${share} of ${networks}`)
    }),
  )
})

test('property: devices that one network adds move a rate by at most 5 points', () => {
  const spread = fc.array(
    fc.record({ networks: fc.integer({ min: 25, max: 200 }), devices: fc.constant(1) }),
    { minLength: 2, maxLength: 2 },
  )
  fc.assert(
    fc.property(spread, fc.integer({ min: 1, max: 100_000 }), ([good, bad], forged) => {
      const honest = [group(good!.networks + 75, 1), group(bad!.networks, 1, 0)]
      const rate = ({ boot_ok, devices }: { boot_ok: number; devices: number }) => boot_ok / devices
      const before = rate(weighByNetwork(honest))
      for (const boot_ok of [0, forged]) {
        const after = rate(weighByNetwork([...honest, group(1, forged, boot_ok)]))
        assert.ok(Math.abs(after - before) <= 0.05 + EPSILON, `${before} became ${after}`)
      }
    }),
  )
})

test('launch health weighs devices by the network of their first event', async (t) => {
  const app = await startTelemetryApp(t, { PROXY_HOPS: '1' })
  const listing = await app.a.listing()
  const to: BuildOf = await app.build(listing)
  const launch = async (event: string, count: number, address: string) => {
    for (let sent = 0; sent < count; sent += 100) {
      const events = Array.from({ length: Math.min(100, count - sent) }, () => ({
        event,
        device_uid: device(),
      }))
      must(await app.send(to, events, { 'x-forwarded-for': address }))
    }
  }
  for (let n = 0; n < 40; n++) await launch('boot_ok', 3, `203.0.${n}.7`)
  assert.equal((await app.healthOf(listing, to)).band, 'excellent')
  // The same /24 from two addresses.
  await launch('crash', 200, '198.51.100.1')
  await launch('crash', 100, '198.51.100.2')
  const attacked = await app.healthOf(listing, to)
  assert.deepEqual([attacked.devices, attacked.crash_on_boot, attacked.band], [420, 300, 'mixed'])
  const [stored] = await app.sql<{ networks: number }[]>`
    select count(distinct network)::int as networks
    from build_devices`
  assert.equal(stored!.networks, 41)
})

test('a token of a player signs its devices; any other token is ignored', async (t) => {
  const app = await startTelemetryApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const other = await app.a.listing({ owner: listing.owner })
  const to: BuildOf = await app.build(listing)
  const tokenFor = async (uid: string) =>
    must(await app.post(`/api/v1/private/games/${uid}/player-token`, undefined, listing.owner))
      .token as string
  const signed = await tokenFor(listing.uid)
  const boot = (device_uid = device()) => [{ event: 'boot_ok', device_uid }]
  const send = (token: string, events = boot()) =>
    app.send(to, events, { authorization: `Bearer ${token}` })
  for (const token of [await tokenFor(other.uid), 'nonsense', `${signed.slice(0, -4)}AAAA`])
    must(await send(token))
  assert.equal((await app.healthOf(listing, to)).signed_devices, 0)
  const known = device()
  must(await app.send(to, boot(known)))
  must(await send(signed, boot(known)))
  must(await send(signed))
  const health = await app.healthOf(listing, to)
  assert.deepEqual([health.devices, health.signed_devices], [5, 2])

  const switchUrl = `/api/v1/private/games/${listing.uid}/signed-events`
  assert.deepEqual(must(await app.get(switchUrl, listing.owner)), { required: false })
  const change = (required: unknown, who: Person = listing.owner) =>
    app.put(switchUrl, { required }, who)
  const counted = async () => {
    const { devices, signed_devices } = await app.healthOf(listing, to)
    return [devices, signed_devices]
  }
  assert.deepEqual(must(await change(true)), { required: true })
  assert.deepEqual(await counted(), [2, 2])
  must(await change(true))
  assert.deepEqual(must(await app.get(switchUrl, listing.owner)), { required: true })
  must(await change(false))
  assert.deepEqual(await counted(), [5, 2], 'unsigned events were kept')
  assert.deepEqual(refused(await change('yes')), [400, 4000])
  assert.deepEqual(refused(await change(true, await app.a.developer())), [404, 4040])
})
