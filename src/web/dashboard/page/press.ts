import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { pressLimits } from '../../../press/kit-rules.ts'
import { readPressKitRoute, savePressKitRoute } from '../../../press/routes.ts'
import { readApi } from '../../call.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { linkTo } from '../../components/link.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type Listing,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { previewButton, previewDialog, previewForm, previewText } from './preview.ts'

type Kit = RouteData<typeof readPressKitRoute>
const textNames = ['release_date', 'press_email', 'website_url', 'trailer_url', 'history'] as const
const listNames = ['features', 'awards', 'links', 'quotes', 'credits'] as const

/** Entries of several parts are edited as one line, with bars between the parts. */
const asLines = (kit: Kit) => ({
  ...kit,
  links: kit.links.map(({ label, url }) => `${label} | ${url}`),
  quotes: kit.quotes.map(({ quote, source, url }) =>
    [quote, source, url].filter(Boolean).join(' | '),
  ),
  credits: kit.credits.map(({ name, role }) => [name, role].filter(Boolean).join(' | ')),
})

function kitForm(base: string, state: FormState): Html {
  const list = (name: (typeof listNames)[number], label: Text, hint: Text) =>
    textArea(state, { name, label, rows: 4, hint })
  const url = (name: 'website_url' | 'trailer_url', label: Text) =>
    textField(state, { name, label, type: 'url', hint: t('https-only') })
  const release_date = textField(state, {
    name: 'release_date',
    label: t('kit-release-date'),
    maxlength: pressLimits.release_date,
    hint: t('kit-release-date-hint'),
  })
  const email = textField(state, { name: 'press_email', label: t('kit-contact'), type: 'email' })
  const history = textArea(state, {
    name: 'history',
    label: t('kit-history'),
    rows: 8,
    maxlength: pressLimits.history,
    hint: t('markdown-hint'),
  })
  const controls = html`
    <div class="pair">${release_date}${email}</div>
    <div class="pair">
      ${url('website_url', t('kit-website'))}${url('trailer_url', t('kit-trailer'))}
    </div>
    ${history}
    ${list('features', t('kit-features'), t('kit-line-hint'))}
    ${list('awards', t('kit-awards'), t('kit-line-hint'))}
    ${list('links', t('kit-links'), t('kit-links-hint'))}
    ${list('quotes', t('kit-quotes'), t('kit-quotes-hint'))}
    ${list('credits', t('kit-team'), t('kit-team-hint'))}`
  const names = [...textNames, ...listNames]
  const submit = html`
    ${button(t('kit-save'), { kind: 'ink' })}${previewButton(`${base}/press/preview`)}`
  const parts = { action: `${base}/press`, names, submit, guarded: true }
  return fieldForm(state, parts, controls)
}

function pressPageHint({ visibility, developer, vanity_name }: Listing): Html | Text {
  if (visibility !== 'public' && visibility !== 'invisible') return t('kit-page-hidden')
  const url = `/${developer.username}/${vanity_name}/press`
  return richText('kit-page-shown', { link: linkTo(url) })
}

export async function showPress(project: ProjectContext, result: FormResult) {
  const { request, uid, base, listing } = project
  const kit = await readApi(request, readPressKitRoute, { params: { uid } })
  const form = kitForm(base, formState(result, 'press', asLines(kit)))
  return renderSection(project, 'press', {
    title: t('kit'),
    scripts: ['unsaved.mjs', 'preview.mjs'],
    body: html`
      ${subsection('kit', t('kit-audience'), form, pressPageHint(listing))}
      ${previewDialog}`,
  })
}

function readKit(sent: FormBody) {
  const texts = textNames.map((name) => [name, fieldValue(sent, name)] as const)
  const lists = listNames.map((name) => [name, fieldLines(sent, name)] as const)
  return Object.fromEntries<string | string[]>([...texts, ...lists])
}

/** The texts of the kit as its page shows them. */
const kitPreview = (sent: FormBody): Html => html`
  <article class="preview">
    <h2>${t('kit-history')}</h2>
    ${previewText(fieldValue(sent, 'history'))}
    ${previewList(t('kit-features'), fieldLines(sent, 'features'))}
    ${previewList(t('kit-awards'), fieldLines(sent, 'awards'))}
  </article>`

const previewList = (title: Text, lines: readonly string[]): Html | false =>
  lines.length > 0 &&
  html`
    <h2>${title}</h2>
    <ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`

export const pressRoutes = [
  previewForm('press/preview', 'Preview the press kit without saving it', {
    section: 'press',
    render: kitPreview,
  }),
  projectPage('press', 'The press kit of a project', showPress),
  projectForm('press', 'Save the press kit of a project', sendTo(savePressKitRoute, readKit), {
    form: 'press',
    show: showPress,
    done: t('kit-saved'),
    back: 'press',
  }),
]
