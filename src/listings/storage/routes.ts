import { Type } from 'typebox'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import { route } from '../../core/http/route.ts'
import { findForEditor } from '../listing/edit.ts'
import { readOwnStorage, readStorage } from './report.ts'
import { OwnStorageData, StorageData } from './schema.ts'

export const readStorageRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/storage',
  summary: 'Read what one of your listings stores, and how much it may',
  auth: developer('mcp:read'),
  params: Type.Object({ uid: Type.String() }),
  data: StorageData,
  errors: ['NOT_FOUND'],
  handle: async ({ core, sql, who, params }) =>
    readStorage(core, sql, (await findForEditor(sql, who, params.uid)).uid),
})

export const readOwnStorageRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/storage',
  summary: 'Read what the listings you own store, and how much they may',
  auth: website,
  data: OwnStorageData,
  handle: ({ core, sql, who }) => readOwnStorage(core, sql, who.user_uid),
})

export const storageRoutes = [readStorageRoute, readOwnStorageRoute]
