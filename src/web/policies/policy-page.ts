import { Type } from 'typebox'
import { type PolicyKind, policyKinds } from '../../accounts/policies/policies.ts'
import { readPolicyRoute } from '../../accounts/policies/routes.ts'
import type { Route, RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { readApi } from '../call.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import { page, withStoreName } from '../components/layout.ts'
import { linkTo } from '../components/link.ts'
import { markdown } from '../components/markdown.ts'
import { getPage } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

type Policy = RouteData<typeof readPolicyRoute>
type Version = Policy['versions'][number]

export const policyTitle = (kind: PolicyKind): Text => t(`policy-${kind}`)

/** Headings of the text are those of the page, below its title. */
export const policyText = (text: string): Html => markdown(text, { heading_shift: 1 })

/** The address of a version. */
const versionUrl = (kind: PolicyKind, { version }: Version) => `/${kind}?version=${version}`

/** How the version that is shown relates to the one that applies. */
function versionNotice({ kind, version, in_effect, effective_from, versions }: Policy): Html | '' {
  const newest = versions[0]!
  if (in_effect && newest.version === version) return ''
  if (in_effect)
    return html`
      <p class="notice">
        <span>
          ${richText('policy-upcoming', {
            version: newest.version,
            date: dateTag(newest.effective_from),
            link: linkTo(versionUrl(kind, newest)),
          })}
        </span>
      </p>`
  const is_future = newest.version === version
  return html`
    <p class="notice notice-warn">
      <span>
        ${
          is_future
            ? richText('policy-not-yet', { version, date: dateTag(effective_from) })
            : richText('policy-outdated', { version, link: linkTo(`/${kind}`) })
        }
      </span>
    </p>`
}

const versionEntry = (kind: PolicyKind, current: number) => (version: Version) => {
  const { summary, effective_from } = version
  const is_current = version.version === current && html` aria-current="page"`
  return html`
    <li>
      <a href="${versionUrl(kind, version)}"${is_current}
        >${t('policy-version', { version: version.version })}</a>,
      ${richText('policy-from', { date: dateTag(effective_from) })}
      ${summary && html`<p class="soft">${summary}</p>`}
    </li>`
}

const policyBody = (policy: Policy): Html => html`
  <article class="policy">
    <h1>${policyTitle(policy.kind)}</h1>
    <p class="soft">
      ${richText('policy-version-from', {
        version: policy.version,
        date: dateTag(policy.effective_from),
      })}
    </p>
    ${versionNotice(policy)}
    ${policyText(policy.text)}
    <section class="policy-versions" aria-labelledby="policy-versions">
      <h2 id="policy-versions">${t('policy-versions')}</h2>
      <ul>${policy.versions.map(versionEntry(policy.kind, policy.version))}</ul>
    </section>
  </article>`

const policyPage = (kind: PolicyKind): Route =>
  getPage(`/${kind}`, `The page “${kind}” of the store`, {
    auth: visitor,
    query: Type.Object({
      version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    }),
    async handle(input) {
      const { version } = input.query
      const policy = await readApi(input.request, readPolicyRoute, {
        params: { policy: kind },
        query: version === undefined ? {} : { version },
      })
      return page(input, {
        title: withStoreName(input.core, policyTitle(kind)),
        canonical: `/${kind}`,
        noindex: version !== undefined,
        body: policyBody(policy),
      })
    },
  })

export const policyPages: Route[] = policyKinds.map(policyPage)
