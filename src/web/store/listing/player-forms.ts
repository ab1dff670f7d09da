import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { MAX_CLIENT_VERSION, MAX_PLATFORM } from '../../../bugs/reports/report-limits.ts'
import { reportBugFromStore } from '../../../bugs/reports/routes.ts'
import type { Sql } from '../../../core/database/sql.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { tagLimits } from '../../../library/community-tags.ts'
import { findCopy } from '../../../library/copy-queries.ts'
import { requestKeyRoute, requestLimits } from '../../../library/keys/request-routes.ts'
import { readOwnReview } from '../../../library/review-queries.ts'
import { writeReview } from '../../../library/review-routes.ts'
import { reviewLimits } from '../../../library/reviews.ts'
import { suggestTags } from '../../../library/tag-routes.ts'
import { openPage } from '../../../listings/page/page.ts'
import { readPublicListing } from '../../../listings/page/routes.ts'
import { type ApiAnswer, callApi, readApi } from '../../call.ts'
import {
  button,
  checkField,
  choiceField,
  emptyForm,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  isChecked,
  rejectedForm,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { Context } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { gatePage, isGated } from './adult-gate.ts'

const params = Type.Object({ game_id: Type.String() })

/** A form for players, on a page of its own so that a rejected text is not lost. */
type PlayerForm = {
  path: string
  summary: string
  title: (name: string) => Text
  fields: readonly string[]
  controls: (state: FormState) => Html
  button: Text
  submit: (request: FastifyRequest, uid: string, body: FormBody) => Promise<ApiAnswer>
  done: Text
  /** What the player sent before, if this form changes it. */
  saved?: (sql: Sql, user_uid: string, uid: string) => Promise<FormState['values'] | undefined>
  /** The button where there is something saved, and what else can be done with it. */
  change_button?: Text
  afterSaved?: (uid: string) => Html
  /** Says before anything is typed that the form can be sent only by those who have a copy. */
  needs_copy?: true
}

const reviewControls = (state: FormState): Html => html`
  ${choiceField(state, {
    name: 'enjoyed',
    label: t('review-enjoyed'),
    type: 'radio',
    options: [
      { value: 'yes', label: t('answer-yes') },
      { value: 'no', label: t('answer-no') },
    ],
  })}
  ${choiceField(state, {
    name: 'quality',
    label: t('review-quality'),
    type: 'radio',
    options: ['5', '4', '3', '2', '1'].map((value) => ({
      value,
      label: t('points-of-five', { points: value }),
    })),
  })}
  ${checkField(state, {
    name: 'would_play_with_friends',
    label: t('review-with-friends'),
  })}
  ${textArea(state, {
    name: 'text',
    label: t('review-text'),
    maxlength: reviewLimits.text,
    rows: 8,
    hint: t('review-text-hint'),
  })}
`

const readReview = (body: FormBody) => ({
  enjoyed: { yes: true, no: false }[fieldValue(body, 'enjoyed')],
  quality: Number(fieldValue(body, 'quality')) || undefined,
  would_play_with_friends: isChecked(body, 'would_play_with_friends') ? true : null,
  text: fieldValue(body, 'text'),
})

const deleteReviewForm = (uid: string): Html => html`
  <details class="aside">
    <summary>${t('delete-your-review')}</summary>
    <form class="row" method="post" action="/games/${uid}/review/delete">
      <label class="choice">
        <input type="checkbox" name="sure" value="yes">
        <span>${t('delete-confirm')}</span>
      </label>
      <button class="button button-danger button-small">${t('delete-review')}</button>
    </form>
  </details>
`

const reviewForm: PlayerForm = {
  path: 'review',
  summary: 'Review a listing',
  title: (name) => t('review-title', { name }),
  fields: ['enjoyed', 'quality', 'would_play_with_friends', 'text'],
  controls: reviewControls,
  button: t('publish-review'),
  submit: (request, uid, body) =>
    callApi(request, writeReview, { params: { uid }, body: readReview(body) }),
  done: t('review-published'),
  async saved(sql, user_uid, uid) {
    const review = await readOwnReview(sql, user_uid, uid)
    return review && { ...review, enjoyed: review.enjoyed ? 'yes' : 'no' }
  },
  change_button: t('save-review'),
  afterSaved: deleteReviewForm,
}

const tagForm: PlayerForm = {
  path: 'tags',
  summary: 'Suggest tags for a listing',
  title: (name) => t('suggest-tags-title', { name }),
  fields: ['tags'],
  controls: (state) => html`
    ${textField(state, {
      name: 'tags',
      label: t('tags-label'),
      maxlength: 200,
      hint: t('tags-hint', { max: tagLimits.suggestions, votes: tagLimits.votes_to_show }),
    })}
  `,
  button: t('suggest-tags'),
  submit: (request, uid, body) => {
    const tags = fieldValue(body, 'tags').split(',')
    return callApi(request, suggestTags, {
      params: { uid },
      body: { tags: tags.map((tag) => tag.trim()).filter(Boolean) },
    })
  },
  done: t('tags-suggested'),
}

const bugForm: PlayerForm = {
  path: 'bug',
  summary: 'Report a bug in a listing',
  title: (name) => t('report-bug-title', { name }),
  fields: ['message', 'client_version', 'os', 'log'],
  controls: (state) => html`
    ${textArea(state, {
      name: 'message',
      label: t('bug-message'),
      required: true,
      rows: 5,
      hint: t('bug-message-hint'),
    })}
    ${textField(state, { name: 'client_version', label: t('file-version'), maxlength: MAX_CLIENT_VERSION })}
    ${textField(state, { name: 'os', label: t('bug-system'), maxlength: MAX_PLATFORM })}
    ${textArea(state, {
      name: 'log',
      label: t('bug-log'),
      rows: 6,
      hint: t('bug-log-hint'),
    })}
  `,
  button: t('send-report'),
  submit: (request, uid, body) => {
    const optional = (name: string) => fieldValue(body, name) || undefined
    return callApi(request, reportBugFromStore, {
      params: { uid },
      body: {
        message: optional('message'),
        client_version: optional('client_version'),
        os: optional('os'),
        log: optional('log'),
      },
    })
  },
  done: t('report-sent'),
  needs_copy: true,
}

const keyRequestForm: PlayerForm = {
  path: 'key-request',
  summary: 'Ask for a copy as a journalist or creator',
  title: (name) => t('key-request-title', { name }),
  fields: ['kind', 'outlet', 'url', 'message'],
  controls: (state) => html`
    ${choiceField(state, {
      name: 'kind',
      label: t('key-request-column-kind'),
      type: 'radio',
      options: [
        { value: 'press', label: t('key-request-press') },
        { value: 'creator', label: t('key-request-creator') },
      ],
    })}
    ${textField(state, {
      name: 'outlet',
      label: t('key-request-outlet'),
      required: true,
      maxlength: requestLimits.outlet,
    })}
    ${textField(state, {
      name: 'url',
      label: t('key-request-url'),
      required: true,
      type: 'url',
      maxlength: 255,
    })}
    ${textArea(state, {
      name: 'message',
      label: t('key-request-message'),
      maxlength: requestLimits.message,
      rows: 5,
    })}
  `,
  button: t('key-request-send'),
  submit: (request, uid, body) =>
    callApi(request, requestKeyRoute, {
      params: { uid },
      body: {
        kind: fieldValue(body, 'kind'),
        outlet: fieldValue(body, 'outlet'),
        url: fieldValue(body, 'url'),
        message: fieldValue(body, 'message'),
      },
    }),
  done: t('key-request-sent'),
}

type Member = Context & { who: Identity }

async function formPage(context: Member, form: PlayerForm, game_id: string, refused?: FormState) {
  const { core, request, who } = context
  const { name, uid } = await readApi(request, readPublicListing, { params: { game_id } })
  if (isGated(who, await openPage(core, who, uid))) return gatePage(context, request.url)
  const saved = await form.saved?.(core.sql, who.user_uid, uid)
  const has_copy = !form.needs_copy || (await findCopy(core.sql, who.user_uid, uid))
  const state = refused ?? (saved ? { values: saved } : emptyForm)
  const parts = {
    action: `/games/${uid}/${form.path}`,
    names: form.fields,
    submit: button((saved && form.change_button) ?? form.button),
  }
  return narrowPage(context, {
    title: form.title(name),
    above: html`<p><a href="/games/${uid}">${name}</a></p>`,
    body: html`
      ${!has_copy && copyNeeded(uid, name)}
      ${fieldForm(state, parts, form.controls(state))}
      ${saved && form.afterSaved?.(uid)}
    `,
  })
}

const copyNeeded = (uid: string, name: string): Html => html`
  <p class="notice">
    ${icon('info')}<span>${richText('copy-needed', { name, link: linkTo(`/games/${uid}`) })}</span>
  </p>
`

export const playerFormRoutes = [reviewForm, tagForm, bugForm, keyRequestForm].flatMap((form) => [
  getPage(`/games/:game_id/${form.path}`, form.summary, {
    auth: member,
    params,
    handle: (input) => formPage(input, form, input.params.game_id),
  }),
  postForm(`/games/:game_id/${form.path}`, form.summary, {
    auth: member,
    params,
    async handle(input) {
      const { request, reply, body, params } = input
      const answer = await form.submit(request, params.game_id, body)
      if (!answer.ok) {
        reply.code(answer.status)
        return formPage(input, form, params.game_id, rejectedForm(body, answer))
      }
      return redirectTo(reply, `/games/${encodeURIComponent(params.game_id)}`, form.done)
    },
  }),
])
