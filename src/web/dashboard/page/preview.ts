import { t } from '../../../core/text/text.ts'
import { type FormBody, fieldValue } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { markdown } from '../../components/markdown.ts'
import { postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { openProject, pathParams, renderSection } from '../project-page.ts'
import { readTranslationRows } from './translation-rows.ts'

type Translation = ReturnType<typeof readTranslationRows>[string]

const PATH = ':game/page/preview'

/**
 * The second button of the page form. It comes after the one that saves, which Enter presses.
 * Without JavaScript the preview opens in a new tab, so that nothing that was typed is lost.
 */
export const previewButton = (base: string): Html => html`
  <button class="button button-quiet" formaction="${base}/page/preview" formtarget="_blank"
    formnovalidate data-preview>
    ${t('editor-preview')}
  </button>`

/** Where preview.mjs shows the preview. */
export const previewDialog: Html = html`
  <dialog class="preview-dialog" aria-label="${t('editor-preview')}">
    <form method="dialog">
      <button class="button button-ink button-small">${t('editor-preview-close')}</button>
    </form>
    <div class="preview-place"></div>
  </dialog>`

const translation = ([code, { tagline, description }]: [string, Translation]): Html => html`
  <section lang="${code}">
    <h2>${code}</h2>
    <p class="lede">${tagline}</p>
    ${markdown(description)}
  </section>`

/** The text as it was sent, by the renderer of the listing page. */
const preview = (sent: FormBody): Html => {
  const description = fieldValue(sent, 'description').trim()
  return html`
    <article class="preview">
      <h2>${fieldValue(sent, 'name')}</h2>
      <p class="lede">${fieldValue(sent, 'tagline')}</p>
      ${description ? markdown(description) : html`<p class="soft">${t('editor-preview-empty')}</p>`}
      ${Object.entries(readTranslationRows(sent, 'translations')).map(translation)}
    </article>`
}

export const previewRoute = postForm(`/dashboard/${PATH}`, 'Preview the page without saving it', {
  auth: member,
  params: pathParams(PATH),
  async handle(input) {
    const project = await openProject(input)
    return renderSection(project, 'page', {
      title: t('editor-preview'),
      overview: 'page',
      body: preview(input.body),
    })
  },
})
