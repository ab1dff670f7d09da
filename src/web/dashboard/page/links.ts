import { read } from '../../call.ts'
import {
  button,
  type FormState,
  fieldValue,
  formMessage,
  textField,
} from '../../components/form.ts'
import { html } from '../../components/html.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'

type Links = {
  store_links: { platform: string; label: string; url: string }[]
  stores: { platform: string; label: string; hosts: string[] }[]
}

const some = (hosts: string[]) =>
  hosts.length > 3 ? `${hosts.slice(0, 3).join(', ')} and others` : hosts.join(', ')

/** The API counts the links it was sent; the form has a field for each store. */
function atStore(state: FormState, stores: Links['stores']): FormState {
  const { refused, values } = state
  const index = refused?.field?.match(/^store_links\[(\d+)\]/)?.[1]
  if (!refused || index === undefined) return state
  const filled = stores.filter(({ platform }) => String(values[platform] ?? '').trim() !== '')
  return { ...state, refused: { ...refused, field: filled[Number(index)]?.platform ?? null } }
}

export async function showLinks(desk: Desk, filled: Filled) {
  const { store_links, stores } = await read<Links>(desk.request, `${desk.api}/store-links`)
  const saved = Object.fromEntries(store_links.map(({ platform, url }) => [platform, url]))
  const state = atStore(formOf(filled, 'links', saved), stores)
  return roomPage(desk, 'links', {
    title: 'Links',
    body: html`<h1>Links</h1>${section(
      'stores',
      'Other stores',
      html`${formMessage(
        state,
        stores.map(({ platform }) => platform),
      )}<form class="form" method="post" action="${desk.base}/links">${stores.map(({ platform, label, hosts }) => textField(state, { name: platform, label, type: 'url', maxlength: 255, hint: `https, on ${some(hosts)}` }))}${button('Save the links', { kind: 'ink' })}</form>`,
      'Where else it can be had. One link for each store; an empty field has none.',
    )}`,
  })
}

export const linkRoutes = [
  deskPage('links', 'The store links of a project', showLinks),
  deskForm('links', 'Save the store links of a project', {
    form: 'links',
    show: showLinks,
    send: ({ api }, sent) => ({
      method: 'PUT',
      url: `${api}/store-links`,
      body: {
        store_links: Object.keys(sent ?? {})
          .filter((platform) => fieldValue(sent, platform).trim() !== '')
          .sort()
          .map((platform) => ({ platform, url: fieldValue(sent, platform).trim() })),
      },
    }),
    done: 'Saved',
    back: 'links',
  }),
]
