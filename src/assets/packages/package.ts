import { type EditorPackage, editorPackage } from '../../builds/builds/editor-package.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import {
  chooseVersion,
  type Editor,
  firstMinors,
  isFor,
} from '../../listings/fields/editor-versions.ts'
import { parseVersion } from '../../listings/fields/versions.ts'
import { pageUrl } from '../../listings/page/url.ts'
import type { PackageRow, VersionRow } from './queries.ts'

export type Version = Omit<VersionRow, 'created_at'> & { created_at: Date }
/** Who is asking: which editor, on which system, as far as that is known, and whether they said who they are. */
export type Asker = { editor: Editor | null; os: string | null; signed_in: boolean }
/** A package as one editor sees it. */
export type Offer = Omit<PackageRow, 'versions' | 'ranges'> &
  EditorPackage<Version> & {
    chosen: Version
    needs: 'none' | 'sign_in' | 'purchase'
    browse_url: string
  }

/** What editors call the system they run on, at the end of their user agent. */
const systems: Record<string, string> = {
  windows: 'windows',
  uwp: 'windows',
  x11: 'linux',
  linux: 'linux',
  linuxbsd: 'linux',
  server: 'linux',
  osx: 'macos',
  macos: 'macos',
  android: 'android',
  ios: 'ios',
  html5: 'web',
  web: 'web',
}
export const systemOf = (user_agent: string | undefined) =>
  systems[/\(([a-z0-9]{1,16})\)/i.exec(user_agent ?? '')?.[1]?.toLowerCase() ?? ''] ?? null

/** Nothing where it is no package, or has no version for the editor. Of one version for several systems, the one of the asker's. */
export function offer(
  addresses: Addresses,
  row: PackageRow,
  { editor, os, signed_in }: Asker,
): Offer | undefined {
  const versions = row.versions.map((version) => ({
    ...version,
    created_at: new Date(version.created_at),
  }))
  const found = editorPackage(row.asset_type, row.ranges, versions)
  const newest = found && chooseVersion(found.versions, found.ranges, editor)
  if (!newest) return undefined
  const own = found.versions.filter((one) => one.version === newest.version && one.os === os)
  const chosen = chooseVersion(own, found.ranges, editor) ?? newest
  return {
    ...row,
    ...found,
    chosen,
    needs: needsOf(row, signed_in),
    browse_url: pageUrl(addresses, row),
  }
}

/** As `offer`, and the newest version where none is for the editor: someone who has its number asks for it all the same. */
export const offerAny = (addresses: Addresses, row: PackageRow, asker: Asker) =>
  offer(addresses, row, asker) ?? offer(addresses, row, { ...asker, editor: null })

/** What the caller must do before they can download. Whether they may is decided again when they do. */
function needsOf(
  { runs_it, owns_it, price_cents, editions, anonymous_downloads }: PackageRow,
  signed_in: boolean,
): Offer['needs'] {
  if (runs_it || owns_it) return 'none'
  if (price_cents > 0) return 'purchase'
  return signed_in || (anonymous_downloads && editions === 0) ? 'none' : 'sign_in'
}

/** What one version works with: what it was made with, else what the listing says of all. */
const firstMinorsOf = ({ ranges }: Offer, version: Version) =>
  firstMinors(version.engine_version === null ? ranges : [], [version])

/** All versions for an editor; where only the listing says that it works, the one that this editor gets. */
export function versionsFor(offer: Offer, editor: Editor): Version[] {
  const fitting = offer.versions.filter((one) => isFor(firstMinorsOf(offer, one), editor))
  if (fitting.length) return fitting
  const chosen = chooseVersion(offer.versions, offer.ranges, editor)
  return offer.versions.filter(({ uid }) => uid === chosen?.uid)
}

/** The engine version a package is shown with: what it was made with, else what its listing says. */
export function engineOf({ chosen, ranges }: Offer): string {
  const text =
    chosen.engine_version ??
    ranges
      .map(({ max_version, min_version }) => max_version ?? min_version)
      .find((one) => one !== null) ??
    ''
  return parseVersion(text)?.numbers.slice(0, 2).join('.') ?? ''
}
