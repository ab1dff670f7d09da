import { Type } from 'typebox'
import { MAX_PROMOTION_HOURS } from '../../builds/build-limits.ts'
import { deployInfoRoute } from '../../builds/builds/deploy-info-routes.ts'
import { deleteOwnBuild, listOwnBuilds, readOwnBuild } from '../../builds/builds/routes.ts'
import { bundleCheckRoute } from '../../builds/bundle-check/routes.ts'
import { listChannels, promoteBuild, rollBackChannel } from '../../builds/channels/routes.ts'
import { ownProvenanceRoute } from '../../builds/files/routes.ts'
import { listSymbolsRoute } from '../../builds/symbols/routes.ts'
import { restoreOwnBuild, withdrawOwnBuild } from '../../builds/withdrawals/routes.ts'
import { modCompatRoute } from '../../listings/relations/mod-compat-routes.ts'
import { healthWarnings } from '../../telemetry/health/routes.ts'
import { healthOfBuilds } from './build-health.ts'
import { deleteSymbols, scanStatus, symbolsInfo } from './composed-tools.ts'
import { arch, os, pages } from './schemas.ts'
import type { Tool } from './tool.ts'

const uid = Type.String()
const CHANNELS =
  'stable (all players), beta (who joined it), dev or a name of your own (you and your ' + 'admins)'

/** Agents read builds, move channels and delete; they never upload. */
export const buildTools: Tool[] = [
  {
    name: 'get_deploy_info',
    title: 'Deploy information',
    description:
      'Reads what a build server of a listing needs: addresses, names of settings, the newest ' +
      'builds and the prefix of the current deploy key. Contains no secrets.',
    calls: [deployInfoRoute],
  },
  {
    name: 'list_game_builds',
    title: 'Builds',
    description:
      'Lists the builds of a listing with their files, scans and launch health, newest first, ' +
      'and the public band.',
    calls: [listOwnBuilds],
    input: { os, arch, ...pages(100) },
    about: { channel: CHANNELS, version: 'Exactly this version' },
  },
  {
    name: 'get_game_build',
    title: 'One build',
    description: 'Reads one build of a listing with its files, scans, changelog and launch health.',
    calls: [readOwnBuild],
  },
  {
    name: 'delete_build',
    title: 'Delete a build',
    description:
      'Deletes a build of a listing and its files. Channels that point at it return to the build ' +
      'before. A person has to approve: the first call answers code 4214.',
    calls: [deleteOwnBuild],
    approval: true,
    destructive: true,
  },
  {
    name: 'withdraw_build',
    title: 'Withdraw a build',
    description:
      'Withdraws a build of a listing: nobody can get it any more, and channels return to the ' +
      'build before. Nothing is deleted. A person has to approve: the first call answers code ' +
      '4214.',
    calls: [withdrawOwnBuild],
    about: { replacement: 'The build_id of the build to get instead' },
    approval: true,
  },
  {
    name: 'restore_build',
    title: 'Restore a withdrawn build',
    description:
      'Restores a withdrawn build of a listing. A person has to approve: the first call answers ' +
      'code 4214.',
    calls: [restoreOwnBuild],
    approval: true,
  },
  {
    name: 'list_channels',
    title: 'Channels',
    description:
      'Lists the channels of a listing: the build that each points at, per platform, and its ' +
      'history.',
    calls: [listChannels],
  },
  {
    name: 'promote_build',
    title: 'Promote a build',
    description:
      'Points a channel of a listing at a build. For stable a person has to approve: the first ' +
      'call answers code 4214.',
    calls: [promoteBuild],
    // Developers stage releases in the dashboard; the list of tools has no room for more.
    without: ['percent'],
    about: { channel: CHANNELS },
    input: {
      expires_in_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_PROMOTION_HOURS,
          description: '0 (default) means never',
        }),
      ),
    },
    approval: true,
  },
  {
    name: 'rollback_channel',
    title: 'Roll back a channel',
    description:
      'Points a channel of a listing at the build it pointed at before. Nothing is deleted.',
    calls: [rollBackChannel],
    about: { channel: CHANNELS },
  },
  {
    name: 'get_build_provenance',
    title: 'File provenance',
    description:
      'Reads who uploaded a file of a build and how, its checksum and every virus scan with its ' +
      'findings.',
    calls: [ownProvenanceRoute],
  },
  {
    name: 'scan_status',
    title: 'Virus scans',
    description:
      'Lists the virus scan state of every file of the newest 50 builds of a listing: scanning, ' +
      'clean, infected or error, with the findings.',
    input: { uid },
    ...scanStatus,
  },
  {
    name: 'get_build_health',
    title: 'Launch health',
    description:
      'Reads how reliably builds of a listing start, of one build or of the newest 50: platform, ' +
      'channel, devices, launches, crashes at launch, median session and band, the band that the ' +
      'public sees, and what the bands mean.',
    input: { uid, build_id: Type.Optional(Type.String()) },
    ...healthOfBuilds,
  },
  {
    name: 'list_health_warnings',
    title: 'Health warnings',
    description:
      'Lists stable builds of a listing that start worse than the build before them on the same ' +
      'platform.',
    calls: [healthWarnings],
  },
  {
    name: 'list_build_symbols',
    title: 'Debug symbols',
    description:
      'Lists the debug symbol files of a build, which give crash reports their function names. ' +
      'Agents cannot upload symbols.',
    calls: [listSymbolsRoute],
  },
  {
    name: 'delete_build_symbols',
    title: 'Delete symbols of a build',
    description:
      'Deletes one debug symbol file of a build by its uid, or all of them. New crash reports ' +
      'then show no function names.',
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
      'Tells how a build server uploads the debug symbols of a build: address, headers, form, ' +
      'limits and command. Agents cannot upload symbols.',
    input: { uid, build_id: uid },
    ...symbolsInfo,
  },
  {
    name: 'bundle_check',
    title: 'Bundle check',
    description:
      'Lists the asset packs of this store that a build contains, and whether the listing may ' +
      'ship them: owned, licensed, attribution (credit required) or unlicensed. It blocks ' +
      'nothing.',
    calls: [bundleCheckRoute],
  },
  {
    name: 'mod_compat',
    title: 'Mod compatibility',
    description:
      'Tells whether a mod works with the stable and beta builds of its game, by platform: ' +
      'compatible, incompatible or unknown.',
    calls: [modCompatRoute],
  },
]
