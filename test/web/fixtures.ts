import type { TestContext } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, type Person } from '../support/builders.ts'
import { browser } from './browser.ts'
import { signedIn } from './dashboard-fixtures.ts'

export const taxonomy = {
  genres: ['adventure'],
  tags: ['sea', 'boats', 'tides'],
  tone: ['cozy'],
  inputs: ['gamepad'],
  session_bucket: '15m',
  net: 'offline',
  players_min: 1,
  players_max: 2,
  engines: ['godot'],
  authorship: 'human',
  content_warnings: ['flashing_lights'],
}

/** Starts the service, with builders for listings that the store shows. */
export async function startStore(
  t: TestContext,
  env: Record<string, string> = {},
  options: { renditions?: boolean } = {},
) {
  const app = await startApp(t, env, options)
  const { a, patch, put } = app

  /** A public listing with images and a clean file. */
  async function published(
    parts: { owner?: Person; name?: string; asset_type?: string } = {},
    changes: object = {},
    taxonomy_changes: object = {},
  ) {
    const owner = parts.owner ?? (await a.verifiedDeveloper())
    const listing = await a.listing({ ...parts, owner })
    const url = `/api/v1/private/games/${listing.uid}`
    await a.images(listing)
    const { file_uid } = await a.cleanBuild(listing, { version: '1.2.3' })
    must(await put(`${url}/taxonomy`, { ...taxonomy, ...taxonomy_changes }, owner))
    const description =
      'Row out at low tide, bring back what the sea left, and be home before the bell. '.repeat(5)
    must(
      await patch(
        url,
        { tagline: 'Low water, high stakes', description, status: 'released', ...changes },
        owner,
      ),
    )
    must(await patch(url, { visibility: 'public' }, owner))
    return { ...listing, file_uid, path: `/${owner.username}/${listing.vanity_name}` }
  }

  return {
    ...app,
    published,
    visitor: () => browser(app),
    signedIn: (person: Person) => signedIn(app, person),
  }
}

export const meta = (body: string, name: string) =>
  body.match(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`))?.[1]
export const canonical = (body: string) => body.match(/<link rel="canonical" href="([^"]*)"/)?.[1]
export const jsonLd = (body: string) =>
  JSON.parse(body.match(/<script type="application\/ld\+json">(.*?)<\/script>/s)?.[1] ?? 'null')
