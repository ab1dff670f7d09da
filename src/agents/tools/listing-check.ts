import { Type } from 'typebox'
import { agentFields, fieldOf, taxonomyFields } from '../../listings/fields/fields.ts'
import { answerSchemas } from '../../listings/fields/schema.ts'
import { lintRoute, readMyListing } from '../../listings/listing/routes.ts'
import { type Composed, mapData } from './composed-tools.ts'
import { toJson } from './tool.ts'

/** The values of every taxonomy field that has a fixed list, with what they mean. */
const allowed_values = Object.fromEntries(
  agentFields.flatMap((name) => {
    const field = fieldOf(name)
    return 'values' in field ? [[name, field.values]] : []
  }),
)

/** The listing check, with what the taxonomy says now and what it may say. */
export const validateListing: Composed = {
  calls: [lintRoute, readMyListing],
  output: (report) => ({
    ...report,
    properties: {
      ...report.properties,
      taxonomy: toJson(Type.Object(answerSchemas(taxonomyFields))),
      allowed_values: { type: 'object' },
    },
    required: [...(report.required ?? []), 'taxonomy', 'allowed_values'],
  }),
  async run(call, args) {
    const listing = await call(readMyListing, args)
    if (!listing.ok) return listing
    const page = listing.data as Record<string, unknown>
    const taxonomy = Object.fromEntries(taxonomyFields.map((name) => [name, page[name]]))
    return mapData(call(lintRoute, args), (report) => ({ ...report, taxonomy, allowed_values }))
  },
}
