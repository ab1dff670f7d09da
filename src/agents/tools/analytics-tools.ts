import { downloadAnalytics } from '../../downloads/routes.ts'
import {
  changeCrashGroup,
  crashDownload,
  listCrashesRoute,
  listCrashGroups,
  readCrashRoute,
} from '../../telemetry/crashes/read-routes.ts'
import { eventAnalytics } from '../../telemetry/events/routes.ts'
import type { Tool } from './tool.ts'

/** What happens after a release: events, downloads and crashes. */
export const analyticsTools: Tool[] = [
  {
    name: 'get_game_analytics',
    title: 'Event analytics',
    description:
      'Reads what the builds of a listing report from devices: counts of events by day, build ' +
      'and name.',
    calls: [eventAnalytics],
  },
  {
    name: 'get_download_analytics',
    title: 'Download analytics',
    description:
      'Reads the downloads and refused attempts of a listing in the last 30 days, or of up to a ' +
      'year, by day, source, client and country.',
    calls: [downloadAnalytics],
  },
  {
    name: 'list_game_crashes',
    title: 'Crash reports',
    description:
      'Lists the crash reports of a listing, newest first, of all builds or of one build or ' +
      'crash group.',
    calls: [listCrashesRoute],
  },
  {
    name: 'get_crash',
    title: 'A crash report',
    description:
      'Reads a crash report with its stack, with function names as far as symbols were uploaded.',
    calls: [readCrashRoute],
    names: { crash_id: 'id' },
  },
  {
    name: 'request_crash_download',
    title: 'Crash attachment link',
    description: 'Answers a link to the dump, log or stack of a crash report, valid for one hour.',
    calls: [crashDownload],
    about: { kind: 'dump: a minidump; log: the end of the log; stack: the stack as text' },
    names: { crash_id: 'id' },
  },
  {
    name: 'list_crash_groups',
    title: 'Crash groups',
    description:
      'Lists the crashes of a listing grouped by cause, with counts by build. status is open, ' +
      'resolved, or regressed (resolved and reported again).',
    calls: [listCrashGroups],
  },
  {
    name: 'update_crash_group',
    title: 'Resolve or reopen a crash group',
    description:
      'Marks a crash group as resolved, optionally in a version, or as open again. A resolved ' +
      'group is reopened if a later build reports it.',
    calls: [changeCrashGroup],
    about: { status: 'The new status', version: 'The version that fixes it' },
  },
]
