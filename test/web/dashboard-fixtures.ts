import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { form, type Upload } from '../support/images.ts'
import { sharedInFile } from '../support/shared.ts'
import { browser, filledForm } from './browser.ts'

const sharedApp = sharedInFile(startApp)

/**
 * A new project in the service that all tests of a file share, and a browser in which its owner is
 * signed in.
 */
export async function startDashboard(
  t: TestContext,
  fields: { name?: string; asset_type?: string } = {},
) {
  const app = await sharedApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper(), ...fields })
  const owner = signedIn(app, listing.owner)
  const read = async (part = '') =>
    must(await app.get(`/api/v1/private/games/${listing.uid}${part}`, listing.owner))
  const at = (part: string) => `/dashboard/${listing.vanity_name}/${part}`
  /** The Page section as its form sends it after these fields were changed. */
  const pageForm = async (changes: Record<string, string | string[]>) =>
    filledForm((await owner.open(at('page'))).body, at('page'), changes)
  /** Sends a form with files as a browser without JavaScript does. */
  const sendForm = async (path: string, fields: Record<string, string>, files: Upload[]) => {
    const { headers, raw } = await form(fields, files)
    return app.call('POST', path, {
      raw,
      headers: {
        ...headers,
        cookie: `svc_session=${listing.owner.token}`,
        accept: 'text/html',
        origin: app.url,
        'sec-fetch-site': 'same-origin',
      },
    })
  }
  const sendFile = (
    path: string,
    fields: Record<string, string>,
    bytes: Uint8Array,
    filename: string,
  ) => sendForm(path, fields, [{ bytes, filename, type: 'application/octet-stream' }])
  return { ...app, listing, owner, read, at, pageForm, sendForm, sendFile }
}

/**
 * Lets the open page upload in smaller chunks than the service asks for, so that a few kilobytes
 * take several: Chromium sends the test each request that it intercepts, as text.
 */
export const sendInChunks = (page: Page, bytes: number) =>
  page.locator('upload-build').evaluate((element: any, value) => {
    element.dataset.chunkBytes = value
  }, String(bytes))

/** The rules of axe whose result differs in another theme or on a narrow screen. */
export const narrowRules = ['color-contrast', 'target-size', 'scrollable-region-focusable'] as const

/** A browser in which this person is signed in. */
export function signedIn(app: { url: string }, { token }: { token: string }) {
  const session = browser(app)
  session.as(token)
  return session
}
