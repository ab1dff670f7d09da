import { MAX_WITHDRAWAL_REASON } from '../../../builds/build-limits.ts'
import { restoreOwnBuild, withdrawOwnBuild } from '../../../builds/withdrawals/routes.ts'
import { joinTexts, t } from '../../../core/text/text.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldValue,
  formMessage,
  type Option,
  selectField,
  textArea,
} from '../../components/form.ts'
import { formatDate, platformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'
import type { Build } from './builds.ts'

const fieldNames = ['reason', 'replacement'] as const

/** The other builds of the program that players can be sent to. */
const replacementOptions = (build: Build, builds: readonly Build[]): Option[] => [
  { value: '', label: t('withdrawal-replacement-none') },
  ...builds
    .filter(({ build_id, app }) => app === build.app && build_id !== build.build_id)
    .filter(({ withdrawn }) => !withdrawn)
    .map(({ build_id, version, os, arch, channel }) => ({
      value: build_id,
      label: joinTexts([version, platformLabel(os, arch), channel], ' · '),
    })),
]

function withdrawalForm(action: string, state: FormState, options: Option[], submit: Html): Html {
  const reason = textArea(state, {
    name: 'reason',
    label: t('withdrawal-reason'),
    required: true,
    rows: 3,
    maxlength: MAX_WITHDRAWAL_REASON,
    hint: t('withdrawal-reason-hint'),
  })
  const replacement = selectField(state, {
    name: 'replacement',
    label: t('withdrawal-replacement'),
    options,
    hint: t('withdrawal-replacement-hint'),
  })
  return html`
    <form class="form" method="post" action="${action}">
      ${reason}
      ${replacement}
      ${submit}
    </form>`
}

type Withdrawal = NonNullable<Build['withdrawn']>

/** Above everything else on the page of a withdrawn build. */
export const withdrawnNotice = ({ at }: Withdrawal): Html => html`
  <p class="notice notice-warn" role="status">
    ${icon('warn')}<span>${t('build-withdrawn-since', { date: formatDate(at) })}</span>
  </p>`

type WithdrawnParts = { action: string; version: string; form: Html; is_refused: boolean }

function withdrawnBody({ reason, replacement }: Withdrawal, parts: WithdrawnParts): Html {
  const { action, version, form, is_refused } = parts
  return html`
    ${facts([
      [t('withdrawal-reason'), reason],
      [t('withdrawal-replacement'), replacement?.version ?? t('withdrawal-replacement-none')],
    ])}
    <details class="more"${is_refused && html` open`}>
      <summary>${t('build-withdrawal-change')}</summary>
      ${form}
    </details>
    <div class="row">
      ${confirmButton({
        label: t('build-restore'),
        sentence: t('build-restore-text'),
        action: `${action}/restore`,
        confirm: t('build-restore-confirm', { version }),
        danger: false,
      })}
    </div>`
}

/** The form that withdraws a build, or why it is withdrawn and how to restore it. */
export function withdrawalSubsection(
  action: string,
  build: Build,
  builds: readonly Build[],
  result: FormResult,
): Html {
  const { withdrawn, version } = build
  const state = formState(result, 'withdrawal', {
    reason: withdrawn?.reason ?? '',
    replacement: withdrawn?.replacement?.build_id ?? '',
  })
  const submit = withdrawn
    ? button(t('build-withdrawal-save'), { kind: 'ink' })
    : button(t('build-withdraw-confirm', { version }), { kind: 'danger' })
  const options = replacementOptions(build, builds)
  const form = html`
    ${formMessage(state, fieldNames)}
    ${withdrawalForm(`${action}/withdrawal#withdrawal`, state, options, submit)}`
  return withdrawn
    ? subsection(
        'withdrawal',
        t('build-withdrawal'),
        withdrawnBody(withdrawn, { action, version, form, is_refused: Boolean(state.refused) }),
      )
    : subsection('withdrawal', t('build-withdraw'), form, t('build-withdraw-text'))
}

const readWithdrawal = (sent: FormBody) => ({
  reason: fieldValue(sent, 'reason'),
  replacement: fieldValue(sent, 'replacement') || null,
})

const sendToBuild = formSender(({ uid, params }: ProjectContext) => ({
  uid,
  build_id: params.build!,
}))
const backToBuild = ({ base, params }: ProjectContext) =>
  `${base}/builds/${params.build}#withdrawal`

export const withdrawalRoutes = (show: ShowPage) => [
  projectForm(
    'builds/:build/withdrawal',
    'Withdraw a build',
    sendToBuild(withdrawOwnBuild, readWithdrawal),
    { form: 'withdrawal', show, done: t('build-withdrawn'), back: backToBuild },
  ),
  projectForm('builds/:build/restore', 'Restore a withdrawn build', sendToBuild(restoreOwnBuild), {
    form: 'withdrawal',
    show,
    done: t('build-restored'),
    back: backToBuild,
  }),
]
