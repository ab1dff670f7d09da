import { describeScope } from '../../accounts/keys/scopes.ts'
import { tableText } from '../../core/text/table-text.ts'
import type { LocalText } from '../../core/text/text.ts'

/** What a scope allows, in the language of the person who grants it. */
export const scopeText = (scope: string): LocalText =>
  tableText('hint', scope, describeScope(scope))
