import assert from 'node:assert/strict'
import { must, type Person } from '../../support/builders.ts'
import { sharedExtstoreApp } from '../fixtures.ts'

export const IMPORT = '/api/v1/private/steam/import'
export const PREVIEW = `${IMPORT}/preview`
export const ALL_GROUPS = [
  'text',
  'taxonomy',
  'status',
  'images',
  'press',
  'price',
  'age',
  'store_link',
]

export type Entry = { field: string; group: string; value?: any; old?: any; reason?: string }
export type Report = {
  imported: Entry[]
  skipped: Entry[]
  kept: Entry[]
  not_imported: { field: string; reason: string }[]
  screenshots: any[]
}

let apps = 5_000_000

/**
 * The screenshots of every app that names no others. The store draws each once, and in the smallest
 * size that is imported, because drawing and decoding images is most of what an import costs.
 */
const SCREENSHOTS = [0, 1, 2, 3, 4].map((n) => `screenshots/${n}.1280x720.jpg`)

/** A service with a store whose apps have pages, and developers who import them. */
export function sharedImportApp(env: Record<string, string> = {}) {
  const startApp = sharedExtstoreApp(env)
  return async () => {
    const made = await startApp()
    const { store, post, get, a } = made
    const { control } = store

    /** Creates an app with its own page and the key of its publisher. */
    function app(
      data: Record<string, unknown> = {},
      more: { name?: string; type?: string; tags?: string[] } = {},
    ) {
      const app_id = ++apps
      control.app({ app_id, name: more.name ?? `Game of ${app_id}`, type: more.type ?? 'game' })
      control.page({ app_id, data: { screenshots: shots(...SCREENSHOTS), ...data } })
      if (more.tags)
        control.tags({
          app_id,
          tags: more.tags.map((name, i) => ({ tagid: app_id * 100 + i, name, weight: 1000 - i })),
        })
      const { key: web_api_key } = control.key({ apps: [app_id] })
      return { app_id, web_api_key }
    }

    const preview = (who: Person, body: object) => post(PREVIEW, body, who)
    const imported = (who: Person, body: object) => post(IMPORT, body, who)
    const resync = (who: Person, uid: string, body: object = {}) =>
      post(`/api/v1/private/games/${uid}/steam/resync`, body, who)
    const listing = async (who: Person, uid: string) =>
      must(await get(`/api/v1/private/games/${uid}`, who))
    const press = async (who: Person, uid: string) =>
      must(await get(`/api/v1/private/games/${uid}/press`, who))
    const media = async (who: Person, uid: string) =>
      must(await get(`/api/v1/private/games/${uid}/media`, who))
    const lint = async (who: Person, uid: string) =>
      must(await get(`/api/v1/private/games/${uid}/lint`, who))
    /** Everything about a listing, to check that nothing changed. */
    const snapshot = async (who: Person, uid: string) => ({
      page: await listing(who, uid),
      press: await press(who, uid),
      media: await media(who, uid),
      settings: (await get(`/api/v1/private/games/${uid}/steam`, who)).body,
    })
    /** Screenshots in the format of a store page. */
    const shots = (...paths: string[]) =>
      paths.map((path, id) => ({ id, path_full: `${store.url}/images/${path}` }))
    return {
      ...made,
      app,
      preview,
      imported,
      resync,
      listing,
      press,
      media,
      lint,
      snapshot,
      shots,
      developer: () => a.developer(),
      control,
    }
  }
}

export const entry = (report: Report, list: 'imported' | 'skipped' | 'kept', field: string) =>
  report[list].find((item) => item.field === field)
export const fieldsOf = (entries: { field: string }[]) => entries.map(({ field }) => field)

/** A preview shows small pictures of the screenshots; the report of an import has none. */
export function withoutPictures({ screenshots, ...report }: any) {
  for (const { imported, preview } of screenshots)
    assert.equal(preview?.startsWith('data:image/webp;base64,') ?? false, imported)
  return { ...report, screenshots: screenshots.map(({ preview, ...rest }: any) => rest) }
}
