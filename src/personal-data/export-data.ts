import { Type } from 'typebox'
import { OneOf, Timestamp, Uid } from '../core/http/route.ts'
import { profileSlots } from '../listings/profiles/image-rules.ts'

const Row = Type.Object(
  {},
  { additionalProperties: true, description: 'A row: values by the name of their column' },
)
const Mail = Type.Object(
  {},
  { additionalProperties: true, description: 'A mail: address, subject, text and time' },
)
const Image = Type.Object({
  kind: OneOf(profileSlots),
  type: Type.String({ description: 'The media type' }),
  base64: Type.String({ description: 'The bytes' }),
})
/** What an export contains. */
export const AccountExport = Type.Object({
  format: Type.String(),
  exported_at: Timestamp,
  uid: Uid,
  tables: Type.Record(Type.String(), Type.Array(Row), {
    description: 'Rows by the name of their table',
  }),
  mails: Type.Array(Mail, { description: 'Mails to the person that were not sent yet' }),
  images: Type.Array(Image, { description: 'The avatar, and the banner of the profile' }),
})
