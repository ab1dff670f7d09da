import { type FormState, textField } from '../components/form.ts'
import type { Html } from '../components/html.ts'

/** The username or the email address of an account. */
export const loginField = (state: FormState): Html =>
  textField(state, {
    name: 'login',
    label: 'Username or email',
    required: true,
    autocomplete: 'username',
    maxlength: 320,
  })

export const newPasswordField = (state: FormState, label: string): Html =>
  textField(state, {
    name: 'password',
    label,
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    maxlength: 512,
    hint: 'At least 10 characters. A short sentence works well.',
  })
