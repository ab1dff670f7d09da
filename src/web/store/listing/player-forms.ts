import { Type } from 'typebox'
import { tagLimits } from '../../../library/community-tags.ts'
import { openPage } from '../../../listings/page/page.ts'
import { call, read } from '../../call.ts'
import {
  button,
  checkField,
  choiceField,
  emptyForm,
  type FormState,
  fieldValue,
  formMessage,
  isChecked,
  rejectedForm,
  textArea,
  textField,
} from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { type Context, page } from '../../components/layout.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { gatePage, isGated } from './adult-gate.ts'

const params = Type.Object({ game_id: Type.String() })

/** What a player may say of a game: one form each, on a page of its own, so that nothing typed is lost. */
type Saying = {
  path: string
  title: (name: string) => string
  fields: readonly string[]
  form: (state: FormState) => Html
  send: (sent: Parameters<typeof fieldValue>[0]) => {
    method: 'PUT' | 'POST'
    path: string
    body: object
  }
  done: string
  after?: (uid: string) => Html
}

const sayings: Saying[] = [
  {
    path: 'review',
    title: (name) => `Review ${name}`,
    fields: ['enjoyed', 'quality', 'would_play_with_friends', 'text'],
    form: (state) => html`
      ${choiceField(state, {
        name: 'enjoyed',
        label: 'Did you enjoy it?',
        type: 'radio',
        options: [
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No' },
        ],
      })}
      ${choiceField(state, { name: 'quality', label: 'How well is it made?', type: 'radio', options: ['5', '4', '3', '2', '1'].map((value) => ({ value, label: `${value} of 5` })) })}
      ${checkField(state, { name: 'would_play_with_friends', label: 'I would play it with friends' })}
      ${textArea(state, { name: 'text', label: 'In your words', maxlength: 4000, rows: 8, hint: 'Markdown. What would you have liked to know before?' })}
      ${button('Publish the review')}`,
    send: (sent) => ({
      method: 'PUT',
      path: 'review',
      body: {
        enjoyed: { yes: true, no: false }[fieldValue(sent, 'enjoyed')],
        quality: Number(fieldValue(sent, 'quality')) || undefined,
        would_play_with_friends: isChecked(sent, 'would_play_with_friends') ? true : null,
        text: fieldValue(sent, 'text'),
      },
    }),
    done: 'Your review is published',
    after: (uid) =>
      html`<details class="aside"><summary>Take a review back</summary><form class="row" method="post" action="/games/${uid}/review/delete"><label class="choice"><input type="checkbox" name="sure" value="yes"><span>Yes, delete it</span></label><button class="button button-danger button-small">Delete my review</button></form></details>`,
  },
  {
    path: 'tags',
    title: (name) => `Suggest tags for ${name}`,
    fields: ['tags'],
    form: (state) =>
      html`${textField(state, { name: 'tags', label: 'Tags, separated by commas', maxlength: 200, hint: `Up to ${tagLimits.suggestions}. One is shown once ${tagLimits.votes_to_show} players suggested it. Empty takes yours back.` })}${button('Suggest them')}`,
    send: (sent) => ({
      method: 'PUT',
      path: 'tag-suggestions',
      body: {
        tags: fieldValue(sent, 'tags')
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      },
    }),
    done: 'Thank you for the tags',
  },
  {
    path: 'bug',
    title: (name) => `Report a bug of ${name}`,
    fields: ['message', 'client_version', 'os', 'log'],
    form: (state) => html`
      ${textArea(state, { name: 'message', label: 'What happened?', required: true, rows: 5, hint: 'What you did, what you expected, and what happened instead.' })}
      ${textField(state, { name: 'client_version', label: 'Version', maxlength: 64 })}
      ${textField(state, { name: 'os', label: 'Your system', maxlength: 64 })}
      ${textArea(state, { name: 'log', label: 'Log', rows: 6, hint: 'The last lines are the ones that help. Only the makers see them.' })}
      ${button('Send the report')}`,
    send: (sent) => ({
      method: 'POST',
      path: 'bug-reports',
      body: Object.fromEntries(
        ['message', 'client_version', 'os', 'log']
          .map((name) => [name, fieldValue(sent, name)] as const)
          .filter(([, value]) => value),
      ),
    }),
    done: 'The makers have your report; you will be told when it is fixed',
  },
]

async function sayingPage(context: Context, saying: Saying, game_id: string, state: FormState) {
  const { name, uid } = await read(
    context.request,
    `/api/v1/public/games/${encodeURIComponent(game_id)}`,
  )
  if (isGated(context.who, await openPage(context.core, context.who, uid)))
    return gatePage(context, context.request.url)
  return page(context, {
    title: `${saying.title(name)} · Slipway`,
    noindex: true,
    body: html`<section class="narrow"><p><a href="/games/${uid}">${name}</a></p><h1>${saying.title(name)}</h1>${formMessage(state, saying.fields)}
<form class="form" method="post" action="/games/${uid}/${saying.path}">${saying.form(state)}</form>${saying.after?.(uid)}</section>`,
  })
}

export const sayingRoutes = sayings.flatMap((saying) => [
  getPage(`/games/:game_id/${saying.path}`, saying.title('a listing'), {
    auth: member,
    params,
    handle: (input) => sayingPage(input, saying, input.params.game_id, emptyForm),
  }),
  postForm(`/games/:game_id/${saying.path}`, saying.title('a listing'), {
    auth: member,
    params,
    async handle(input) {
      const { request, reply, body, params } = input
      const { method, path, body: sent } = saying.send(body)
      const answer = await call(
        request,
        method,
        `/api/v1/private/games/${encodeURIComponent(params.game_id)}/${path}`,
        sent,
      )
      if (!answer.ok)
        return sayingPage(
          { ...input, reply: reply.code(answer.status) },
          saying,
          params.game_id,
          rejectedForm(body, answer),
        )
      return redirectTo(reply, `/games/${encodeURIComponent(params.game_id)}`, saying.done)
    },
  }),
])
