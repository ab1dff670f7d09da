import { Type } from 'typebox'
import { deployInfoRoute } from '../../builds/builds/deploy-info-routes.ts'
import { deleteOwnBuild, listOwnBuilds, readOwnBuild } from '../../builds/builds/routes.ts'
import { bundleCheckRoute } from '../../builds/bundle-check/routes.ts'
import { listChannels, promoteBuild, rollBackChannel } from '../../builds/channels/routes.ts'
import { ownProvenanceRoute } from '../../builds/files/routes.ts'
import { listSymbolsRoute } from '../../builds/symbols/routes.ts'
import { modCompatRoute } from '../../listings/relations/mod-compat-routes.ts'
import { healthWarnings } from '../../telemetry/health/routes.ts'
import { deleteSymbols, healthOfBuilds, scanStatus, symbolsInfo } from './composed-tools.ts'
import { pages } from './schemas.ts'
import type { Tool } from './tool.ts'

const uid = Type.String()

/** Agents look at builds, move channels and clean up. They never upload. */
export const buildTools: Tool[] = [
  {
    name: 'get_deploy_info',
    title: 'How builds get here',
    description:
      'Addresses and names for a build machine, the newest builds, and which deploy key is in force. Never a secret.',
    calls: [deployInfoRoute],
  },
  {
    name: 'list_game_builds',
    title: 'Builds',
    description: 'With files, scans and health, newest first.',
    calls: [listOwnBuilds],
    input: pages(100),
  },
  {
    name: 'get_game_build',
    title: 'One build',
    description: 'With its files and health.',
    calls: [readOwnBuild],
  },
  {
    name: 'delete_build',
    title: 'Delete a build',
    description:
      'And its files; channels go back to what they pointed at before. A person must approve.',
    calls: [deleteOwnBuild],
    approval: true,
    destructive: true,
  },
  {
    name: 'list_channels',
    title: 'Channels',
    description: 'What each channel points at, and how it came there.',
    calls: [listChannels],
  },
  {
    name: 'promote_build',
    title: 'Point a channel at a build',
    description:
      'To stable only after a person approved: the first call sends them a mail and answers 4214.',
    calls: [promoteBuild],
    input: {
      expires_in_hours: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 2160, description: '0 is never' }),
      ),
    },
    approval: true,
  },
  {
    name: 'rollback_channel',
    title: 'Take a release back',
    description: 'The channel points again at the build before; nothing is deleted.',
    calls: [rollBackChannel],
  },
  {
    name: 'get_build_provenance',
    title: 'Where a file came from',
    description: 'Who uploaded it how, its checksum and every scan.',
    calls: [ownProvenanceRoute],
  },
  {
    name: 'scan_status',
    title: 'Virus scans',
    description: 'The scan state of every file of the newest 50 builds, with what was found.',
    input: { uid },
    ...scanStatus,
  },
  {
    name: 'get_build_health',
    title: 'Launch health',
    description:
      'Devices, boots, crashes on boot, median session and band: of one build, or of the newest 50.',
    input: { uid, build_id: Type.Optional(Type.String()) },
    ...healthOfBuilds,
  },
  {
    name: 'list_health_warnings',
    title: 'Releases that got worse',
    description: 'Builds whose launch health fell below that of the one before.',
    calls: [healthWarnings],
  },
  {
    name: 'list_build_symbols',
    title: 'Debug symbols',
    description: 'Symbols are uploaded with the deploy key, never by agents.',
    calls: [listSymbolsRoute],
  },
  {
    name: 'delete_build_symbols',
    title: 'Delete symbols of a build',
    description:
      'One file by its uid, or without one all of the build. Crashes lose the names in them.',
    input: {
      uid,
      build_id: uid,
      symbol_uid: Type.Optional(
        Type.String({ description: 'Only this file, from list_build_symbols' }),
      ),
    },
    ...deleteSymbols,
    destructive: true,
  },
  {
    name: 'upload_symbols_info',
    title: 'How symbols get here',
    description:
      'Address, headers, form, limits and the command for a build machine. Agents cannot upload symbols themselves.',
    input: { uid, build_id: uid },
    ...symbolsInfo,
  },
  {
    name: 'bundle_check',
    title: 'Asset packs in a build',
    description:
      'Files that are in asset packs of this store, and whether you may ship them. Never blocks.',
    calls: [bundleCheckRoute],
  },
  {
    name: 'mod_compat',
    title: 'Does a mod still work',
    description: 'Against the stable and beta builds of its games, by platform.',
    calls: [modCompatRoute],
  },
]
