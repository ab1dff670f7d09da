import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import {
  listBlockedRoute,
  listSweepsRoute,
  quarantineSweepRoute,
  readSweepRoute,
  startSweepRoute,
  unblockRoute,
} from '../../../moderation/sweeps/routes.ts'
import { MAX_HASHES, type SweepState } from '../../../moderation/sweeps/sweep-input.ts'
import { callApi, readApi } from '../../call.ts'
import {
  emptyForm,
  type FormState,
  fieldForm,
  fieldLines,
  fieldValue,
  formMessage,
  rejectedForm,
  textArea,
} from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { postButton } from '../../components/secret-field.ts'
import { emptyState, facts, table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { renderConsole } from '../console-page.ts'
import { reasonFields } from '../moderation/decision-form.ts'

const SECTION = '/operator/moderation'
const SWEEPS = `${SECTION}/sweeps`
const RULES = `${SWEEPS}/rules`
const BLOCKED = `${SWEEPS}/blocked`
const UNBLOCK = `${BLOCKED}/unblock`

type Sweeps = RouteData<typeof listSweepsRoute>
type Sweep = RouteData<typeof readSweepRoute>
type Match = Sweep['items'][number]

const stateTexts: Record<SweepState, Text> = {
  running: t('sweep-state-running'),
  ready: t('sweep-state-ready'),
  quarantined: t('sweep-state-quarantined'),
}

const scanTexts: Record<string, Text> = {
  scanning: t('sweep-scan-scanning'),
  clean: t('sweep-scan-clean'),
  infected: t('sweep-scan-infected'),
  error: t('sweep-scan-error'),
  quarantined: t('sweep-scan-quarantined'),
  withdrawn: t('sweep-scan-withdrawn'),
}

const subject = ({ sha256 }: Pick<Sweep, 'sha256'>): Text =>
  sha256 ? t('sweep-by-hash', { count: sha256.length }) : t('sweep-by-rule')

const links = (...items: [url: string, label: Text][]): Html => html`
  <p class="row">${items.map(([url, label]) => html`<a href="${url}">${label}</a> `)}</p>`

const startForm = (state: FormState): Html =>
  fieldForm(
    state,
    { action: SWEEPS, names: ['sha256'], submit: t('sweep-start') },
    textArea(state, {
      name: 'sha256',
      label: t('sweep-hashes'),
      hint: t('sweep-hashes-hint', { count: MAX_HASHES }),
      rows: 6,
      required: true,
    }),
  )

/** What the compiler says about a rule that it refused. */
const compilerOutput = ({ refused }: FormState): Html | string => {
  const output = refused?.details['compiler']
  return typeof output === 'string' ? html`<pre class="scroll" tabindex="0">${output}</pre>` : ''
}

const ruleForm = (state: FormState): Html => html`
  ${compilerOutput(state)}
  ${fieldForm(
    state,
    { action: RULES, names: ['yara'], submit: t('sweep-start-rule') },
    textArea(state, {
      name: 'yara',
      label: t('sweep-rule'),
      hint: t('sweep-rule-hint'),
      rows: 8,
      required: true,
    }),
  )}`

function sweepList(sweeps: Sweeps): Html {
  if (!sweeps.items.length) return emptyState(t('sweep-none'), t('sweep-none-text'))
  const head = [t('sweep-started'), t('sweep'), t('sweep-by'), t('sweep-files'), t('sweep-state')]
  const rows = sweeps.items.map((sweep) => [
    html`<a href="${SWEEPS}/${sweep.sweep_id}">${dateTimeTag(sweep.created_at)}</a>`,
    subject(sweep),
    sweep.created_by ?? '',
    sweep.matching_files,
    stateTexts[sweep.state],
  ])
  return html`${table(t('sweep-all'), head, rows)} ${pager(SWEEPS, sweeps)}`
}

type StartForms = { hashes?: FormState; rule?: FormState }

async function renderSweeps(
  context: Context,
  page: number,
  { hashes = emptyForm, rule = emptyForm }: StartForms = {},
) {
  const sweeps = await readApi(context.request, listSweepsRoute, { query: { page } })
  return renderConsole(context, SECTION, {
    title: t('sweeps'),
    body: html`
      ${links([SECTION, t('moderation-queue')], [BLOCKED, t('blocked-hashes')])}
      <p class="soft">${t('sweeps-text')}</p>
      <section class="panel">
        <h2>${t('sweep-new')}</h2>
        ${startForm(hashes)}
        ${ruleForm(rule)}
      </section>
      ${sweepList(sweeps)}`,
  })
}

const pageQuery = Type.Object({ page: Type.String({ default: '1' }) })

export const sweepsPage = getPage(SWEEPS, 'Sweeps, for moderators', {
  auth: consoleModerator,
  query: pageQuery,
  handle: (input) => renderSweeps(input, pageNumber(input.query.page)),
})

export const submitSweep = postForm(SWEEPS, 'Start a sweep', {
  auth: consoleModerator,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await callApi(request, startSweepRoute, {
      body: { sha256: fieldLines(body, 'sha256') },
    })
    if (answer.ok) return reply.redirect(`${SWEEPS}/${answer.data.sweep_id}`, 303)
    reply.code(answer.status)
    return renderSweeps(input, 1, { hashes: rejectedForm(body, answer) })
  },
})

