import type { RouteData } from '../../../core/http/route.ts'
import { HOUR } from '../../../core/runtime/units.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { tagLimits } from '../../../library/community-tags.ts'
import { listOwnReviews, replyToReview } from '../../../library/review-routes.ts'
import { reviewLimits } from '../../../library/reviews.ts'
import { hideCommunityTag, readCommunityTags } from '../../../library/tag-routes.ts'
import { callApi, readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import {
  button,
  type FormBody,
  fieldForm,
  fieldValue,
  formMessage,
  textArea,
} from '../../components/form.ts'
import { dateTag } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { markdown } from '../../components/markdown.ts'
import { pager } from '../../components/pager.ts'
import { postButton } from '../../components/secret-field.ts'
import { emptyState, table } from '../../components/table.ts'
import { previewButton, previewDialog, previewForm, previewText } from '../page/preview.ts'
import { formSender, formState, projectForm, renameRefusedField } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'

type Tag = RouteData<typeof readCommunityTags>['tags'][number]
type Reviews = RouteData<typeof listOwnReviews>
type Review = Reviews['items'][number]

const tagRow = (base: string, { tag, votes, hidden, shown }: Tag) => [
  tag,
  votes,
  hidden ? t('tag-hidden-by-you') : shown ? t('tag-is-shown') : t('tag-not-yet'),
  postButton(
    hidden ? t('tag-show') : t('tag-hide'),
    `${base}/reviews/tags/${encodeURIComponent(tag)}/${hidden ? 'show' : 'hide'}`,
  ),
]

const tagTable = (base: string, tags: Tag[]): Html =>
  tags.length
    ? table(
        t('player-tags'),
        [t('tag-name'), t('tag-votes'), t('tag-on-page'), ''],
        tags.map((tag) => tagRow(base, tag)),
      )
    : html`
        <p class="soft">
          ${t('player-tags-none', {
            hours: tagLimits.play_seconds / HOUR,
            tags: tagLimits.suggestions,
            players: tagLimits.votes_to_show,
          })}
        </p>`

const replyButtons = (base: string, uid: string): Html => html`
  <div class="row">
    ${button(t('reply-save'), { kind: 'ink' })}
    ${previewButton(`${base}/reviews/${uid}/reply/preview`)}
  </div>`

const savedReply = (text: Html): Html => html`
  <div class="reply">
    <p class="eyebrow">${t('reply')}</p>
    ${text}
  </div>`

/** A reply as the page of the listing shows it. */
const replyPreview = (sent: FormBody, { review }: Record<string, string>): Html => html`
  <article class="preview">
    ${savedReply(previewText(fieldValue(sent, `text-${review}`)))}
  </article>`

function reviewItem(base: string, review: Review, result: FormResult): Html {
  const { uid, username, enjoyed, quality, text, reply, created_at } = review
  const form = `reply-${uid}`
  const name = `text-${uid}`
  const state = renameRefusedField(formState(result, form, { [name]: reply?.text }), { text: name })
  const verdict = enjoyed
    ? badge(t('verdict-enjoyed'), 'ok', 'ok')
    : badge(t('verdict-not-enjoyed'), 'warn', 'minus')
  const reply_field = textArea(state, {
    name,
    label: t('reply-to', { username }),
    rows: 3,
    required: true,
    // An empty reply removes the saved one.
    enforced: false,
    maxlength: reviewLimits.reply,
    hint: t('reply-hint'),
  })
  return html`
    <li class="review">
      <p>
        ${verdict} <strong>${username}</strong>
        <span class="soft">
          ${richText('review-quality-and-date', { quality, date: dateTag(created_at) })}
        </span>
      </p>
      ${text && html`<blockquote>${markdown(text)}</blockquote>`}
      ${reply && savedReply(markdown(reply.text))}
      <details${result.form === form && html` open`}>
        <summary>${reply ? t('reply-edit') : t('reply-add')}</summary>
        ${fieldForm(
          state,
          {
            action: `${base}/reviews/${uid}/reply`,
            names: [name],
            submit: replyButtons(base, uid),
          },
          reply_field,
        )}
      </details>
    </li>`
}

function reviewList(base: string, reviews: Reviews, result: FormResult): Html {
  const { count, enjoyed, quality_avg } = reviews.summary
  if (!count) return emptyState(t('reviews-none'), t('reviews-none-text'))
  return html`
    <p>${t('reviews-summary', { count, enjoyed, average: quality_avg ?? 0 })}</p>
    <ul class="bare">${reviews.items.map((review) => reviewItem(base, review, result))}</ul>
    ${pager(`${base}/reviews`, reviews)}`
}

export async function showReviews(project: ProjectContext, result: FormResult) {
  const { request, uid, base, query } = project
  const page = Number(query.page) || 1
  const [{ tags }, reviews] = await Promise.all([
    readApi(request, readCommunityTags, { params: { uid } }),
    readApi(request, listOwnReviews, { params: { uid }, query: { page } }),
  ])
  return renderSection(project, 'reviews', {
    title: t('section-reviews'),
    scripts: ['preview.mjs'],
    body: html`
      ${formMessage(formState(result, 'tags', {}))}
      <section id="reviews">${reviewList(base, reviews, result)}</section>
      ${subsection('tags', t('player-tags'), tagTable(base, tags))}
      ${previewDialog}`,
  })
}

const sendToTag = formSender(({ uid, params }) => ({ uid, tag: params.tag! }))

const tagForm = (path: 'hide' | 'show', summary: string, done: Text) =>
  projectForm(
    `reviews/tags/:tag/${path}`,
    summary,
    sendToTag(hideCommunityTag, () => ({ hidden: path === 'hide' })),
    { form: 'tags', show: showReviews, done, back: 'reviews#tags' },
  )

export const reviewRoutes = [
  previewForm('reviews/:review/reply/preview', 'Preview a reply without saving it', {
    section: 'reviews',
    render: replyPreview,
  }),
  projectPage('reviews', 'Reviews and community tags of a project', showReviews),
  projectForm(
    'reviews/:review/reply',
    'Reply to a review',
    ({ request, uid, params }, sent) =>
      callApi(request, replyToReview, {
        params: { uid, review_uid: params.review! },
        body: { text: fieldValue(sent, `text-${params.review}`) },
      }),
    {
      form: ({ params }) => `reply-${params.review}`,
      show: showReviews,
      done: t('reply-saved'),
      back: 'reviews',
    },
  ),
  tagForm('hide', 'Hide a community tag', t('tag-hidden')),
  tagForm('show', 'Show a community tag', t('tag-shown')),
]
