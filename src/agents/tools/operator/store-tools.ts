import { Type } from 'typebox'
import type { ApprovalRequest } from '../../../accounts/approvals/approvals.ts'
import { readStatusRoute, replayJobsRoute } from '../../../accounts/people/operator-routes.ts'
import {
  checkEffectiveFrom,
  checkPolicyText,
  policyKinds,
} from '../../../accounts/policies/policies.ts'
import { listAllPoliciesRoute, publishPolicyRoute } from '../../../accounts/policies/routes.ts'
import { OneOf } from '../../../core/http/route.ts'
import { checkValue } from '../../../core/http/validate.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { type SettingName, settingNames, settingsTable } from '../../../core/settings/table.ts'
import { listAuditRoute } from '../../../operator/console/audit-routes.ts'
import { listListingsRoute, readHistoryRoute } from '../../../operator/console/listing-routes.ts'
import { readOverviewRoute } from '../../../operator/console/overview-routes.ts'
import { listFilesRoute } from '../../../operator/files/routes.ts'
import { listMailRoute } from '../../../operator/mail/outbox-routes.ts'
import { findTarget } from '../../../operator/quotas/exceptions.ts'
import type { QuotaTarget } from '../../../operator/quotas/queries.ts'
import {
  readQuotasRoute,
  removeQuotaRoute,
  setQuotaRoute,
} from '../../../operator/quotas/routes.ts'
import { checkChanges, type SettingChanges } from '../../../operator/settings/change.ts'
import { changeSettingsRoute, readSettingsRoute } from '../../../operator/settings/routes.ts'
import { mapData } from '../composed-tools.ts'
import type { Arguments, Tool } from '../tool.ts'
import { APPROVAL, storeApproval } from './approval.ts'

