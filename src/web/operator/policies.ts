import { Type } from 'typebox'
import {
  dayOf,
  isPolicyKind,
  type PolicyKind,
  policyLimits,
} from '../../accounts/policies/policies.ts'
import {
  listAllPoliciesRoute,
  publishPolicyRoute,
  readPolicyRoute,
} from '../../accounts/policies/routes.ts'
import { OneOf, type RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { languageNames } from '../../core/text/languages.ts'
import { t } from '../../core/text/text.ts'
import { callApi, readApi } from '../call.ts'
import {
  button,
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textArea,
  textField,
} from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { table } from '../components/table.ts'
import { previewButton, previewDialog } from '../dashboard/page/preview.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { policyText, policyTitle } from '../policies/policy-page.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'
import { readTemplate, templateLanguages } from './policy-templates.ts'

const POLICIES = '/operator/policies'
const params = Type.Object({ kind: Type.String() })
const kindOf = ({ kind }: { kind: string }): PolicyKind =>
  isPolicyKind(kind) ? kind : refuse('NOT_FOUND')

type Policies = RouteData<typeof listAllPoliciesRoute>['policies']
type Versions = Policies[number]['versions']

async function readVersions({ request }: Context, kind: PolicyKind): Promise<Versions> {
  const { policies } = await readApi(request, listAllPoliciesRoute)
  return policies.find((policy) => policy.kind === kind)?.versions ?? []
}

const policyRow = ({ kind, versions }: Policies[number]) => {
  const newest = versions[0]
  return [
    html`<a href="${POLICIES}/${kind}">${policyTitle(kind)}</a>`,
    newest ? t('policy-version', { version: newest.version }) : t('policy-none'),
    newest ? dateTag(newest.effective_from) : '',
    newest?.username ?? '',
    newest ? html`<a href="/${kind}">${t('policy-open')}</a>` : '',
  ]
}

export const policiesPage = getPage(POLICIES, 'The policies of the store, for operators', {
  auth: consoleOperator,
  async handle(input) {
    const { policies } = await readApi(input.request, listAllPoliciesRoute)
    const head = [
      t('policy-page'),
      t('policy-newest'),
      t('policy-effective'),
      t('policy-author'),
      t('policy-link'),
    ]
    return renderConsole(input, POLICIES, {
      body: html`
        <p>${t('policies-text')}</p>
        ${table(t('policies'), head, policies.map(policyRow))}
      `,
    })
  },
})

/** Links that fill the form with a template. */
const templateLinks = (kind: PolicyKind): Html => html`
  <p class="notice">
    <span>
      ${t('policy-templates')}
      ${templateLanguages.map(
        (language) => html`
          <a class="spaced" href="${POLICIES}/${kind}?template=${language}" lang="${language}"
            >${languageNames[language]}</a>
        `,
      )}
    </span>
  </p>`

function editorForm(kind: PolicyKind, state: FormState): Html {
  const text = textArea(state, {
    name: 'text',
    label: t('policy-text'),
    rows: 24,
    maxlength: policyLimits.text,
    required: true,
    hint: t('policy-text-hint'),
  })
  const summary = textArea(state, {
    name: 'summary',
    label: t('policy-summary'),
    rows: 3,
    maxlength: policyLimits.summary,
    hint: t('policy-summary-hint'),
  })
  const effective_from = textField(state, {
    name: 'effective_from',
    label: t('policy-effective'),
    type: 'date',
    required: true,
    hint: kind === 'terms' ? t('policy-effective-terms') : t('policy-effective-hint'),
  })
  const names = ['text', 'summary', 'effective_from']
  const submit = html`
    ${button(t('policy-publish'), { kind: 'ink' })}
    ${previewButton(`${POLICIES}/${kind}/preview`)}`
  const form = { action: `${POLICIES}/${kind}`, names, submit, guarded: true }
  const previous = html`
    <input type="hidden" name="previous_version"
      value="${String(state.values.previous_version ?? 0)}">`
  return fieldForm(state, form, html`${previous}${text}${summary}${effective_from}`)
}

function renderEditor(context: Context, kind: PolicyKind, state: FormState, versions: Versions) {
  const published = html`
    <h2>${t('policy-versions')}</h2>
    <ul>
      ${versions.map(
        ({ version, effective_from, username }) => html`
          <li>
            <a href="/${kind}?version=${version}">${t('policy-version', { version })}</a>,
            ${richText('policy-from', { date: dateTag(effective_from) })}
            ${username && html` · ${username}`}
          </li>
        `,
      )}
    </ul>`
  return renderConsole(context, POLICIES, {
    title: policyTitle(kind),
    scripts: ['unsaved.mjs', 'preview.mjs'],
    body: html`
      ${templateLinks(kind)}
      ${editorForm(kind, state)}
      ${versions.length > 0 && published}
      ${previewDialog}
    `,
  })
}

export const editPolicyPage = getPage(`${POLICIES}/:kind`, 'Write a policy of the store', {
  auth: consoleOperator,
  params,
  query: Type.Object({ template: Type.Optional(OneOf(templateLanguages)) }),
  async handle(input) {
    const kind = kindOf(input.params)
    const versions = await readVersions(input, kind)
    const { template } = input.query
    const newest = versions[0]?.version
    const text = template
      ? readTemplate(input.core, kind, template)
      : newest
        ? (
            await readApi(input.request, readPolicyRoute, {
              params: { policy: kind },
              query: { version: newest },
            })
          ).text
        : ''
    const values = { text, previous_version: newest ?? 0, effective_from: dayOf(new Date()) }
    return renderEditor(input, kind, { values }, versions)
  },
})

const readPolicy = (kind: PolicyKind, body: FormBody) => ({
  kind,
  text: fieldValue(body, 'text'),
  summary: fieldValue(body, 'summary'),
  effective_from: fieldValue(body, 'effective_from'),
  // A form without a readable number is out of date, like one with an old number.
  previous_version: Math.max(
    0,
    Math.min(1_000_000, Number.parseInt(fieldValue(body, 'previous_version'), 10) || 0),
  ),
})

export const submitPolicy = postForm(`${POLICIES}/:kind`, 'Publish a version of a policy', {
  auth: consoleOperator,
  params,
  async handle(input) {
    const { request, reply, body } = input
    const kind = kindOf(input.params)
    const answer = await callApi(request, publishPolicyRoute, { body: readPolicy(kind, body) })
    if (!answer.ok) {
      const versions = await readVersions(input, kind)
      reply.code(answer.status)
      return renderEditor(input, kind, rejectedForm(body, answer), versions)
    }
    const { version } = answer.data
    return redirectTo(reply, POLICIES, t('policy-published', { version }))
  },
})

export const previewPolicy = postForm(
  `${POLICIES}/:kind/preview`,
  'Preview a policy without publishing it',
  {
    auth: consoleOperator,
    params,
    async handle(input) {
      const kind = kindOf(input.params)
      return renderConsole(input, POLICIES, {
        title: t('editor-preview'),
        body: html`
          <article class="preview">
            <h2>${policyTitle(kind)}</h2>
            ${policyText(fieldValue(input.body, 'text'))}
          </article>
        `,
      })
    },
  },
)

export const policyEditorRoutes = [policiesPage, editPolicyPage, submitPolicy, previewPolicy]
