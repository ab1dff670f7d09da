import { type Static, Type } from 'typebox'
import { nameSchemas } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { LAST_MINOR } from '../../listings/fields/editor-versions.ts'
import { parseVersion } from '../../listings/fields/engine-versions.ts'
import { renditionUrl } from '../images/renditions.ts'
import { descriptionOf, downloadUrl } from '../library/rows.ts'
import { escapeBbcode, toBbcode } from '../packages/bbcode.ts'
import { licenseName, licenseUrl } from '../packages/categories.ts'
import type { EditorClient, PackageView, Version } from '../packages/package.ts'

const Text = Type.String()
export const TagData = Type.Object({ display_name: Text, slug: Text })
const asset = {
  name: Text,
  slug: Text,
  store_url: Text,
  license_type: Text,
  license_url: Text,
  reviews_score: Type.Integer(),
  thumbnail: Text,
  publisher: Type.Object({ name: Text, slug: Text, verified: Type.Boolean() }),
}
export const StoreAssetData = Type.Object(asset)
export const StoreDetailData = Type.Object({
  ...asset,
  body_bbcode: Text,
  source: Text,
  tags: Type.Array(TagData),
  media: Type.Array(Text),
  video_playback_url: Text,
  video_thumbnail_url: Text,
})
export const ReleaseData = Type.Object({
  download_url: Text,
  version: Text,
  stable: Type.Boolean(),
  min_godot_version: Text,
  max_godot_version: Text,
  changes_bbcode: Text,
})
nameSchemas({ StorePackage: StoreDetailData, StoreRelease: ReleaseData })

export const tagData = (slug: string): Static<typeof TagData> => ({
  display_name: slug.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase()),
  slug,
})

export const storeAssetData = (
  addresses: Addresses,
  offer: PackageView,
): Static<typeof StoreAssetData> => ({
  name: offer.name,
  slug: offer.vanity_name,
  store_url: offer.browse_url,
  license_type: licenseName(offer.license_kind),
  license_url: licenseUrl(offer.license_kind),
  reviews_score: offer.rating,
  thumbnail: offer.thumbnail ? renditionUrl(addresses, offer.thumbnail, 'preview') : '',
  publisher: {
    name: offer.owner_username,
    slug: offer.owner_username.toLowerCase(),
    verified: offer.owner_verified,
  },
})

export const storeDetailData = (
  addresses: Addresses,
  offer: PackageView,
): Static<typeof StoreDetailData> => ({
  ...storeAssetData(addresses, offer),
  body_bbcode: descriptionOf(offer),
  source: '',
  tags: offer.tags.map(tagData),
  media: offer.gallery.map((sha256) => renditionUrl(addresses, sha256, 'screenshot')),
  video_playback_url: offer.demo_url,
  video_thumbnail_url:
    offer.demo_url && offer.gallery[0] ? renditionUrl(addresses, offer.gallery[0], 'preview') : '',
})

/** Notes are cut off here, because converting Markdown is slow and editors show little of it. */
export const MAX_NOTES = 4000
const MAX_RELEASES = 20

/**
 * Each version once, newest first. Of a version with files for several systems, the file for the
 * client's system is chosen.
 */
export function releaseData(
  addresses: Addresses,
  offer: PackageView,
  { os }: EditorClient,
): Static<typeof ReleaseData>[] {
  const releases = [...Map.groupBy(offer.versions, ({ version }) => version).values()].slice(
    0,
    MAX_RELEASES,
  )
  return releases.map((same) => {
    const release = same.find((version) => version.os === os) ?? same[0]!
    return {
      download_url: downloadUrl(addresses, offer.asset_id, release.file_uid),
      version: release.version,
      stable: true,
      ...engineSpan(offer, release),
      changes_bbcode: changesOf(release),
    }
  })
}

/**
 * The engine versions that a build supports: from the one it was made with up to the end of the
 * listing's ranges. If it is unknown what the build was made with, only the ranges count. An open
 * end is an empty string. An end before the beginning is left open too, because a build works in
 * the version it was made with, whatever the listing says.
 */
function engineSpan({ ranges }: PackageView, { engine_version }: Version) {
  const made_with = engine_version === null ? null : parseVersion(engine_version)
  const own = made_with
    ? ranges.filter((range) => reachesInto(range, made_with.numbers[0]!))
    : ranges
  const ends = own.map(({ max_version }) => max_version)
  const begins = own.map(({ min_version }) => min_version)
  const min_godot_version = made_with
    ? minorOf(engine_version)
    : begins.includes(null)
      ? ''
      : minorOf(least(begins, 1))
  const max_godot_version = ends.includes(null) ? '' : minorOf(least(ends, -1))
  return {
    min_godot_version,
    max_godot_version:
      compareMinors(max_godot_version, min_godot_version) < 0 ? '' : max_godot_version,
  }
}

const reachesInto = ({ min_version, max_version }: PackageView['ranges'][number], major: number) =>
  majorOf(min_version, 0) <= major && major <= majorOf(max_version, LAST_MINOR)
const majorOf = (text: string | null, open: number) =>
  text === null ? open : (parseVersion(text)?.numbers[0] ?? open)
const minorOf = (text: string | null | undefined) =>
  parseVersion(text ?? '')
    ?.numbers.slice(0, 2)
    .join('.') ?? ''
const order = (text: string | null) => parseVersion(text ?? '')?.numbers ?? []
const compareMinors = (a: string | null, b: string | null) =>
  (order(a)[0] ?? 0) - (order(b)[0] ?? 0) || (order(a)[1] ?? 0) - (order(b)[1] ?? 0)
const least = (texts: (string | null)[], sign: 1 | -1) =>
  texts.toSorted((a, b) => sign * compareMinors(a, b))[0]

/** The beginning of the notes, and the first changelog items that still fit within the limit. */
function firstNotes({
  description,
  changelog_items,
}: Version): Pick<Version, 'description' | 'changelog_items'> {
  // Cutting may leave half of a surrogate pair at the end.
  const beginning = description.slice(0, MAX_NOTES).replace(/[\uD800-\uDBFF]$/, '')
  let remaining = MAX_NOTES - beginning.length
  const end = changelog_items.findIndex(({ title = '', description: text = '' }) => {
    remaining -= title.length + text.length
    return remaining < 0
  })
  return {
    description: beginning,
    changelog_items: end < 0 ? changelog_items : changelog_items.slice(0, end),
  }
}

function changesOf(version: Version): string {
  const { description, changelog_items } = firstNotes(version)
  const items = changelog_items.map(({ title = '', description: text = '' }) =>
    [title && `[b]${escapeBbcode(title)}[/b]`, toBbcode(text)]
      .filter((part) => part !== '')
      .join('\n'),
  )
  return [toBbcode(description), ...items].filter((part) => part !== '').join('\n\n')
}
