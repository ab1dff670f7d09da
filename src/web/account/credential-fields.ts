import { passwordLengths } from '../../accounts/credentials/password-rules.ts'
import { MAX_EMAIL } from '../../accounts/people/usernames.ts'
import { type Text, t } from '../../core/text/text.ts'
import { type FormState, textField } from '../components/form.ts'
import type { Html } from '../components/html.ts'

/** The username or the email address of an account. */
export const loginField = (state: FormState): Html =>
  textField(state, {
    name: 'login',
    label: t('login-name'),
    required: true,
    autocomplete: 'username',
    maxlength: MAX_EMAIL,
  })

export const passwordField = (state: FormState): Html =>
  textField(state, {
    name: 'password',
    label: t('password'),
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    maxlength: 512,
  })

export const emailField = (state: FormState, label: Text, hint?: Text): Html =>
  textField(state, {
    name: 'email',
    label,
    type: 'email',
    required: true,
    autocomplete: 'email',
    maxlength: MAX_EMAIL,
    ...(hint && { hint }),
  })

/** The six digits of a mail. */
export const codeField = (state: FormState): Html =>
  textField(state, {
    name: 'code',
    label: t('six-digit-code'),
    required: true,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    maxlength: 6,
  })

/**
 * Without a maximum length, because browsers cut a longer password silently. The refusal of one
 * that is too long names the limit.
 */
export const newPasswordField = (state: FormState, label: Text): Html =>
  textField(state, {
    name: 'password',
    label,
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    hint: t('password-hint', { min: passwordLengths.min }),
  })