/** The text is JSON, as settings are shown. Text without quotes is taken as it is. */
function settingChange(args: Arguments): SettingChanges {
  const name = args.name as SettingName
  const text = String(args.value)
  const is_text = (settingsTable[name].schema as { type?: string }).type === 'string'
  const value = parsedJson(text)
  const is_json = value !== undefined && (!is_text || typeof value === 'string' || value === null)
  return { [name]: is_json ? value : text }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function requestSetting(core: Core, args: Arguments): ApprovalRequest {
  const changes = settingChange(args)
  const name = args.name as SettingName
  const value = changes[name]
  return {
    game_uid: null,
    action: 'operator.change-setting',
    subject: { changes: JSON.stringify(changes) },
    async describe() {
      const { schema } = settingsTable[name]
      const problem = value === null ? undefined : checkValue(schema, value, name)
      if (problem) refuse('MALFORMED', { field: name }, problem)
      await checkChanges(core, changes)
      const text = value === null ? 'its default' : JSON.stringify(value)
      return `Change the setting ${name} to ${text}`
    },
  }
}

const requestReplay = (core: Core, { ids }: Arguments): ApprovalRequest => ({
  game_uid: null,
  action: 'operator.replay-jobs',
  subject: { ids: Array.isArray(ids) ? [...ids].sort().join(' ') : 'all' },
  async describe() {
    if (!Array.isArray(ids)) return 'Retry all failed jobs'
    const dead = new Set((await core.jobs.dead(1000)).map(({ id }) => id))
    if (!ids.every((id) => dead.has(id))) refuse('NOT_FOUND')
    return `Retry ${ids.length} failed jobs`
  },
})

/** A quota of its own for a person or a listing; without bytes it is removed. */
const requestQuota = ({ sql }: Core, args: Arguments): ApprovalRequest =>
  storeApproval(args, {
    action: 'operator.change-quota',
    async describe() {
      const { type, target, bytes } = args
      await findTarget(sql, type as QuotaTarget, String(target))
      if (bytes === undefined) return `Remove the quota of the ${type} ${target}`
      const amount = bytes === null ? 'no limit' : `${bytes} bytes`
      return `Set the quota of the ${type} ${target} to ${amount}`
    },
  })

const requestPolicy = (_: Core, args: Arguments): ApprovalRequest =>
  storeApproval(args, {
    action: 'operator.publish-policy',
    async describe() {
      const text = checkPolicyText(String(args.text))
      const first_day = checkEffectiveFrom(args.effective_from as string | undefined, new Date())
      const extent = `${text.length} characters, in effect from ${first_day}`
      return `Publish a new version of the policy ${args.kind}: ${extent}`
    },
  })

const quotaAbout = {
  type: 'person: for all listings of a person together; listing: for one listing',
}

/** The state of the store, its settings, storage and policies. */
export const storeTools: Tool[] = [
  {
    name: 'get_store_overview',
    title: 'Overview of the store',
    description:
      'Reads what needs an operator of the store, such as failing checks and failed jobs, and ' +
      'the sign-ups, downloads and new listings of the last 30 days.',
    calls: [readOverviewRoute],
  },
  {
    name: 'list_all_listings',
    title: 'Listings in any state',
    description:
      'Lists the listings of all developers in any state, also drafts and deleted ones, with ' +
      'what their listing check misses.',
    calls: [listListingsRoute],
    about: {
      state:
        'public: everybody sees it; invisible: only people with the address; owner: the owner ' +
        'and admins; draft: never published; taken_down or hidden: by moderators; deleted: can ' +
        'still be restored',
    },
  },
  {
    name: 'get_listing_history',
    title: 'History of a listing',
    description:
      'Reads what happened to a listing, the newest first: releases, the review of its first ' +
      'release, decisions of moderators, changes of price and visibility.',
    calls: [readHistoryRoute],
    names: { listing_uid: 'uid' },
    about: { listing_uid: 'A uid from list_all_listings' },
  },
  {
    name: 'list_failed_jobs',
    title: 'Failed jobs',
    description:
      'Lists background jobs that used up their attempts with their last error, and the outcome ' +
      'of each check of the service.',
    calls: [readStatusRoute],
  },
  {
    name: 'list_stored_files',
    title: 'Files and scans',
    description:
      'Lists the stored files of builds by the beginning of their name, listing or SHA-256, with ' +
      'what their last scan found, and how many files wait for the scanner.',
    calls: [listFilesRoute],
    about: {
      state:
        'waiting: for a scan; scanning: at the moment; clean: nothing was found; rejected: a ' +
        'threat was found; error: the scan failed; quarantined: stopped by moderators; ' +
        'withdrawn: by the publisher',
    },
  },
  {
    name: 'list_mails',
    title: 'Mails',
    description:
      'Lists the mails that the store queued, sent or could not deliver, without their text, and ' +
      'what the mail server answered.',
    calls: [listMailRoute],
  },
  {
    name: 'get_store_settings',
    title: 'Settings of the store',
    description:
      'Reads the settings of the store, which of them the environment fixes, and who changed ' +
      'what.',
    calls: [readSettingsRoute],
  },
  {
    name: 'list_audit_entries',
    title: 'Audit log',
    description:
      'Lists actions that concern security, the newest first: roles given and taken, addresses ' +
      'verified, accounts exported and deleted, keys and secrets changed.',
    calls: [listAuditRoute],
  },
  {
    name: 'get_quotas',
    title: 'Storage quotas',
    description:
      'Reads the quotas of storage, who and what stores the most, and the people and listings ' +
      'with a quota of their own.',
    calls: [readQuotasRoute],
  },
  {
    name: 'list_policy_versions',
    title: 'Versions of the policies',
    description:
      'Lists all versions of the policies of the store, such as its terms, with when they apply ' +
      'and who published them.',
    calls: [listAllPoliciesRoute],
  },
  {
    name: 'replay_jobs',
    title: 'Retry failed jobs',
    description: `Retries failed background jobs with all their attempts. ${APPROVAL}`,
    calls: [replayJobsRoute],
    about: { ids: 'Ids from list_failed_jobs; all failed jobs without ids' },
    approved: requestReplay,
  },
  {
    name: 'change_store_setting',
    title: 'Change a setting',
    description:
      'Changes one setting of the store, for all processes within a second. Answers all settings. ' +
      APPROVAL,
    calls: [changeSettingsRoute],
    input: {
      name: OneOf(settingNames, {
        description: settingNames.map((name) => `${name}: ${settingsTable[name].about}`).join('; '),
      }),
      value: Type.String({
        maxLength: 100_000,
        description: 'As get_store_settings shows it, in JSON; null restores the default',
      }),
    },
    run: (call, args) =>
      mapData(call(changeSettingsRoute, settingChange(args)), ({ settings, fixed }) => ({
        settings,
        fixed,
      })),
    approved: requestSetting,
  },
  {
    name: 'set_quota',
    title: 'Set a quota',
    description: `Gives a person or a listing a storage quota of its own. ${APPROVAL}`,
    calls: [setQuotaRoute],
    about: quotaAbout,
    approved: requestQuota,
  },
  {
    name: 'remove_quota',
    title: 'Remove a quota',
    description: `Removes the quota of a person or listing, so that the default applies. ${APPROVAL}`,
    calls: [removeQuotaRoute],
    about: quotaAbout,
    approved: requestQuota,
  },
  {
    name: 'publish_policy',
    title: 'Publish a policy',
    description:
      'Publishes a new version of a policy, which is never changed afterwards. People have to ' +
      `accept new terms. ${APPROVAL}`,
    calls: [publishPolicyRoute],
    about: { kind: `Which policy: ${policyKinds.join(', ')}` },
    approved: requestPolicy,
    destructive: true,
  },
]
