import { tableText } from '../../../core/text/table-text.ts'
import type { LocalText } from '../../../core/text/text.ts'
import { listingFields } from '../../../listings/fields/table.ts'
import type { CheckItem } from '../../../listings/listing/check.ts'
import { galleryLimits, imageSlots } from '../../../listings/media/image-rules.ts'

const sizes = (slot: 'cover' | 'thumbnail') => ({
  min: imageSlots[slot].min.join('x'),
  max: imageSlots[slot].max.join('x'),
})

/** The numbers in what the check asks for. */
const numbers: Record<string, Record<string, string | number>> = {
  tags: { count: listingFields.tags.min },
  gallery: { count: galleryLimits.min },
  cover: sizes('cover'),
  thumbnail: sizes('thumbnail'),
}

/** What the listing check asks for, or what it has found to be done. */
export const checkText = ({ id, message }: CheckItem, is_done = false): LocalText =>
  tableText('check', is_done ? `${id}-done` : id, message, numbers[id])
