/**
 * The logo and the favicon of the store. They are rows of the table of settings, so that every
 * process follows them and changes are recorded, but the environment does not fix them.
 */
export const brandImageKinds = ['logo', 'favicon'] as const
export type BrandImageKind = (typeof brandImageKinds)[number]

export const brandImageEndings = {
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/webp': 'webp',
} as const
export type BrandImageType = keyof typeof brandImageEndings

export type BrandImage = {
  /** Part of the keys of its objects; contains the time of the upload. */
  uid: string
  /** Of all its files, so that other bytes always have another address. */
  sha256: string
  /** Of the file that was uploaded. */
  type: BrandImageType
  width: number
  height: number
  /** The size of each file by name, such as `logo.svg` or `favicon-32.png`. */
  files: Record<string, number>
}
export type BrandImages = Partial<Record<BrandImageKind, BrandImage>>

/** The sides of the icons that are made of a favicon. */
export const iconSizes = [32, 180, 192, 512] as const
export type IconSize = (typeof iconSizes)[number]

export const BRAND_PREFIX = 'brand/'
const UUID_LENGTH = 36
export const brandKey = (uid: string, file: string) => `${BRAND_PREFIX}${uid}-${file}`
export const uidOfBrandKey = (key: string) =>
  key.slice(BRAND_PREFIX.length, BRAND_PREFIX.length + UUID_LENGTH)

/** The address of a file. Its name holds the hash of the content, so it can be cached forever. */
const brandPath = (kind: BrandImageKind, { sha256 }: BrandImage, rest: string) =>
  `/brand/${kind}-${sha256}${rest}`

/** The address of the image as it was uploaded; of a favicon that is not SVG, its largest icon. */
export function brandImagePath(kind: BrandImageKind, image: BrandImage): string {
  const ending = brandImageEndings[image.type]
  const is_icon = kind === 'favicon' && ending !== 'svg'
  return is_icon ? iconPath(image, 512) : brandPath(kind, image, `.${ending}`)
}

export const iconPath = (favicon: BrandImage, size: IconSize) =>
  brandPath('favicon', favicon, `-${size}.png`)

const NAME = /^(logo|favicon)-([0-9a-f]{64})((?:-\d+)?\.[a-z]+)$/

/** What the last part of an address names; undefined if it is the address of no image. */
export function parseBrandName(
  name: string,
): { kind: BrandImageKind; sha256: string; file: string } | undefined {
  const [, kind, sha256, rest] = NAME.exec(name) ?? []
  if (!kind || !sha256) return undefined
  return { kind: kind as BrandImageKind, sha256, file: `${kind}${rest}` }
}

/** The images among the rows of the table of settings. */
export function brandImagesOf(rows: readonly { name: string; value: unknown }[]): BrandImages {
  const is_image = ({ name }: { name: string }) => brandImageKinds.some((kind) => kind === name)
  return Object.fromEntries(rows.filter(is_image).map(({ name, value }) => [name, value]))
}