export const submitRule = postForm(RULES, 'Start a sweep by rule', {
  auth: consoleModerator,
  async handle(input) {
    const { request, reply, body } = input
    const answer = await callApi(request, startSweepRoute, {
      body: { yara: fieldValue(body, 'yara') },
    })
    if (answer.ok) return reply.redirect(`${SWEEPS}/${answer.data.sweep_id}`, 303)
    reply.code(answer.status)
    return renderSweeps(input, 1, { rule: rejectedForm(body, answer) })
  },
})

const rulePart = (sweep: Sweep, url: string): Html | string =>
  sweep.yara === null
    ? ''
    : html`
        <h2>${t('sweep-progress')}</h2>
        <p>
          <progress max="${sweep.files}" value="${sweep.files_scanned}" aria-hidden="true"></progress>
          ${t('sweep-progress-text', { scanned: sweep.files_scanned, files: sweep.files })}
          ${sweep.state === 'running' && html`<a href="${url}">${t('sweep-reload')}</a>`}
        </p>
        ${
          sweep.files_failed > 0 &&
          html`<p>${t('sweep-failed-text', { count: sweep.files_failed })}</p>`
        }
        <details>
          <summary>${t('sweep-rule')}</summary>
          <pre class="scroll" tabindex="0">${sweep.yara}</pre>
        </details>`

const matchRow = (match: Match) => [
  match.game_name,
  match.version,
  match.publisher ?? '',
  html`<a href="${SECTION}/file/${match.file_uid}">${match.filename}</a>`,
  match.path ?? t('sweep-whole-file'),
  html`<code>${match.sha256.slice(0, 12)}</code>`,
  scanTexts[match.scan] ?? match.scan,
]

function matchTable(sweep: Sweep, url: string): Html {
  if (!sweep.total) return emptyState(t('sweep-no-matches'), t('sweep-no-matches-text'))
  const head = [
    t('sweep-listing'),
    t('sweep-version'),
    t('sweep-publisher'),
    t('sweep-file'),
    t('sweep-entry'),
    t('blocked-hash'),
    t('sweep-scan'),
  ]
  return html`
    ${table(t('sweep-matches'), head, sweep.items.map(matchRow))}
    ${pager(url, sweep)}`
}

const quarantineForm = (url: string, state: FormState): Html => html`
  <section class="panel" id="decide">
    <h2>${t('sweep-quarantine')}</h2>
    <p>${t('sweep-quarantine-text')}</p>
    ${fieldForm(
      state,
      {
        action: `${url}/quarantine`,
        names: ['ground', 'facts', 'statement'],
        submit: t('sweep-quarantine'),
      },
      reasonFields(state, true),
    )}
  </section>`

type SweepView = { sweep_id: string; page: number; state?: FormState }

