import { type EditorPackage, editorPackage } from '../../builds/builds/editor-package.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import {
  chooseVersion,
  type Editor,
  firstMinors,
  isFor,
} from '../../listings/fields/editor-versions.ts'
import { parseVersion } from '../../listings/fields/engine-versions.ts'
import { pageUrl } from '../../listings/page/url.ts'
import type { PackageRow, VersionRow } from './queries.ts'

export type Version = Omit<VersionRow, 'created_at'> & { created_at: Date }
/** The editor and system of the client, as far as known, and whether it is signed in. */
export type EditorClient = { editor: Editor | null; os: string | null; signed_in: boolean }
/** A package as one editor sees it. */
export type PackageView = Omit<PackageRow, 'versions' | 'ranges'> &
  EditorPackage<Version> & {
    chosen: Version
    needs: 'none' | 'sign_in' | 'purchase'
    browse_url: string
  }

/** The names that editors use for operating systems at the end of their User-Agent. */
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

/**
 * Undefined if it is not a package or has no version for the editor. Of a version with files for
 * several systems, the file for the client's system is chosen.
 */
export function viewPackage(
  addresses: Addresses,
  row: PackageRow,
  { editor, os, signed_in }: EditorClient,
): PackageView | undefined {
  const versions = row.versions.map((version) => ({
    ...version,
    created_at: new Date(version.created_at),
  }))
  const installable = editorPackage(row.asset_type, row.ranges, versions)
  const newest = installable && chooseVersion(installable.versions, installable.ranges, editor)
  if (!newest) return undefined
  const own = installable.versions.filter(
    (version) => version.version === newest.version && version.os === os,
  )
  const chosen = chooseVersion(own, installable.ranges, editor) ?? newest
  return {
    ...row,
    ...installable,
    chosen,
    needs: downloadRequirement(row, signed_in),
    browse_url: pageUrl(addresses, row),
  }
}

/**
 * Like `viewPackage`, but falls back to the newest version if none supports the editor, because the
 * client requested this package by its number or name.
 */
export const viewPackageOrNewest = (addresses: Addresses, row: PackageRow, client: EditorClient) =>
  viewPackage(addresses, row, client) ?? viewPackage(addresses, row, { ...client, editor: null })

/** What the caller must do before a download. The download checks it again. */
function downloadRequirement(
  { is_manager, has_copy, price_cents, editions, anonymous_downloads }: PackageRow,
  signed_in: boolean,
): PackageView['needs'] {
  if (is_manager || has_copy) return 'none'
  if (price_cents > 0) return 'purchase'
  return signed_in || (anonymous_downloads && editions === 0) ? 'none' : 'sign_in'
}

/** The editors of one version: from its own engine version, or else from the listing. */
const firstMinorsOf = ({ ranges }: PackageView, version: Version) =>
  firstMinors(version.engine_version === null ? ranges : [], [version])

/** All versions for an editor. If only the listing states support, the version it would be sent. */
export function versionsFor(offer: PackageView, editor: Editor): Version[] {
  const fitting = offer.versions.filter((version) => isFor(firstMinorsOf(offer, version), editor))
  if (fitting.length) return fitting
  const chosen = chooseVersion(offer.versions, offer.ranges, editor)
  return offer.versions.filter(({ uid }) => uid === chosen?.uid)
}

/** The engine version of the chosen build, or else of the listing. */
export function engineOf({ chosen, ranges }: PackageView): string {
  const text =
    chosen.engine_version ??
    ranges
      .map(({ max_version, min_version }) => max_version ?? min_version)
      .find((version) => version !== null) ??
    ''
  return parseVersion(text)?.numbers.slice(0, 2).join('.') ?? ''
}
