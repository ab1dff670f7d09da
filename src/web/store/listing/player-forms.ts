import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { MAX_CLIENT_VERSION, MAX_PLATFORM } from '../../../bugs/reports/report-fields.ts'
import { reportBugFromStore } from '../../../bugs/reports/routes.ts'
import type { Sql } from '../../../core/database/sql.ts'
import { tagLimits } from '../../../library/community-tags.ts'
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
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { gatePage, isGated } from './adult-gate.ts'

const params = Type.Object({ game_id: Type.String() })

/** A form for players, on a page of its own so that a rejected text is not lost. */
type PlayerForm = {
  path: string
  title: (name: string) => string
  fields: readonly string[]
  controls: (state: FormState) => Html
  button: string
  submit: (request: FastifyRequest, uid: string, body: FormBody) => Promise<ApiAnswer>
  done: string
  /** What the player sent before, if this form changes it. */
  saved?: (sql: Sql, user_uid: string, uid: string) => Promise<FormState['values'] | undefined>
  /** The button where there is something saved, and what else can be done with it. */
  change_button?: string
  afterSaved?: (uid: string) => Html
}

const reviewControls = (state: FormState): Html => html`
  ${choiceField(state, {
    name: 'enjoyed',
    label: 'Did you enjoy it?',
    type: 'radio',
    options: [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ],
  })}
  ${choiceField(state, {
    name: 'quality',
    label: 'Quality',
    type: 'radio',
    options: ['5', '4', '3', '2', '1'].map((value) => ({ value, label: `${value} of 5` })),
  })}
  ${checkField(state, {
    name: 'would_play_with_friends',
    label: 'I would play it with friends',
  })}
  ${textArea(state, {
    name: 'text',
    label: 'Review',
    maxlength: reviewLimits.text,
    rows: 8,
    hint: 'Markdown. What do you wish you had known before?',
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
    <summary>Delete your review</summary>
    <form class="row" method="post" action="/games/${uid}/review/delete">
      <label class="choice">
        <input type="checkbox" name="sure" value="yes">
        <span>Yes, delete it</span>
      </label>
      <button class="button button-danger button-small">Delete review</button>
    </form>
  </details>
`

const reviewForm: PlayerForm = {
  path: 'review',
  title: (name) => `Review ${name}`,
  fields: ['enjoyed', 'quality', 'would_play_with_friends', 'text'],
  controls: reviewControls,
  button: 'Publish review',
  submit: (request, uid, body) =>
    callApi(request, writeReview, { params: { uid }, body: readReview(body) }),
  done: 'Your review is published',
  async saved(sql, user_uid, uid) {
    const review = await readOwnReview(sql, user_uid, uid)
    return review && { ...review, enjoyed: review.enjoyed ? 'yes' : 'no' }
  },
  change_button: 'Save review',
  afterSaved: deleteReviewForm,
}

const tagForm: PlayerForm = {
  path: 'tags',
  title: (name) => `Suggest tags for ${name}`,
  fields: ['tags'],
  controls: (state) => html`
    ${textField(state, {
      name: 'tags',
      label: 'Tags, separated by commas',
      maxlength: 200,
      hint:
        `Up to ${tagLimits.suggestions}. A tag appears once ${tagLimits.votes_to_show} players ` +
        'have suggested it. Leave empty to withdraw your suggestions.',
    })}
  `,
  button: 'Suggest tags',
  submit: (request, uid, body) => {
    const tags = fieldValue(body, 'tags').split(',')
    return callApi(request, suggestTags, {
      params: { uid },
      body: { tags: tags.map((tag) => tag.trim()).filter(Boolean) },
    })
  },
  done: 'Thank you for your suggestions',
}

const bugForm: PlayerForm = {
  path: 'bug',
  title: (name) => `Report a bug in ${name}`,
  fields: ['message', 'client_version', 'os', 'log'],
  controls: (state) => html`
    ${textArea(state, {
      name: 'message',
      label: 'What happened?',
      required: true,
      rows: 5,
      hint: 'What you did, what you expected, and what happened instead.',
    })}
    ${textField(state, { name: 'client_version', label: 'Version', maxlength: MAX_CLIENT_VERSION })}
    ${textField(state, { name: 'os', label: 'Operating system', maxlength: MAX_PLATFORM })}
    ${textArea(state, {
      name: 'log',
      label: 'Log',
      rows: 6,
      hint: 'The last lines help most. Only the developers see them.',
    })}
  `,
  button: 'Send report',
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
  done: 'Your report was sent. We notify you when the bug is fixed.',
}

type Member = Context & { who: Identity }

async function formPage(context: Member, form: PlayerForm, game_id: string, refused?: FormState) {
  const { core, request, who } = context
  const { name, uid } = await readApi(request, readPublicListing, { params: { game_id } })
  if (isGated(who, await openPage(core, who, uid))) return gatePage(context, request.url)
  const saved = await form.saved?.(core.sql, who.user_uid, uid)
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
      ${fieldForm(state, parts, form.controls(state))}
      ${saved && form.afterSaved?.(uid)}
    `,
  })
}

export const playerFormRoutes = [reviewForm, tagForm, bugForm].flatMap((form) => [
  getPage(`/games/:game_id/${form.path}`, form.title('a listing'), {
    auth: member,
    params,
    handle: (input) => formPage(input, form, input.params.game_id),
  }),
  postForm(`/games/:game_id/${form.path}`, form.title('a listing'), {
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