async function renderSweep(context: Context, { sweep_id, page, state = emptyForm }: SweepView) {
  const url = `${SWEEPS}/${sweep_id}`
  const sweep = await readApi(context.request, readSweepRoute, {
    params: { sweep_id },
    query: { page },
  })
  return renderConsole(context, SECTION, {
    title: t('sweep'),
    body: html`
      ${links([SWEEPS, t('sweep-all')], [BLOCKED, t('blocked-hashes')])}
      ${facts([
        [t('sweep-started'), dateTimeTag(sweep.created_at)],
        sweep.created_by && [t('sweep-by'), sweep.created_by],
        [t('sweep'), subject(sweep)],
        [t('sweep-state'), stateTexts[sweep.state]],
        [t('sweep-files'), sweep.matching_files],
      ])}
      ${rulePart(sweep, url)}
      <h2>${t('sweep-matches')}</h2>
      ${matchTable(sweep, url)}
      ${sweep.state === 'ready' && quarantineForm(url, state)}`,
  })
}

const sweepParams = Type.Object({ sweep_id: Type.String() })

export const sweepPage = getPage(`${SWEEPS}/:sweep_id`, 'A sweep and its matches', {
  auth: consoleModerator,
  params: sweepParams,
  query: pageQuery,
  handle: (input) =>
    renderSweep(input, {
      sweep_id: input.params.sweep_id,
      page: pageNumber(input.query.page),
    }),
})

export const submitQuarantine = postForm(
  `${SWEEPS}/:sweep_id/quarantine`,
  'Quarantine the matches of a sweep',
  {
    auth: consoleModerator,
    params: sweepParams,
    async handle(input) {
      const { request, reply, body, params } = input
      const answer = await callApi(request, quarantineSweepRoute, {
        params,
        body: {
          ground: fieldValue(body, 'ground'),
          facts: fieldValue(body, 'facts'),
          statement: fieldValue(body, 'statement'),
        },
      })
      if (answer.ok) {
        const { quarantined: files, blocked: hashes } = answer.data
        const url = `${SWEEPS}/${params.sweep_id}`
        return redirectTo(reply, url, t('sweep-quarantined', { files, hashes }))
      }
      reply.code(answer.status)
      return renderSweep(input, { ...params, page: 1, state: rejectedForm(body, answer) })
    },
  },
)

async function renderBlocked(context: Context, page: number, state?: FormState) {
  const blocked = await readApi(context.request, listBlockedRoute, { query: { page } })
  const head = [t('blocked-hash'), t('blocked-at'), t('blocked-by'), t('sweep'), t('unblock')]
  const rows = blocked.items.map(({ sha256, blocked_at, blocked_by, sweep_id }) => [
    html`<code>${sha256}</code>`,
    dateTimeTag(blocked_at),
    blocked_by ?? '',
    sweep_id ? html`<a href="${SWEEPS}/${sweep_id}">${t('sweep')}</a>` : '',
    postButton(t('unblock'), UNBLOCK, {
      fields: html`<input type="hidden" name="sha256" value="${sha256}">`,
    }),
  ])
  return renderConsole(context, SECTION, {
    title: t('blocked-hashes'),
    body: html`
      ${state && formMessage(state)}
      ${links([SWEEPS, t('sweep-all')])}
      <p class="soft">${t('blocked-hashes-text')}</p>
      ${
        rows.length
          ? html`${table(t('blocked-hashes'), head, rows)} ${pager(BLOCKED, blocked)}`
          : emptyState(t('blocked-hashes-none'), t('blocked-hashes-none-text'))
      }`,
  })
}

export const blockedPage = getPage(BLOCKED, 'Blocked hashes, for moderators', {
  auth: consoleModerator,
  query: pageQuery,
  handle: (input) => renderBlocked(input, pageNumber(input.query.page)),
})

export const submitUnblock = postForm(UNBLOCK, 'Allow uploads with a blocked hash again', {
  auth: consoleModerator,
  async handle(input) {
    const { request, reply, body } = input
    const params = { sha256: fieldValue(body, 'sha256') }
    const answer = await callApi(request, unblockRoute, { params })
    if (answer.ok) return redirectTo(reply, BLOCKED, t('unblocked'))
    reply.code(answer.status)
    return renderBlocked(input, 1, rejectedForm(body, answer))
  },
})

export const sweepPages = [
  sweepsPage,
  submitSweep,
  submitRule,
  sweepPage,
  submitQuarantine,
  blockedPage,
  submitUnblock,
]
