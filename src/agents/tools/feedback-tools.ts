import { Type } from 'typebox'
import {
  listBugDeliveries,
  readBugReporter,
  replayBugDelivery,
  saveBugReporter,
} from '../../bugs/settings/routes.ts'
import { changeBug, listBugs, readBug } from '../../bugs/tickets/routes.ts'
import { listOwnReviews, replyToReview } from '../../library/review-routes.ts'
import { reviewLimits } from '../../library/reviews.ts'
import { pages } from './schemas.ts'
import type { Tool } from './tool.ts'

const optional = Type.Optional

/** What players say: reviews and bug reports. */
export const feedbackTools: Tool[] = [
  {
    name: 'list_reviews',
    title: 'Reviews of a listing',
    description:
      'Lists the reviews that players wrote about a listing and their summary, newest first. Set ' +
      'unreplied to true for those without a reply.',
    calls: [listOwnReviews],
    input: { unreplied: optional(Type.Boolean()), ...pages(50) },
    about: { unreplied: 'true: only reviews without a reply' },
  },
  {
    name: 'reply_to_review',
    title: 'Reply to a review',
    description:
      'Publishes the reply of the developer to a review; there is one per review. Empty text ' +
      'removes it.',
    calls: [replyToReview],
    input: { text: Type.String({ maxLength: reviewLimits.reply, description: 'Markdown' }) },
  },
  {
    name: 'list_bug_tickets',
    title: 'Bug tickets',
    description:
      'Lists the bug reports of players about a listing, newest first, of all statuses or of ' +
      'one.',
    calls: [listBugs],
    about: { status: 'Only tickets with this status' },
  },
  {
    name: 'get_bug_ticket',
    title: 'A bug ticket',
    description:
      'Reads a bug report of a player with its log, its build and the crash it belongs to.',
    calls: [readBug],
  },
  {
    name: 'update_bug_ticket',
    title: 'Update a bug ticket',
    description:
      'Changes the status of a bug report, the build or version that fixes it, or the crash ' +
      'group it belongs to. Setting fixed notifies the reporter; closed does not.',
    calls: [changeBug],
    about: {
      status: 'The new status',
      fixed_build_id: 'The build that fixes it',
      fixed_version: 'The version that fixes it',
      crash_group_uid: 'A uid from list_crash_groups; null removes it',
    },
  },
  {
    name: 'get_bug_reporter',
    title: 'Bug reporter settings',
    description:
      'Reads the settings of the in-game bug reporter of a listing and the newest webhook ' +
      'deliveries, without the signing key.',
    calls: [readBugReporter],
  },
  {
    name: 'set_bug_reporter',
    title: 'Update the bug reporter',
    description:
      'Changes the given settings of the in-game bug reporter of a listing; others stay.',
    calls: [saveBugReporter],
    input: {
      enabled: optional(Type.Boolean({ description: 'Whether games may send reports' })),
      daily_cap: optional(Type.Integer({ minimum: 1, description: 'Reports per player and day' })),
      webhook_urls: optional(
        Type.Array(Type.String(), { description: 'Each new report is sent to all of them' }),
      ),
    },
  },
  {
    name: 'list_bug_deliveries',
    title: 'Webhook deliveries',
    description:
      'Lists the webhook deliveries of bug reports of a listing, newest first, with their ' +
      'attempts.',
    calls: [listBugDeliveries],
    about: { status: 'Only deliveries with this status' },
  },
  {
    name: 'replay_bug_delivery',
    title: 'Replay a webhook delivery',
    description: 'Sends a webhook delivery of a bug report again with the same body.',
    calls: [replayBugDelivery],
  },
]
