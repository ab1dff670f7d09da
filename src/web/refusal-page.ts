import { Type } from 'typebox'
import { writeText } from '../core/text/text.ts'
import { problemOf } from './call.ts'
import { chooseLanguage } from './language.ts'
import { getPage } from './page-routes.ts'
import { visitor } from './visitor.ts'

const MAX_MESSAGE = 2000

/**
 * The sentence for people for a refusal of the API, in the language of the reader: for scripts,
 * which call the API themselves.
 */
export const refusalSentence = getPage(
  '/help/refusal-text',
  'The sentence for a refusal of the API',
  {
    auth: visitor,
    query: Type.Object({ message: Type.String({ maxLength: MAX_MESSAGE }) }),
    handle({ core, request, reply, query, who }) {
      const { message } = problemOf(query.message, undefined)
      const text = writeText(message, chooseLanguage(core, request, who))
      return reply.header('cache-control', 'no-store').send({ text })
    },
  },
)
