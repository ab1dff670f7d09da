import { Type } from 'typebox'
import { registerRoute } from '../../accounts/people/routes.ts'
import { callApi, passCookies } from '../call.ts'
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
import { redirectTo } from '../flash-message.ts'
import { localPath, withNext } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })

const renderSignup = (context: Context, next: string | undefined, state: FormState) =>
  page(context, {
    title: 'Sign up · Slipway',
    noindex: true,
    body: html`
      <section class="narrow">
        <h1>Create an account</h1>
        <p class="soft">Play, review and publish with one account.</p>
        ${formMessage(state, ['username', 'email', 'password'])}
        <form class="form" method="post" action="${withNext('/signup', next)}">
          ${textField(state, {
            name: 'username',
            label: 'Username',
            required: true,
            autocomplete: 'username',
            maxlength: 32,
            hint: '4 to 32 letters, digits and hyphens. It is part of your public address.',
          })}
          ${textField(state, {
            name: 'email',
            label: 'Email',
            type: 'email',
            required: true,
            autocomplete: 'email',
            maxlength: 320,
            hint: 'For codes and news about your projects. Nobody else sees it.',
          })}
          ${textField(state, {
            name: 'password',
            label: 'Password',
            type: 'password',
            required: true,
            autocomplete: 'new-password',
            maxlength: 512,
            hint: 'At least 10 characters. A short sentence works well.',
          })}
          ${button('Create account')}
        </form>
        <p class="aside">
          Already have an account? <a href="${withNext('/login', next)}">Log in</a>.
        </p>
      </section>
    `,
  })

export const signupPage = getPage('/signup', 'Signup page', {
  auth: visitor,
  query,
  handle: (input) =>
    input.who
      ? redirectTo(input.reply, '/settings')
      : renderSignup(input, localPath(input.query.next), emptyForm),
})

export const submitSignup = postForm('/signup', 'Create an account', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body } = input
    const next = localPath(input.query.next)
    const answer = await callApi(request, registerRoute, {
      body: {
        username: fieldValue(body, 'username'),
        email: fieldValue(body, 'email'),
        password: fieldValue(body, 'password'),
      },
    })
    if (!answer.ok) {
      reply.code(answer.status)
      return renderSignup(input, next, rejectedForm(body, answer))
    }
    passCookies(reply, answer)
    return redirectTo(
      reply,
      withNext('/settings/verify', next),
      `Welcome aboard, ${answer.data.user.username}`,
    )
  },
})
