import { Type } from 'typebox'
import { acknowledge } from '../../bugs/reports/queries.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { read } from '../call.ts'
import { fieldValue } from '../components/form.ts'
import {
  formatBytes,
  formatCount,
  formatDate,
  formatDuration,
  labelOf,
} from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { page } from '../components/layout.ts'
import { pager } from '../components/pager.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { type FixedReport, type HeldFile, readFixedReports, readHeldFiles } from '../queries.ts'
import { thumbnail } from '../store/browse/card.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Held = {
  game_uid: string
  source: string
  created_at: string
  vanity_name: string
  name: string
  developer: { username: string }
  play_seconds: number
  thumbnail: string
}
const sources: Record<string, string> = { free: 'Free', grant: 'Given to you', purchase: 'Bought' }

export const showLibrary = getPage('/library', 'Your library', {
  auth: member,
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  async handle(input) {
    const { core, who, request, query } = input
    const [held, notices] = await Promise.all([
      read<{ items: Held[]; total: number; page: number; page_size: number }>(
        request,
        `/api/v1/private/library?page=${query.page}`,
      ),
      readFixedReports(core.sql, who.user_uid),
    ])
    const files = Map.groupBy(
      await readHeldFiles(
        core.sql,
        held.items.map(({ game_uid }) => game_uid),
      ),
      ({ game_uid }) => game_uid,
    )
    return page(input, {
      title: 'Library · Slipway',
      noindex: true,
      scripts: ['platform.mjs'],
      body: html`<h1>Library</h1>${accountTabs('/library')}${notices.map(fixed)}
${held.total ? html`<p class="soft">${formatCount(held.total, 'copy', 'copies')}</p><ul class="library">${held.items.map((one) => copy(one, files.get(one.game_uid) ?? []))}</ul>` : empty}
${pager('/library', held)}`,
    })
  },
})

const empty = html`<div class="empty"><h2>Nothing in here yet</h2><p>What you download with your account is kept here, with every update of it.</p><p><a class="button button-primary" href="/search?asset_type=game">Find a game</a></p></div>`

function copy(held: Held, files: readonly HeldFile[]): Html {
  const { name, developer, vanity_name, source, created_at, play_seconds, game_uid } = held
  return html`<li class="panel copy">${thumbnail(held)}<div><h2><a href="/${developer.username}/${vanity_name}">${name}</a></h2><p class="soft">by ${developer.username} · ${sources[source]} since ${formatDate(created_at)}${play_seconds >= 60 && ` · ${formatDuration(play_seconds)} played`}</p>
${files.length ? html`<your-platform><ul class="files row">${files.map(({ uid, os, arch, version, size: bytes }) => html`<li class="file" data-os="${os}"><a class="button button-quiet button-small" href="/download/${uid}" rel="nofollow">${icon('download')}${os ? labelOf(os) : 'Any system'}${arch && arch !== 'universal' && ` ${labelOf(arch)}`} <span class="mono">${version}</span> <span class="soft">${formatBytes(bytes)}</span></a></li>`)}</ul></your-platform>` : html`<p class="soft">Nothing to download right now.</p>`}
<p class="row"><a href="/games/${game_uid}/review">Review it</a><a href="/games/${game_uid}/bug">Report a bug</a></p></div></li>`
}

function fixed({ uid, game_uid, game_name, message, version, fixed_at }: FixedReport): Html {
  return html`<div class="notice notice-ok" role="status">${icon('ok')}<div><p><strong>Fixed in ${game_name}${version && ` ${version}`}</strong>, ${formatDate(fixed_at)}. You reported:</p><blockquote>${message.length > 300 ? `${message.slice(0, 300)}…` : message}</blockquote>
<form method="post" action="/library/notices"><input type="hidden" name="game" value="${game_uid}"><button class="button button-quiet button-small" name="notice" value="${uid}">Good to know</button></form></div></div>`
}

export const sendNoticeRead = postForm('/library/notices', 'Say that a notice was read', {
  auth: member,
  async handle({ core, who, reply, body }) {
    const [game, notice] = [fieldValue(body, 'game'), fieldValue(body, 'notice')]
    if (isUuid(game) && isUuid(notice))
      await acknowledge(core.sql, game, { user_uid: who.user_uid, extstore_id: null }, [notice], 1)
    return redirectTo(reply, '/library')
  },
})
