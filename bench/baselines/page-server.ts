import { announce } from '../support/baseline.ts'
import { insertPublicListing, startBenchService } from '../support/listing-service.ts'

/** The real service with one public listing, whose HTML page is read. */
const paragraph =
  '## A heading\n\nSome *words* of a description, with a [link](https://example.com/).\n\n'
const service = await startBenchService()
await insertPublicListing(service.core.sql, {
  name: 'A page to read',
  tagline: 'One line of what it is',
  description: paragraph.repeat(12),
})
announce(`${service.url}/bench/bench`, service.stop)
