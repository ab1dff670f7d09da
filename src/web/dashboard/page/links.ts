import type { RouteData } from '../../../core/http/route.ts'
import { listTexts, t } from '../../../core/text/text.ts'
import { MAX_URL } from '../../../listings/fields/text.ts'
import { readStoreLinksRoute, storeLinksRoute } from '../../../listings/listing/edit-routes.ts'
import { readApi } from '../../call.ts'
import {
  type FormBody,
  type FormState,
  fieldForm,
  fieldValue,
  textField,
} from '../../components/form.ts'
import { html } from '../../components/html.ts'
import { formState, projectForm, sendTo } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'

type Store = RouteData<typeof readStoreLinksRoute>['stores'][number]
const MAX_HOSTS_SHOWN = 3

const hostHint = (hosts: string[]) => {
  const names = listTexts(hosts.slice(0, MAX_HOSTS_SHOWN), 'unit')
  return hosts.length > MAX_HOSTS_SHOWN
    ? t('store-link-hint-others', { hosts: names })
    : t('store-link-hint', { hosts: names })
}

/** The API names a refused link by its index; the form has a field for each store. */
function refusedAtStore(state: FormState, stores: Store[]): FormState {
  const { refused, values } = state
  const index = refused?.field?.match(/^store_links\[(\d+)\]/)?.[1]
  if (!refused || index === undefined) return state
  const filled = stores.filter(({ platform }) => String(values[platform] ?? '').trim() !== '')
  return { ...state, refused: { ...refused, field: filled[Number(index)]?.platform ?? null } }
}

const storeField = (state: FormState, { platform, label, hosts }: Store) =>
  textField(state, {
    name: platform,
    label,
    type: 'url',
    maxlength: MAX_URL,
    hint: hostHint(hosts),
  })

export async function showLinks(project: ProjectContext, result: FormResult) {
  const { request, uid, base } = project
  const { store_links, stores } = await readApi(request, readStoreLinksRoute, { params: { uid } })
  const saved = Object.fromEntries(store_links.map(({ platform, url }) => [platform, url]))
  const state = refusedAtStore(formState(result, 'links', saved), stores)
  const names = stores.map(({ platform }) => platform)
  const form = fieldForm(
    state,
    { action: `${base}/links`, names, submit: t('store-links-save') },
    stores.map((store) => storeField(state, store)),
  )
  return renderSection(project, 'links', {
    title: t('section-links'),
    body: html`
      ${subsection('stores', t('store-links'), form, t('store-links-text'))}`,
  })
}

const readLinks = (sent: FormBody) =>
  Object.keys(sent ?? {})
    .filter((platform) => fieldValue(sent, platform).trim() !== '')
    .sort()
    .map((platform) => ({ platform, url: fieldValue(sent, platform).trim() }))

export const linkRoutes = [
  projectPage('links', 'The store links of a project', showLinks),
  projectForm(
    'links',
    'Save the store links of a project',
    sendTo(storeLinksRoute, (sent) => ({ store_links: readLinks(sent) })),
    {
      form: 'links',
      show: showLinks,
      done: t('store-links-saved'),
      back: 'links',
    },
  ),
]
