import type { Arguments } from '../tools/tool.ts'

/** Things to read by name: each is what a tool answers. */
export type AgentResource = {
  uri: string
  name: string
  title: string
  description: string
  tool: string
}

const GAME = 'svc://games/{uid}'

export const developerResources: AgentResource[] = [
  {
    uri: 'svc://me',
    name: 'me',
    title: 'Who this token acts for',
    description: 'The account and the scopes',
    tool: 'get_profile',
  },
  {
    uri: 'svc://games',
    name: 'games',
    title: 'My listings',
    description: 'Those you own or help run',
    tool: 'list_games',
  },
  {
    uri: GAME,
    name: 'game',
    title: 'One listing',
    description: 'Everything its page says',
    tool: 'get_game',
  },
  {
    uri: `${GAME}/analytics`,
    name: 'analytics',
    title: 'What players do',
    description: 'Counts of events',
    tool: 'get_game_analytics',
  },
  {
    uri: `${GAME}/crashes`,
    name: 'crashes',
    title: 'Crash reports',
    description: 'Newest first',
    tool: 'list_game_crashes',
  },
  {
    uri: `${GAME}/deploy`,
    name: 'deploy',
    title: 'How builds get here',
    description: 'For a build machine',
    tool: 'get_deploy_info',
  },
  {
    uri: `${GAME}/builds`,
    name: 'builds',
    title: 'Builds',
    description: 'With files, scans and health',
    tool: 'list_game_builds',
  },
]

export const isTemplate = ({ uri }: AgentResource) => uri.includes('{')

/** Which one an address means, and what its tool is to be asked for. */
export function findResource(
  resources: AgentResource[],
  address: string,
): { tool: string; args: Arguments } | undefined {
  for (const { uri, tool } of resources) {
    const [before, after = ''] = uri.split('{uid}') as [string, string?]
    if (address === uri && !uri.includes('{')) return { tool, args: {} }
    const middle = address.slice(before.length, address.length - after.length)
    if (uri.includes('{') && address === `${before}${middle}${after}` && /^[\w-]+$/.test(middle))
      return { tool, args: { uid: middle } }
  }
  return undefined
}
