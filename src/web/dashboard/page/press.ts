import { pressLimits } from '../../../press/kit-rules.ts'
import { read } from '../../call.ts'
import {
  button,
  fieldLines,
  fieldValue,
  formMessage,
  textArea,
  textField,
} from '../../components/form.ts'
import { html } from '../../components/html.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'

type Kit = {
  features: string[]
  awards: string[]
  links: { label: string; url: string }[]
  quotes: { quote: string; source: string; url: string }[]
  credits: { name: string; role: string }[]
}
const texts = ['release_date', 'press_email', 'website_url', 'trailer_url', 'history'] as const
const lists = ['features', 'awards', 'links', 'quotes', 'credits'] as const

/** Entries as they are typed: parts between bars. */
const typed = (kit: Kit) => ({
  ...kit,
  links: kit.links.map(({ label, url }) => `${label} | ${url}`),
  quotes: kit.quotes.map(({ quote, source, url }) =>
    [quote, source, url].filter(Boolean).join(' | '),
  ),
  credits: kit.credits.map(({ name, role }) => [name, role].filter(Boolean).join(' | ')),
})

export async function showPress(desk: Desk, filled: Filled) {
  const { request, api, base, listing } = desk
  const state = formOf(filled, 'press', typed(await read<Kit>(request, `${api}/press`)))
  const list = (name: (typeof lists)[number], label: string, hint: string) =>
    textArea(state, { name, label, rows: 4, hint })
  return roomPage(desk, 'press', {
    title: 'Press kit',
    body: html`<h1>Press kit</h1>${section(
      'kit',
      'For people who write about it',
      html`${formMessage(state, [...texts, ...lists])}<form class="form" method="post" action="${base}/press">
<div class="pair">${textField(state, { name: 'release_date', label: 'Release date', maxlength: pressLimits.release_date, hint: 'As you would say it: “Spring 2027”.' })}${textField(state, { name: 'press_email', label: 'Press contact', type: 'email' })}</div>
<div class="pair">${textField(state, { name: 'website_url', label: 'Website', type: 'url', hint: 'https only' })}${textField(state, { name: 'trailer_url', label: 'Trailer', type: 'url', hint: 'https only' })}</div>
${textArea(state, { name: 'history', label: 'History', rows: 8, maxlength: pressLimits.history, hint: 'Markdown.' })}
${list('features', 'Features', 'One a line.')}${list('awards', 'Awards', 'One a line.')}
${list('links', 'Links', 'One a line: Label | https://…')}${list('quotes', 'Quotes', 'One a line: Quote | Source | https://… (the link is optional)')}${list('credits', 'Team', 'One a line: Name | Role')}
${button('Save the press kit', { kind: 'ink' })}</form>`,
      listing.visibility === 'public' || listing.visibility === 'invisible'
        ? html`It shows on <a href="/${listing.developer.username}/${listing.vanity_name}/press">the press page</a>, beside your pictures and facts, with a zip of everything.`
        : 'The press page appears once your page is public, or open by link.',
    )}`,
  })
}

export const pressRoutes = [
  deskPage('press', 'The press kit of a project', showPress),
  deskForm('press', 'Save the press kit of a project', {
    form: 'press',
    show: showPress,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/press`,
      body: {
        ...Object.fromEntries(texts.map((name) => [name, fieldValue(sent, name)])),
        ...Object.fromEntries(lists.map((name) => [name, fieldLines(sent, name)])),
      },
    }),
    done: 'Saved',
    back: 'press',
  }),
]
