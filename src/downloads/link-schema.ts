import { Type } from 'typebox'
import { nameSchemas, Timestamp, Uid } from '../core/http/route.ts'

const Text = Type.String()

export const LinkData = Type.Object({
  url: Text,
  expires_at: Timestamp,
  expires_in: Type.Integer(),
  filename: Text,
  checksum: Text,
  game_uid: Uid,
})
nameSchemas({ DownloadLink: LinkData })
