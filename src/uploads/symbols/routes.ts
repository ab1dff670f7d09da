import { Type } from 'typebox'
import { SymbolData, toSymbolData } from '../../builds/builds/schema.ts'
import { deployKey } from '../../builds/keys/schemes.ts'
import { route, Uid } from '../../core/http/route.ts'
import { describedSymbols } from '../described-bodies.ts'
import { enforceHourlyLimit } from '../rate-limits.ts'
import { uploadErrors, uploaderByDeployKey, uploadRouteOptions } from '../uploader-auth.ts'
import { receiveSymbols } from './receive-symbols.ts'

export const uploadSymbols = route({
  ...uploadRouteOptions,
  method: 'POST',
  url: '/api/v1/tool/upload/symbols',
  summary: 'Upload the debug symbols of a build: a Breakpad .sym file, or a .zip of them',
  auth: deployKey,
  stores_files: 'listing',
  status: 201,
  described: describedSymbols,
  data: Type.Object({ build_id: Uid, count: Type.Integer(), symbols: Type.Array(SymbolData) }),
  errors: [...uploadErrors, 'INVALID_SYMBOLS', 'SYMBOLS_NOT_STORED'],
  async handle({ core, who, request }) {
    const uploader = uploaderByDeployKey(who)
    await enforceHourlyLimit(core, 'symbols', uploader.game_uid)
    const { build, symbols } = await receiveSymbols(core, request.raw, uploader)
    return { build_id: build.uid, count: symbols.length, symbols: symbols.map(toSymbolData) }
  },
})
