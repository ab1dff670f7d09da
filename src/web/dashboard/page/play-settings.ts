import type { Route } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import type { Orientation } from '../../../play/queries.ts'
import { changePlaySettingsRoute, readPlaySettingsRoute } from '../../../play/routes.ts'
import { readApi } from '../../call.ts'
import {
  checkField,
  fieldForm,
  fieldLines,
  fieldValue,
  isChecked,
  selectField,
  textArea,
} from '../../components/form.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import { type FormResult, type ProjectContext, type ShowPage, subsection } from '../project-page.ts'

/** What the listing says about playing it in the browser. */
export async function playSubsection(project: ProjectContext, result: FormResult): Promise<Html> {
  const { base, uid, request } = project
  const settings = await readApi(request, readPlaySettingsRoute, { params: { uid } })
  const state = formState(result, 'play', settings)
  const form = {
    action: `${base}/settings/play`,
    names: ['connect_origins', 'embeddable', 'orientation'],
    submit: t('play-settings-save'),
  }
  const fields = html`
    ${textArea(state, {
      name: 'connect_origins',
      label: t('play-settings-origins'),
      rows: 3,
      hint: t('play-settings-origins-hint'),
    })}
    ${selectField(state, {
      name: 'orientation',
      label: t('play-settings-orientation'),
      required: true,
      options: [
        { value: 'any', label: t('play-orientation-any') },
        { value: 'landscape', label: t('play-orientation-landscape') },
        { value: 'portrait', label: t('play-orientation-portrait') },
      ],
    })}
    ${checkField(state, { name: 'embeddable', label: t('play-settings-embeddable') })}`
  return subsection(
    'play',
    t('play-settings'),
    html`
      ${fieldForm(state, form, fields)}
      <p class="soft">${richText('play-settings-sdk', { link: linkTo('/sdk/play.js') })}</p>`,
    t('play-settings-text'),
  )
}

export const playSettingsForm = (show: ShowPage): Route =>
  projectForm(
    'settings/play',
    'Change how a project is played in the browser',
    sendTo(changePlaySettingsRoute, (sent) => ({
      connect_origins: fieldLines(sent, 'connect_origins'),
      embeddable: isChecked(sent, 'embeddable'),
      orientation: (fieldValue(sent, 'orientation') || 'any') as Orientation,
    })),
    { form: 'play', show, done: t('play-settings-saved'), back: 'settings#play' },
  )
