import type { Arguments } from '../tools/tool.ts'

/** A resource that is read with a tool. */
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
    title: 'Profile',
    description: 'The account and the scopes of this token',
    tool: 'get_profile',
  },
  {
    uri: 'svc://games',
    name: 'games',
    title: 'My listings',
    description: 'The listings you own or help run',
    tool: 'list_games',
  },
  {
    uri: GAME,
    name: 'game',
    title: 'A listing',
    description: 'Everything on its page',
    tool: 'get_game',
  },
  {
    uri: `${GAME}/analytics`,
    name: 'analytics',
    title: 'Event analytics',
    description: 'Event counts by day, build and name',
    tool: 'get_game_analytics',
  },
  {
    uri: `${GAME}/crashes`,
    name: 'crashes',
    title: 'Crash reports',
    description: 'Crash reports, newest first',
    tool: 'list_game_crashes',
  },
  {
    uri: `${GAME}/deploy`,
    name: 'deploy',
    title: 'Deploy information',
    description: 'Addresses and names for a build server',
    tool: 'get_deploy_info',
  },
  {
    uri: `${GAME}/builds`,
    name: 'builds',
    title: 'Builds',
    description: 'Builds with files, scans and health',
    tool: 'list_game_builds',
  },
]

export const isTemplate = ({ uri }: AgentResource) => uri.includes('{')

/** The tool and arguments that read the resource of an address. */
export function findResource(
  resources: AgentResource[],
  address: string,
): { tool: string; args: Arguments } | undefined {
  for (const resource of resources) {
    const { uri, tool } = resource
    if (!isTemplate(resource)) {
      if (address === uri) return { tool, args: {} }
      continue
    }
    const [prefix, suffix = ''] = uri.split('{uid}') as [string, string?]
    const uid = address.slice(prefix.length, address.length - suffix.length)
    if (address === `${prefix}${uid}${suffix}` && /^[\w-]+$/.test(uid))
      return { tool, args: { uid } }
  }
  return undefined
}
