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

export type PlayerScope = (typeof playerScopes)[number]
export type AgentScope = (typeof agentScopes)[number]

/** The wide scopes and what they stand for. Bug reports have scopes of their own that nothing else covers. */
const wider: Partial<Record<AgentScope, AgentScope>> = {
  'mcp:catalog.write': 'mcp:write',
  'mcp:build.write': 'mcp:write',
  'mcp:keys.manage': 'mcp:write',
  'mcp:money': 'mcp:write',
  'mcp:crash.read': 'mcp:read',
  'mcp:analytics.read': 'mcp:read',
  'mcp:read': 'mcp:write',
}

/** Whether a token with these scopes may do what needs this one. */
export function covers(scopes: readonly string[], needed: PlayerScope | AgentScope): boolean {
  if (scopes.includes(needed)) return true
  const wide = wider[needed as AgentScope]
  return wide !== undefined && covers(scopes, wide)
}
