import { Type } from 'typebox'
import { call, passCookies } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldValue,
  formMessage,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { html } from '../components/html.ts'
import { type Context, page } from '../components/layout.ts'
import { localPath, redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })
const fields = ['username', 'email', 'password'] as const

const signupPage = (context: Context, next: string | undefined, state: FormState) =>
  page(context, {
    title: 'Join · Slipway',
    noindex: true,
    body: html`<section class="narrow">
      <h1>Make an account</h1>
      <p class="soft">One account plays, reviews and publishes. We ask for what is needed and nothing more.</p>
      ${formMessage(state, fields)}
      <form class="form" method="post" action="/signup${next && `?next=${encodeURIComponent(next)}`}">
        ${textField(state, { name: 'username', label: 'Username', required: true, autocomplete: 'username', maxlength: 32, hint: '4 to 32 letters, digits and hyphens. It is part of the address of your page.' })}
        ${textField(state, { name: 'email', label: 'Email', type: 'email', required: true, autocomplete: 'email', maxlength: 320, hint: 'For codes and news of your own projects. Nobody else sees it.' })}
        ${textField(state, { name: 'password', label: 'Password', type: 'password', required: true, autocomplete: 'new-password', maxlength: 512, hint: 'At least 10 characters. A short sentence is good.' })}
        ${button('Make the account')}
      </form>
      <p class="aside">Have one already? <a href="/login${next && `?next=${encodeURIComponent(next)}`}">Log in</a>.</p>
    </section>`,
  })

export const showSignup = getPage('/signup', 'Make an account', {
  auth: visitor,
  query,
  handle: (input) =>
    input.who
      ? redirectTo(input.reply, '/settings')
      : signupPage(input, localPath(input.query.next), emptyForm),
})

export const sendSignup = postForm('/signup', 'Make an account', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const asked = Object.fromEntries(fields.map((name) => [name, fieldValue(body, name)]))
    const answer = await call(request, 'POST', '/api/v1/private/account/register', asked)
    if (!answer.ok)
      return signupPage(
        { ...input, reply: reply.code(answer.status) },
        next,
        rejectedForm(body, answer),
      )
    passCookies(reply, answer)
    return redirectTo(
      reply,
      `/settings/verify${next ? `?next=${encodeURIComponent(next)}` : ''}`,
      `Welcome aboard, ${answer.data.user.username}`,
    )
  },
})
