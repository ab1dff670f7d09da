import { MAX_LAUNCH_TEXT } from '../../../builds/builds/launch-hint.ts'
import { readOwnBuild, registerOwnBuild } from '../../../builds/builds/routes.ts'
import type { Route } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { callApi } from '../../call.ts'
import {
  button,
  type FormBody,
  fieldLines,
  fieldValue,
  formMessage,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { formState, projectForm, renameRefusedField } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'
import type { Build } from './builds.ts'

const fieldNames = ['executable', 'args', 'working_dir'] as const

/** How a build is started by programs that install it. */
export function launchSubsection(action: string, build: Build, result: FormResult): Html {
  const state = renameRefusedField(
    formState(result, 'launch', build.launch ?? { executable: '', args: [], working_dir: '' }),
    {
      'launch.executable': 'executable',
      'launch.args': 'args',
      'launch.working_dir': 'working_dir',
    },
  )
  const fields = html`
    ${textField(state, {
      name: 'executable',
      label: t('build-launch-program'),
      hint: t('build-launch-program-hint'),
      maxlength: MAX_LAUNCH_TEXT,
    })}
    ${textArea(state, {
      name: 'args',
      label: t('build-launch-args'),
      hint: t('build-launch-args-hint'),
      rows: 3,
    })}
    ${textField(state, {
      name: 'working_dir',
      label: t('build-launch-folder'),
      hint: t('build-launch-folder-hint'),
      maxlength: MAX_LAUNCH_TEXT,
    })}`
  const form = html`
    ${formMessage(state, fieldNames, fields)}
    <form class="form" method="post" action="${action}/launch#launch">
      ${fields}
      ${button(t('build-launch-save'), { kind: 'ink' })}
    </form>`
  return subsection('launch', t('build-launch'), form, t('build-launch-text'))
}

/** Registers the build again, which changes only what is sent besides what it is for. */
async function saveLaunch({ request, uid, params }: ProjectContext, sent: FormBody) {
  const answer = await callApi(request, readOwnBuild, {
    params: { uid, build_id: params.build! },
  })
  if (!answer.ok) return answer
  const { version, build_type, os, arch, channel, app } = answer.data
  const executable = fieldValue(sent, 'executable').trim()
  const args = fieldLines(sent, 'args')
  const working_dir = fieldValue(sent, 'working_dir').trim()
  const is_empty = !executable && !args.length && !working_dir
  return callApi(request, registerOwnBuild, {
    params: { uid },
    body: {
      version,
      build_type,
      os,
      arch,
      channel,
      app,
      launch: is_empty ? null : { executable, args, working_dir },
    } as never,
  })
}

export const launchForm = (show: ShowPage): Route =>
  projectForm('builds/:build/launch', 'Change how a build is started', saveLaunch, {
    form: 'launch',
    show,
    done: t('build-launch-saved'),
    back: ({ base, params }: ProjectContext) => `${base}/builds/${params.build}#launch`,
  })
