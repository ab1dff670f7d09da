import { Type } from 'typebox'
import type { Reason } from '../core/runtime/reasons.ts'
import { writeText } from '../core/text/text.ts'
import { problemOf } from './call.ts'
import { chooseLanguage } from './language.ts'
import { getPage } from './page-routes.ts'
import { visitor } from './visitor.ts'

const MAX_MESSAGE = 2000

/** What a script sends is checked: only known reasons are translated. */
function readReasons(text = '[]'): Reason[] {
  try {
    const list = JSON.parse(text)
    return Array.isArray(list) && list.every(isReason) ? list : []
  } catch {
    return []
  }
}

function isReason(value: unknown): value is Reason {
  const { id, values = {} } = (value ?? {}) as Partial<Reason>
  return (
    typeof id === 'string' &&
    typeof values === 'object' &&
    Object.values(values ?? {}).every((item) => ['string', 'number'].includes(typeof item))
  )
}

/**
 * The sentence for people for a refusal of the API, in the language of the reader: for scripts,
 * which call the API themselves.
 */
export const refusalSentence = getPage(
  '/help/refusal-text',
  'The sentence for a refusal of the API',
  {
    auth: visitor,
    query: Type.Object({
      message: Type.String({ maxLength: MAX_MESSAGE }),
      reasons: Type.Optional(
        Type.String({ maxLength: MAX_MESSAGE, description: 'Those of the error, as JSON' }),
      ),
      file: Type.Optional(Type.Integer({ description: 'The position of the file, from 0' })),
    }),
    handle({ core, request, reply, query, who }) {
      const explanation = { message: query.message, reasons: readReasons(query.reasons) }
      const { message } = problemOf(explanation, { file: query.file })
      const text = writeText(message, chooseLanguage(core, request, who))
      return reply.header('cache-control', 'no-store').send({ text })
    },
  },
)
