import { announce } from '../support/baseline.ts'
import { insertPublicListing, startBenchService } from '../support/listing-service.ts'

/** The real service with one public listing that is edited ten times a second while it is read. */
const EDIT_MS = 100
const service = await startBenchService()
const { sql } = service.core
const uid = await insertPublicListing(sql, {
  name: 'A page to read',
  tagline: '0',
  description: 'Words. '.repeat(200),
})

async function edit() {
  const tagline = String(Date.now())
  await sql`update listings set tagline = ${tagline} where uid = ${uid}`.catch(() => {})
}
const editor = setInterval(() => void edit(), EDIT_MS)

announce(`${service.url}/api/v1/public/games/${uid}`, async () => {
  clearInterval(editor)
  await service.stop()
})
