export const playerScopes = ['player:read', 'player:write', 'player:buy'] as const

export const agentScopes = [
  'mcp:read',
  'mcp:write',
  'mcp:catalog.write',
  'mcp:build.write',
  'mcp:crash.read',
  'mcp:bugs.read',
  'mcp:bugs.write',
  'mcp:analytics.read',
  'mcp:keys.manage',
  'mcp:money',
] as const

/** Scopes of agent keys that only operators of the store can issue. */
export const operatorScopes = ['operator:read', 'operator:write'] as const

export type OperatorScope = (typeof operatorScopes)[number]
export const isOperatorScope = (scope: string): scope is OperatorScope =>
  (operatorScopes as readonly string[]).includes(scope)

export type PlayerScope = (typeof playerScopes)[number]
export type AgentScope = (typeof agentScopes)[number] | OperatorScope

/** The wider scope that includes a scope. The scopes of bug reports are included in no other. */
const includedIn: Partial<Record<AgentScope, AgentScope>> = {
  'mcp:catalog.write': 'mcp:write',
  'mcp:build.write': 'mcp:write',
  'mcp:keys.manage': 'mcp:write',
  'mcp:money': 'mcp:write',
  'mcp:crash.read': 'mcp:read',
  'mcp:analytics.read': 'mcp:read',
  'mcp:read': 'mcp:write',
  'operator:read': 'operator:write',
}

/** Whether a token with these scopes may do what requires `needed`. */
export function scopesCover(scopes: readonly string[], needed: PlayerScope | AgentScope): boolean {
  if (scopes.includes(needed)) return true
  const wider = includedIn[needed as AgentScope]
  return wider !== undefined && scopesCover(scopes, wider)
}

/** What a scope allows, for the person who grants it. */
const descriptions: Record<PlayerScope | AgentScope, string> = {
  'player:read': 'See your library, and what you may see in the store',
  'player:write': 'Review, report bugs, suggest tags and claim free games for you',
  'player:buy': 'Buy things for you',
  'mcp:read': 'See your projects: pages, builds, crashes and analytics',
  'mcp:write':
    'See and change your projects: pages, builds, crashes, analytics, prices, sales and copies',
  'mcp:catalog.write': 'See and change pages, press kits and replies to reviews',
  'mcp:build.write': 'See builds, move channels and clean up builds',
  'mcp:crash.read': 'See crash reports',
  'mcp:bugs.read': 'See bug tickets and the settings of the bug reporter',
  'mcp:bugs.write': 'Change bug tickets and the bug reporter',
  'mcp:analytics.read': 'See analytics',
  'mcp:keys.manage':
    'Give copies to people, see which keys there are and who helps run your projects',
  'mcp:money': 'See and change prices and editions, and see sales and payouts',
  'operator:read': 'See what operators see: people, listings, reports, jobs and settings',
  'operator:write': 'See and do what operators do: settings, people, releases, reports and jobs',
}

export const describeScope = (scope: string) => descriptions[scope as AgentScope] ?? scope
