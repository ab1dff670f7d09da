import { describeScope } from '../../accounts/keys/scopes.ts'
import type { LocalText } from '../../core/text/text.ts'
import { tableText } from '../components/table-text.ts'

/** What a scope allows, in the language of the person who grants it. */
export const scopeText = (scope: string): LocalText =>
  tableText('hint', scope, describeScope(scope))
