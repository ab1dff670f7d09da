import { Type } from 'typebox'
import { developer, viewer } from '../accounts/sessions/schemes.ts'
import { CheckedBody, route } from '../core/http/route.ts'
import { factsheet, openPressPage, readPressKit, savePressKit } from './kit.ts'
import { pressLimits, pressZipLimits, sendPressZip, setRobotsHeader } from './response.ts'
import { FactsheetData, KitData, kitInput } from './schema.ts'

export const readPressKitRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/press',
  summary: 'Read the press kit of your listing',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params: Type.Object({ uid: Type.String() }),
  data: KitData,
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params }) => readPressKit(core, who, params.uid),
})

export const savePressKitRoute = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/press',
  summary: 'Replace the press kit; missing fields are cleared',
  auth: developer('mcp:catalog.write'),
  params: Type.Object({ uid: Type.String() }),
  // The rules check every field, so that each error is 4235 and names its field.
  body: CheckedBody(kitInput),
  data: KitData,
  errors: ['NOT_FOUND', 'INVALID_PRESS_KIT', 'LISTING_CHECK_FAILED'],
  handle: ({ core, who, params, body }) => savePressKit(core, who, params.uid, body),
})

export const readPress = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/press',
  summary: 'Read the press factsheet of a listing',
  auth: viewer,
  limits: pressLimits,
  params: Type.Object({ game_id: Type.String() }),
  data: FactsheetData,
  errors: ['NOT_FOUND', 'UNAVAILABLE'],
  async handle({ core, who, params, reply }) {
    const page = await openPressPage(core, who, params.game_id)
    setRobotsHeader(reply, page)
    return factsheet(core.addresses, page)
  },
})

const readPressZip = route({
  browser_errors: true,
  method: 'GET',
  url: '/api/v1/public/games/:game_id/press.zip',
  summary: 'Download the press factsheet and images of a listing as a zip',
  auth: viewer,
  limits: pressZipLimits,
  params: Type.Object({ game_id: Type.String() }),
  envelope: false,
  produces: 'application/zip',
  errors: ['NOT_FOUND', 'UNAVAILABLE'],
  async handle({ core, who, params, request, reply }) {
    const page = await openPressPage(core, who, params.game_id)
    await sendPressZip({ core, request, reply }, page)
  },
})

export const pressRoutes = [readPress, readPressZip, readPressKitRoute, savePressKitRoute]
