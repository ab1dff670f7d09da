import { Type } from 'typebox'
import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import {
  deleteOwnSavesRoute,
  downloadOwnSaveRoute,
  playedGamesRoute,
} from '../../../play/saves/account-routes.ts'
import { changeSharingRoute } from '../../../play/sharing/routes.ts'
import { backToSettings } from '../../account/account-form.ts'
import { readApi } from '../../call.ts'
import { dateTimeTag, formatBytes, formatDate, formatNumber } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { table } from '../../components/table.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { member } from '../../visitor.ts'

const PATH = '/settings/played-games'
const params = Type.Object({ game_uid: Type.String() })

type PlayedGame = RouteData<typeof playedGamesRoute>['items'][number]
type Save = PlayedGame['saves'][number]

export const playedGamesPage = getPage(PATH, 'Games in the browser that know the person', {
  auth: member,
  async handle(input) {
    const { items } = await readApi(input.request, playedGamesRoute)
    return narrowPage(input, {
      title: t('played-games'),
      body: html`
        <p>${t('played-games-text')}</p>
        ${items.length ? items.map(gamePanel) : html`<p class="soft">${t('played-games-none')}</p>`}
        ${backToSettings}
      `,
    })
  },
})

const gamePanel = ({ game_uid, name, shared_at, saves }: PlayedGame): Html => html`
  <section class="panel">
    <h2><a href="/games/${game_uid}">${name}</a></h2>
    <p>
      ${
        shared_at
          ? t('played-games-shared', { date: formatDate(shared_at) })
          : t('played-games-not-shared')
      }
    </p>
    ${
      shared_at &&
      postButton(
        richText('played-games-withdraw-named', { name, hidden: hiddenText }),
        `${PATH}/${game_uid}/withdraw`,
      )
    }
    ${saves.length > 0 && savesTable(game_uid, name, saves)}
  </section>
`

const downloadUrl = (save_uid: string) => routePath(downloadOwnSaveRoute.url, { save_uid })

const savesTable = (game_uid: string, name: string, saves: readonly Save[]): Html => html`
  ${table(
    t('played-games-saves'),
    [
      t('played-games-slot'),
      t('played-games-size'),
      t('played-games-saved-at'),
      t('played-games-versions'),
      t('played-games-download'),
    ],
    saves.map(({ uid, slot, size, saved_at, versions }) => [
      slot,
      formatBytes(size),
      dateTimeTag(saved_at),
      formatNumber(versions),
      html`<a href="${downloadUrl(uid)}" download>${t('played-games-download')}</a>`,
    ]),
  )}
  ${confirmButton({
    label: t('played-games-delete'),
    sentence: t('played-games-delete-text', { name }),
    action: `${PATH}/${game_uid}/delete-saves`,
  })}
`

/** The name of a game in the list, for the message after a change. */
const nameOf = ({ items }: RouteData<typeof playedGamesRoute>, game_uid: string) =>
  items.find((game) => game.game_uid === game_uid)?.name ?? ''

export const withdrawSharing = postForm(`${PATH}/:game_uid/withdraw`, 'Stop sharing with a game', {
  auth: member,
  params,
  async handle({ request, reply, params: { game_uid } }) {
    const name = nameOf(await readApi(request, playedGamesRoute), game_uid)
    const body = { shared: false }
    await readApi(request, changeSharingRoute, { params: { uid: game_uid }, body })
    return redirectTo(reply, PATH, t('played-games-withdrawn', { name }))
  },
})

export const deletePlayedSaves = postForm(
  `${PATH}/:game_uid/delete-saves`,
  'Delete the saves of a game',
  {
    auth: member,
    params,
    async handle({ request, reply, params: { game_uid } }) {
      const name = nameOf(await readApi(request, playedGamesRoute), game_uid)
      await readApi(request, deleteOwnSavesRoute, { params: { uid: game_uid } })
      return redirectTo(reply, PATH, t('played-games-deleted', { name }))
    },
  },
)
