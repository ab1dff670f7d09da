import { type Static, Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { editListing, findForEditor } from '../../listings/listing/edit.ts'
import { findProjectBuild } from '../builds/project-build.ts'
import { SymbolData, toSymbolData } from '../builds/schema.ts'
import { deleteSymbols, listSymbols } from './queries.ts'
import { symbolKey } from './symbols.ts'

const Text = Type.String()
const url = '/api/v1/private/games/:uid/builds/:build_id/symbols'
const params = Type.Object({ uid: Text, build_id: Text })

export const listSymbolsRoute = route({
  method: 'GET',
  url,
  summary: 'List the debug symbols of a build',
  auth: developer('mcp:read', 'mcp:build.write'),
  params,
  data: Type.Object({ symbols: Type.Array(SymbolData) }),
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const build = await findProjectBuild(sql, uid, params.build_id)
    const symbols = await listSymbols(sql, uid, build.uid)
    return { symbols: symbols.map(toSymbolData) }
  },
})

async function removeSymbols(
  core: Core,
  who: Identity,
  { uid, build_id }: Static<typeof params>,
  symbol_uid?: string,
): Promise<number> {
  return editListing(core, who, uid, async (tx, { uid: game_uid }) => {
    const build = await findProjectBuild(tx, game_uid, build_id)
    const deleted = await deleteSymbols(tx, game_uid, build.uid, symbol_uid)
    const keys = deleted.map((deleted_uid) => symbolKey(game_uid, deleted_uid))
    if (keys.length) await core.jobs.send(tx, 'builds.remove-objects', { keys })
    return keys.length
  })
}

const deleteOptions = {
  method: 'DELETE',
  auth: developer('mcp:build.write'),
  data: Type.Object({ deleted: Type.Integer() }),
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT'] as ErrorName[],
} as const

export const deleteAllSymbols = route({
  ...deleteOptions,
  url,
  summary: 'Delete the debug symbols of a build',
  params,
  handle: async ({ core, who, params }) => ({ deleted: await removeSymbols(core, who, params) }),
})

export const deleteOneSymbol = route({
  ...deleteOptions,
  url: `${url}/:symbol_uid`,
  summary: 'Delete one symbol file',
  params: Type.Object({ ...params.properties, symbol_uid: Text }),
  async handle({ core, who, params }) {
    if (!isUuid(params.symbol_uid)) refuse('NOT_FOUND')
    const deleted = await removeSymbols(core, who, params, params.symbol_uid)
    return deleted === 0 ? refuse('NOT_FOUND') : { deleted }
  },
})

export const symbolRoutes = [listSymbolsRoute, deleteAllSymbols, deleteOneSymbol]
