import { readOwnBuild, registerOwnBuild } from '../../../builds/builds/routes.ts'
import type { Route } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import type { WebReport } from '../../../listings/fields/web-build.ts'
import { checkWebReport } from '../../../listings/listing/check.ts'
import { callApi } from '../../call.ts'
import { button, type FormBody, fieldValue, formMessage } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { checkText } from '../page/check-text.ts'
import { formState, projectForm } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'
import { type Build, isolationField, isolationOptions } from './builds.ts'

/** Whether a build for browsers can be played, and what to fix in it. */
export function webReport(report: WebReport, player: string): Html {
  const play = html`
    <p><a class="button button-quiet button-small" href="${player}">
      ${icon('play')}${t('build-play-this')}
    </a></p>`
  const items = checkWebReport(report)
  if (!items.length) return html`<p class="soft">${t('build-playable')}</p>${play}`
  const lines = items.map(
    (item) => html`
      <li>
        ${checkText(item)}
        <ul>${(item.details ?? []).map((text) => html`<li><code>${text}</code></li>`)}</ul>
      </li>`,
  )
  const title = report.problem ? t('build-not-playable') : t('build-play-warnings')
  return html`
    <div class="notice notice-warn">
      ${icon('warn')}
      <div><strong>${title}</strong><ul>${lines}</ul></div>
    </div>
    ${!report.problem && play}`
}

const fieldNames = ['coep'] as const

/** How a build for browsers is played. */
export function playSubsection(action: string, build: Build, result: FormResult): Html {
  const state = formState(result, 'isolation', { coep: build.coep ?? 'on' })
  const form = html`
    ${formMessage(state, fieldNames)}
    <form class="form" method="post" action="${action}/isolation#play">
      ${isolationField(state, isolationOptions)}
      ${button(t('build-isolation-save'), { kind: 'ink' })}
    </form>`
  return subsection('play', t('build-play'), form)
}

/** Registers the build again, which changes only what is sent besides what it is for. */
async function saveIsolation({ request, uid, params }: ProjectContext, sent: FormBody) {
  const answer = await callApi(request, readOwnBuild, {
    params: { uid, build_id: params.build! },
  })
  if (!answer.ok) return answer
  const { version, build_type, os, arch, channel, app } = answer.data
  return callApi(request, registerOwnBuild, {
    params: { uid },
    body: { version, build_type, os, arch, channel, app, coep: fieldValue(sent, 'coep') },
  })
}

export const isolationForm = (show: ShowPage): Route =>
  projectForm(
    'builds/:build/isolation',
    'Change whether a build for browsers is isolated',
    saveIsolation,
    {
      form: 'isolation',
      show,
      done: t('build-isolation-saved'),
      back: ({ base, params }: ProjectContext) => `${base}/builds/${params.build}#play`,
    },
  )
