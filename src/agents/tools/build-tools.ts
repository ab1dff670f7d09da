import { Type } from 'typebox'
import { deployInfoRoute } from '../../builds/builds/deploy-info-routes.ts'
import { deleteOwnBuild, listOwnBuilds, readOwnBuild } from '../../builds/builds/routes.ts'
import { bundleCheckRoute } from '../../builds/bundle-check/routes.ts'
import { listChannels, promoteBuild, rollBackChannel } from '../../builds/channels/routes.ts'
import { ownProvenanceRoute } from '../../builds/files/routes.ts'
import { MAX_PROMOTION_HOURS } from '../../builds/limits.ts'
import { listSymbolsRoute } from '../../builds/symbols/routes.ts'
import { modCompatRoute } from '../../listings/relations/mod-compat-routes.ts'
import { healthWarnings } from '../../telemetry/health/routes.ts'
import { healthOfBuilds } from './build-health.ts'
import { deleteSymbols, scanStatus, symbolsInfo } from './composed-tools.ts'
import { pages } from './schemas.ts'
import type { Tool } from './tool.ts'

const uid = Type.String()

/** Agents read builds, move channels and delete; they never upload. */
export const buildTools: Tool[] = [
  {
    name: 'get_deploy_info',
    title: 'Deploy information',
    description:
      'Addresses and names for a build server, the newest builds, and the prefix of the current ' +
      'deploy key. Contains no secrets.',
    calls: [deployInfoRoute],
  },
  {
    name: 'list_game_builds',
    title: 'Builds',
    description: 'Builds with files, scans and health, newest first.',
    calls: [listOwnBuilds],
    input: pages(100),
  },
  {
    name: 'get_game_build',
    title: 'One build',
    description: 'A build with its files and health.',
    calls: [readOwnBuild],
  },
  {
    name: 'delete_build',
    title: 'Delete a build',
    description:
      'Deletes a build and its files. Channels that point at it return to the build before. ' +
      'Needs the approval of a person.',
    calls: [deleteOwnBuild],
    approval: true,
    destructive: true,
  },
  {
    name: 'list_channels',
    title: 'Channels',
    description: 'The build that each channel points at, and the history of the channel.',
    calls: [listChannels],
  },
  {
    name: 'promote_build',
    title: 'Promote a build',
    description:
      'Points a channel at a build. For stable a person has to approve: the first call sends ' +
      'them an email and answers code 4214.',
    calls: [promoteBuild],
    input: {
      expires_in_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_PROMOTION_HOURS,
          description: '0 means never',
        }),
      ),
    },
    approval: true,
  },
  {
    name: 'rollback_channel',
    title: 'Roll back a channel',
    description: 'Points the channel at the previous build. Nothing is deleted.',
    calls: [rollBackChannel],
  },
  {
    name: 'get_build_provenance',
    title: 'File provenance',
    description: 'Who uploaded the file and how, its checksum and every scan.',
    calls: [ownProvenanceRoute],
  },
  {
    name: 'scan_status',
    title: 'Virus scans',
    description: 'The scan state and findings of every file of the newest 50 builds.',
    input: { uid },
    ...scanStatus,
  },
  {
    name: 'get_build_health',
    title: 'Launch health',
    description:
      'Devices, launches, crashes at launch, median session and band, of one build or of the ' +
      'newest 50.',
    input: { uid, build_id: Type.Optional(Type.String()) },
    ...healthOfBuilds,
  },
  {
    name: 'list_health_warnings',
    title: 'Health warnings',
    description: 'Builds whose launch health is worse than that of the previous build.',
    calls: [healthWarnings],
  },
  {
    name: 'list_build_symbols',
    title: 'Debug symbols',
    description: 'The symbol files of a build. Agents cannot upload symbols.',
    calls: [listSymbolsRoute],
  },
  {
    name: 'delete_build_symbols',
    title: 'Delete symbols of a build',
    description:
      'Deletes one symbol file by its uid, or all of the build. New crash reports then show no ' +
      'function names.',
    input: {
      uid,
      build_id: uid,
      symbol_uid: Type.Optional(
        Type.String({ description: 'A uid from list_build_symbols; leave out to delete all' }),
      ),
    },
    ...deleteSymbols,
    destructive: true,
  },
  {
    name: 'upload_symbols_info',
    title: 'Symbol upload information',
    description:
      'The address, headers, form, limits and command for a build server. Agents cannot upload ' +
      'symbols.',
    input: { uid, build_id: uid },
    ...symbolsInfo,
  },
  {
    name: 'bundle_check',
    title: 'Bundle check',
    description:
      'Asset packs of this store that the build contains, and whether you may ship them. It ' +
      'blocks nothing.',
    calls: [bundleCheckRoute],
  },
  {
    name: 'mod_compat',
    title: 'Mod compatibility',
    description: 'Whether a mod works with the stable and beta builds of its game, by platform.',
    calls: [modCompatRoute],
  },
]
