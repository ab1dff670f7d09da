import { Type } from 'typebox'
import { nameSchemas } from '../../core/http/route.ts'

const Bytes = Type.Number({ description: 'Bytes' })
const Part = Type.Object({
  used_bytes: Type.Number({ description: 'Bytes in storage' }),
  limit_bytes: Type.Union([Type.Number(), Type.Null()], {
    description: 'Bytes; null is without a limit',
  }),
})

const common = {
  kinds: Type.Object(
    {
      builds: Bytes,
      uploads: Type.Number({ description: 'Bytes of uploads that are not finished' }),
      symbols: Bytes,
      images: Bytes,
      videos: Bytes,
      patches: Type.Number({ description: 'Bytes of patches between builds' }),
      crashes: Bytes,
      bug_reports: Bytes,
      saves: Type.Number({ description: 'Bytes of cloud saves of players' }),
    },
    { description: 'What is stored, by kind of file' },
  ),
  developers: Part,
  players: Part,
  warning: Type.Boolean({ description: 'Whether 80 % of a limit are used' }),
  contact: Type.String({ description: 'Whom to ask for more; may be empty' }),
}

export const StorageData = Type.Object({
  ...common,
  account: Type.Object(
    { developers: Part, players: Part },
    { description: 'The same for all listings of the owner' },
  ),
})
export const OwnStorageData = Type.Object(common)
nameSchemas({ ListingStorage: StorageData, AccountStorage: OwnStorageData })
