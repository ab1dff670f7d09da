import type { RouteData } from '../../../core/http/route.ts'
import { pressLimits } from '../../../press/kit-rules.ts'
import { readPressKitRoute, savePressKitRoute } from '../../../press/routes.ts'
import { readApi } from '../../call.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type Listing,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'

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
  const list = (name: (typeof listNames)[number], label: string, hint: string) =>
    textArea(state, { name, label, rows: 4, hint })
  const url = (name: 'website_url' | 'trailer_url', label: string) =>
    textField(state, { name, label, type: 'url', hint: 'https only' })
  const release_date = textField(state, {
    name: 'release_date',
    label: 'Release date',
    maxlength: pressLimits.release_date,
    hint: 'Any wording, such as “Spring 2027”.',
  })
  const email = textField(state, { name: 'press_email', label: 'Press contact', type: 'email' })
  const history = textArea(state, {
    name: 'history',
    label: 'History',
    rows: 8,
    maxlength: pressLimits.history,
    hint: 'Markdown.',
  })
  const controls = html`
    <div class="pair">${release_date}${email}</div>
    <div class="pair">${url('website_url', 'Website')}${url('trailer_url', 'Trailer')}</div>
    ${history}
    ${list('features', 'Features', 'One per line.')}
    ${list('awards', 'Awards', 'One per line.')}
    ${list('links', 'Links', 'One per line: Label | https://…')}
    ${list('quotes', 'Quotes', 'One per line: Quote | Source | https://… (optional link)')}
    ${list('credits', 'Team', 'One per line: Name | Role')}`
  const names = [...textNames, ...listNames]
  const parts = { action: `${base}/press`, names, submit: 'Save press kit', guarded: true }
  return fieldForm(state, parts, controls)
}

function pressPageHint({ visibility, developer, vanity_name }: Listing): Html | string {
  if (visibility !== 'public' && visibility !== 'invisible')
    return 'The press page appears once your page is public or open by link.'
  const url = `/${developer.username}/${vanity_name}/press`
  return html`
    Shown on <a href="${url}">the press page</a> with your images and facts, and in the press zip.`
}

export async function showPress(project: ProjectContext, result: FormResult) {
  const { request, uid, base, listing } = project
  const kit = await readApi(request, readPressKitRoute, { params: { uid } })
  const form = kitForm(base, formState(result, 'press', asLines(kit)))
  return renderSection(project, 'press', {
    title: 'Press kit',
    scripts: ['unsaved.mjs'],
    body: html`
      ${subsection('kit', 'For journalists and creators', form, pressPageHint(listing))}`,
  })
}

function readKit(sent: FormBody) {
  const texts = textNames.map((name) => [name, fieldValue(sent, name)] as const)
  const lists = listNames.map((name) => [name, fieldLines(sent, name)] as const)
  return Object.fromEntries<string | string[]>([...texts, ...lists])
}

export const pressRoutes = [
  projectPage('press', 'The press kit of a project', showPress),
  projectForm('press', 'Save the press kit of a project', sendTo(savePressKitRoute, readKit), {
    form: 'press',
    show: showPress,
    done: 'Press kit saved',
    back: 'press',
  }),
]
