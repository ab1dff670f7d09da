import type { Route } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { type FormBody, fieldValue } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { markdown } from '../../components/markdown.ts'
import { postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { openProject, pathParams, renderSection } from '../project-page.ts'
import { readTranslationRows } from './translation-rows.ts'

type Translation = ReturnType<typeof readTranslationRows>[string]

/**
 * The second button of a form with Markdown. It comes after the one that saves, which Enter
 * presses. Without JavaScript the preview opens in a new tab, so that nothing that was typed is
 * lost.
 */
export const previewButton = (action: string): Html => html`
  <button class="button button-quiet" formaction="${action}" formtarget="_blank"
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

/** A text as it was sent, or that there is none. */
export const previewText = (text: string): Html =>
  text.trim() ? markdown(text) : html`<p class="soft">${t('editor-preview-empty')}</p>`

const translation = ([code, { tagline, description }]: [string, Translation]): Html => html`
  <section lang="${code}">
    <h2>${code}</h2>
    <p class="lede">${tagline}</p>
    ${markdown(description)}
  </section>`

/** The text as it was sent, by the renderer of the listing page. */
const preview = (sent: FormBody): Html => html`
    <article class="preview">
      <h2>${fieldValue(sent, 'name')}</h2>
      <p class="lede">${fieldValue(sent, 'tagline')}</p>
      ${previewText(fieldValue(sent, 'description').trim())}
      ${Object.entries(readTranslationRows(sent, 'translations')).map(translation)}
    </article>`

type Preview = {
  /** The section of the project that the form is in. */
  section: Parameters<typeof renderSection>[1]
  render: (sent: FormBody, params: Record<string, string>) => Html
}

/** Shows what a form would save, by the renderer of the page that shows it. */
export const previewForm = (path: string, summary: string, { section, render }: Preview): Route =>
  postForm(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: pathParams(`:game/${path}`),
    async handle(input) {
      const project = await openProject(input as never)
      return renderSection(project, section, {
        title: t('editor-preview'),
        overview: section,
        body: render(input.body, project.params as Record<string, string>),
      })
    },
  })

export const previewRoute = previewForm('page/preview', 'Preview the page without saving it', {
  section: 'page',
  render: preview,
})
