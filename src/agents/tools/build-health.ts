import { Type } from 'typebox'
import { listOwnBuilds, readOwnBuild } from '../../builds/builds/routes.ts'
import { Nullable, OneOf } from '../../core/http/route.ts'
import { type LaunchBand, launchBands } from '../../listings/fields/launch-bands.ts'
import { bands } from '../../telemetry/health/bands.ts'
import {
  type Build,
  BuildNameData,
  buildName,
  type Composed,
  mapData,
  newestBuilds,
} from './composed-tools.ts'

const count = Type.Integer()
const Band = OneOf(launchBands)

const meanings = Object.fromEntries(
  launchBands.map((name) => [name, bands[name].explain('the build')]),
) as Record<LaunchBand, string>

const healthOf = (build: Build) => {
  const { band, devices, boot_ok, crash_on_boot, median_session_seconds } = build.health
  return { ...buildName(build), band, devices, boot_ok, crash_on_boot, median_session_seconds }
}

/** The launch health of one build or of the newest, and what the public sees. */
export const healthOfBuilds: Composed = {
  calls: [listOwnBuilds, readOwnBuild],
  output: Type.Object({
    public_band: Band,
    band_meanings: Type.Object(
      Object.fromEntries(launchBands.map((name) => [name, Type.String()])),
    ),
    builds: Type.Array(
      Type.Object({
        ...BuildNameData,
        band: Band,
        devices: count,
        boot_ok: count,
        crash_on_boot: count,
        median_session_seconds: Nullable(count),
      }),
    ),
  }),
  async run(call, { uid, build_id }) {
    if (build_id === undefined)
      return mapData(newestBuilds(call, { uid }), ({ builds, public_band }) => ({
        public_band,
        band_meanings: meanings,
        builds: builds.map(healthOf),
      }))
    const build = await call(readOwnBuild, { uid, build_id })
    if (!build.ok) return build
    return mapData(call(listOwnBuilds, { uid, page_size: 1 }), ({ public_band }) => ({
      public_band,
      band_meanings: meanings,
      builds: [healthOf(build.data)],
    }))
  },
}
