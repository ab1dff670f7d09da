import { type Static, Type } from 'typebox'
import { nameSchemas, OneOf } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { renditionUrl } from '../images/renditions.ts'
import { bbcodeLink, escapeBbcode, toBbcode } from '../packages/bbcode.ts'
import { findCategory, licenseName } from '../packages/categories.ts'
import { engineOf, type PackageView } from '../packages/package.ts'
import { LIBRARY } from '../protocols.ts'

const Text = Type.String()
/** Editors expect numbers as strings. */
const Digits = Type.String({ pattern: '^\\d+$' })
const support = ['community'] as const

const row = {
  asset_id: Digits,
  title: Text,
  author: Text,
  author_id: Digits,
  category: Text,
  category_id: Digits,
  godot_version: Text,
  rating: Digits,
  cost: Text,
  support_level: OneOf(support),
  icon_url: Text,
  version: Digits,
  version_string: Text,
  modify_date: Text,
  anonymous_download: Type.Boolean(),
  download_requires: OneOf(['none', 'sign_in', 'purchase']),
  price_cents: Type.Integer(),
  currency: Type.Literal('USD'),
}
export const RowData = Type.Object(row)
export const DetailData = Type.Object({
  ...row,
  type: OneOf(['addon', 'project']),
  description: Text,
  download_provider: Text,
  download_commit: Text,
  download_url: Text,
  download_hash: Text,
  browse_url: Text,
  issues_url: Text,
  searchable: Digits,
  previews: Type.Array(
    Type.Object({
      preview_id: Digits,
      type: OneOf(['image', 'video']),
      link: Text,
      thumbnail: Text,
    }),
  ),
})
nameSchemas({ EditorPackage: DetailData })
export type Row = Static<typeof RowData>
export type Detail = Static<typeof DetailData>

const image = (
  addresses: Addresses,
  sha256: string | null | undefined,
  kind: 'icon' | 'preview' | 'screenshot',
) => (sha256 ? renditionUrl(addresses, sha256, kind) : '')

/** The time in UTC, without fractions, as the protocol defines it. */
const dateText = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

export function rowData(addresses: Addresses, offer: PackageView): Row {
  const { chosen } = offer
  const category = findCategory(offer.category)
  return {
    asset_id: String(offer.asset_id),
    title: offer.name,
    author: offer.owner_username,
    author_id: String(offer.author_id),
    category: category.name,
    category_id: category.id,
    godot_version: engineOf(offer),
    rating: String(offer.rating),
    cost: licenseName(offer.license_kind),
    support_level: support[0],
    icon_url: image(addresses, offer.thumbnail, 'icon'),
    version: String(chosen.number),
    version_string: chosen.version,
    modify_date: dateText(offer.updated_at),
    anonymous_download:
      offer.anonymous_downloads && offer.price_cents === 0 && offer.editions === 0,
    download_requires: offer.needs,
    price_cents: offer.price_cents,
    currency: 'USD',
  }
}

/** The URL names the file, so that its hash matches even after a newer release. */
export const downloadUrl = ({ base_url }: Addresses, asset_id: number, file_uid: string) =>
  `${base_url}${LIBRARY}/asset/${asset_id}/download?file=${file_uid}`

export function detailData(addresses: Addresses, offer: PackageView): Detail {
  const { chosen, browse_url } = offer
  return {
    ...rowData(addresses, offer),
    type: findCategory(offer.category).kind,
    description: descriptionOf(offer),
    download_provider: 'Custom',
    download_commit: chosen.version,
    download_url: downloadUrl(addresses, offer.asset_id, chosen.file_uid),
    download_hash: chosen.checksum,
    browse_url,
    issues_url: browse_url,
    searchable: '1',
    previews: previewsOf(addresses, offer),
  }
}

const notes = {
  sign_in: 'This package needs an account. Get it from its store page, then install it here:',
  purchase: 'This package is for sale. Buy it on the store page:',
}

/** Begins with what the caller has to do before the download. */
export function descriptionOf({ needs, browse_url, tagline, description }: PackageView): string {
  const note =
    needs === 'none'
      ? []
      : [`[b]${escapeBbcode(notes[needs])}[/b] ${bbcodeLink(browse_url, browse_url)}`]
  return [...note, escapeBbcode(tagline), toBbcode(description)]
    .filter((part) => part !== '')
    .join('\n\n')
}

function previewsOf(
  addresses: Addresses,
  { gallery, demo_url, thumbnail }: PackageView,
): Detail['previews'] {
  const video = demo_url
    ? [
        {
          type: 'video' as const,
          link: demo_url,
          thumbnail: image(addresses, gallery[0] ?? thumbnail, 'preview'),
        },
      ]
    : []
  const images = gallery.map((sha256) => ({
    type: 'image' as const,
    link: image(addresses, sha256, 'screenshot'),
    thumbnail: image(addresses, sha256, 'preview'),
  }))
  return [...video, ...images].map((preview, i) => ({ preview_id: String(i + 1), ...preview }))
}
