import { Type } from 'typebox'
import { requestSeconds } from '../builds/limits.ts'
import { SymbolData, shownSymbol } from '../builds/schema.ts'
import { deployKey } from '../builds/schemes.ts'
import { refuse } from '../core/errors.ts'
import { route, Uid } from '../core/route.ts'
import { countForGame } from './limits.ts'
import { receiveSymbols } from './symbols.ts'

export const uploadSymbols = route({
  method: 'POST',
  url: '/api/v1/tool/upload/symbols',
  summary: 'Upload the debug symbols of a build: a Breakpad .sym file, or a .zip of them',
  role: 'upload',
  raw_body: true,
  receive_seconds: requestSeconds,
  auth: deployKey,
  status: 201,
  data: Type.Object({ build_id: Uid, count: Type.Integer(), symbols: Type.Array(SymbolData) }),
  errors: [
    'EMAIL_NOT_VERIFIED',
    'FILE_MISSING',
    'BUILD_MISSING',
    'BUILD_NOT_FOUND',
    'INVALID_UPLOAD',
    'UPLOAD_TOO_LARGE',
    'CHECKSUM_MISMATCH',
    'INVALID_SYMBOLS',
    'SYMBOLS_NOT_STORED',
    'TOO_MANY_UPLOADS',
  ],
  async handle({ core, who, request }) {
    if (!who.owner_verified) refuse('EMAIL_NOT_VERIFIED', undefined, 'The owner of the game must verify their email address first')
    await countForGame(core, 'symbols', who.game_uid)
    const { build, symbols } = await receiveSymbols(core, request.raw, who.game_uid)
    return { build_id: build.uid, count: symbols.length, symbols: symbols.map(shownSymbol) }
  },
})
