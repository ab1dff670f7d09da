import { readStatusRoute, replayJobsRoute } from '../../accounts/people/operator-routes.ts'
import { t } from '../../core/text/text.ts'
import { callApi, readApi } from '../call.ts'
import { type FormState, fieldValue, formMessage, rejectedForm } from '../components/form.ts'
import { dateTimeTag } from '../components/format.ts'
import { html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { postButton } from '../components/secret-field.ts'
import { emptyState, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const URL = '/operator/jobs'
const REPLAY = `${URL}/replay`

async function renderJobs(context: Context, state?: FormState) {
  const { dead_jobs } = await readApi(context.request, readStatusRoute)
  const rows = dead_jobs.map(({ id, name, error, attempts, failed_at }) => [
    html`<code>${name}</code>`,
    html`<span class="job-error">${error || t('job-no-error')}</span>`,
    attempts,
    dateTimeTag(failed_at),
    postButton(t('job-replay'), REPLAY, {
      fields: html`<input type="hidden" name="id" value="${id}">`,
    }),
  ])
  const head = [
    t('job-name'),
    t('job-error'),
    t('job-attempts'),
    t('job-failed-at'),
    t('job-replay'),
  ]
  return renderConsole(context, URL, {
    body: html`
      ${state && formMessage(state)}
      <p class="soft">${t('console-jobs-text')}</p>
      ${
        rows.length
          ? html`
              ${table(t('console-jobs'), head, rows)}
              ${postButton(t('job-replay-all'), REPLAY, {
                kind: 'ink',
                fields: html`<input type="hidden" name="id" value="all">`,
              })}`
          : emptyState(t('jobs-none'), t('jobs-none-text'))
      }`,
  })
}

export const jobsPage = getPage(URL, 'Jobs that used up their attempts', {
  auth: consoleOperator,
  handle: (input) => renderJobs(input),
})

export const replayJobs = postForm(REPLAY, 'Retry jobs', {
  auth: consoleOperator,
  async handle(input) {
    const { request, reply, body } = input
    const id = fieldValue(body, 'id')
    const answer = await callApi(request, replayJobsRoute, {
      body: id === 'all' ? {} : { ids: [id] },
    })
    if (answer.ok)
      return redirectTo(reply, URL, t('jobs-replayed', { count: answer.data.replayed }))
    reply.code(answer.status)
    return renderJobs(input, rejectedForm(body, answer))
  },
})
