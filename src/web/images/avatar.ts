import { renditionPath } from '../../listings/renditions/rendition-rules.ts'
import { type Html, html } from '../components/html.ts'

/** A person as pages show them: `avatar` is the hash of the image, null without one. */
export type Pictured = { username: string; avatar: string | null }

/** The pixels of each size, and the rendition that is sharp on dense screens. */
const sizes = {
  small: { pixels: 24, width: 160 },
  medium: { pixels: 40, width: 160 },
  large: { pixels: 112, width: 320 },
} as const
export type AvatarSize = keyof typeof sizes

const TONES = 6

/**
 * The avatar of a person, or their initials. It has its size before it loads, and no text of its
 * own, because the name is beside it.
 */
export function avatarImage({ username, avatar }: Pictured, size: AvatarSize): Html {
  if (!avatar)
    return html`
      <span class="avatar avatar-${size} avatar-tone-${toneOf(username)}" aria-hidden="true">
        ${initials(username)}
      </span>
    `
  const { pixels, width } = sizes[size]
  const path = (format: 'avif' | 'webp') => renditionPath({ sha256: avatar, width, format })
  return html`
    <picture class="avatar avatar-${size}">
      <source type="image/avif" srcset="${path('avif')}">
      <img src="${path('webp')}" alt="" width="${pixels}" height="${pixels}" decoding="async">
    </picture>
  `
}

/** The first letters of the first two words of a name. */
export function initials(username: string): string {
  const words = username.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!)
    .join('')
    .toUpperCase()
}

/** One of the background colors, always the same for a name. */
const toneOf = (username: string) =>
  [...username].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % TONES
