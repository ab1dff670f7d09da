import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { PendingTerms } from '../accounts/policies/acceptance.ts'
import { type Input, type Route, route, type Scheme } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal } from '../core/runtime/errors.ts'
import { chain, type MaybePromise } from '../core/runtime/maybe-promise.ts'
import { limitKey } from '../core/security/client-address.ts'
import { type Limit, perIp } from '../core/security/limits.ts'
import { renderConfirm } from './account/security/confirm-form.ts'
import type { FormBody } from './components/form.ts'
import type { Context } from './components/layout.ts'
import { renderTermsForm } from './policies/terms-form.ts'
import { termsBeforePage } from './policies/terms-gate.ts'
import { pendingField, pendingForm, renderSignInAgain } from './resume-form.ts'
import {
  consoleFormSender,
  consoleModerator,
  consoleOperator,
  formSender,
  member,
  moderatorFormSender,
} from './visitor.ts'

type Nothing = TObject<Record<never, never>>
type Parts<Who, Params extends TSchema, Query extends TSchema> = {
  auth: Scheme<Who>
  params?: Params
  query?: Query
  limits?: Limit[]
  cache?: string
  handle: (input: Input<Who, Static<Params>, Static<Query>, FormBody>) => MaybePromise<unknown>
}

/** More than a person opens, and an end to a script that scrapes. */
const PAGES = 'pages'
const limit = perIp(600, { bucket: PAGES })
const limits = [limit]
const common = { role: 'web', page: true, hidden: true, envelope: false, limits } as const

/** Counts a page against the limit, for a page that is free only when it comes from a cache. */
export const countPage = ({ limiter }: Core, { ip_address }: FastifyRequest): MaybePromise<void> =>
  limiter.take(`${limit.by} ${PAGES}`, limitKey(ip_address), limit)

/** A page of the website. */
export const getPage = <Who, Params extends TSchema = Nothing, Query extends TSchema = Nothing>(
  url: string,
  summary: string,
  parts: Parts<Who, Params, Query>,
): Route => route({ method: 'GET', url, summary, ...common, ...parts } as never)

/** How the sender of a form is identified where its page needs a session. */
const formSenders = new Map<Scheme<unknown>, Scheme<unknown>>([
  [member as Scheme<unknown>, formSender as Scheme<unknown>],
  [consoleOperator as Scheme<unknown>, consoleFormSender as Scheme<unknown>],
  [consoleModerator as Scheme<unknown>, moderatorFormSender as Scheme<unknown>],
])

/**
 * Receives a form. It answers with a redirect, or with the page again, showing the values and the
 * error. If the session has ended, the terms are not accepted, or a fresh proof is needed, it asks
 * for that first and keeps what was typed.
 */
export const postForm = <Who, Params extends TSchema = Nothing, Query extends TSchema = Nothing>(
  url: string,
  summary: string,
  parts: Parts<Who, Params, Query>,
): Route => {
  const { auth, handle } = parts
  const sender = formSenders.get(auth as Scheme<unknown>)
  const guarded = sender && {
    auth: sender,
    handle: (input: Input<Who | null, Static<Params>, Static<Query>, FormBody>) =>
      input.who === null
        ? askToSignIn(input as never)
        : chain(termsBeforePage(input.core, input.request, input.who as never), (pending) =>
            pending
              ? askToAccept(input as never, pending)
              : withConfirmation(input as never, () =>
                  handle(input as Parameters<typeof handle>[0]),
                ),
          ),
  }
  const form = { method: 'POST', url, summary, ...common, body: FormData, ...parts, ...guarded }
  return route(form as never)
}

function askToSignIn(input: Context & { body: FormBody }) {
  input.reply.code(401)
  return renderSignInAgain(input, pendingForm(input.request.url, input.body))
}

/** The form travels with the acceptance of the terms, and is sent after it. */
function askToAccept(input: Context & { body: FormBody }, pending: PendingTerms) {
  input.reply.code(403)
  const hidden = pendingField(pendingForm(input.request.url, input.body))
  return renderTermsForm(input, { pending, hidden })
}

/** Where what the form does needs a fresh proof, it asks for one and keeps what was typed. */
async function withConfirmation(
  input: Context & { body: FormBody },
  handle: () => MaybePromise<unknown>,
): Promise<unknown> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal !== 'STEP_UP_REQUIRED') throw error
    input.reply.code(error.status)
    return renderConfirm(input, { pending: pendingForm(input.request.url, input.body) })
  }
}

/** A form that is only a button has no fields. */
const FormData = Type.Union([
  Type.Null(),
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
])

const MIN_UPLOAD_SECONDS = 300
const MIN_BYTES_PER_SECOND = 512 * 1024

/** What every route that reads a form with files has in common. */
export const uploadRouteParts = {
  method: 'POST',
  role: 'web',
  hidden: true,
  page: true,
  envelope: false,
  raw_body: true,
  auth: member,
  receive_seconds: (bytes: number) => MIN_UPLOAD_SECONDS + bytes / MIN_BYTES_PER_SECOND,
} as const
