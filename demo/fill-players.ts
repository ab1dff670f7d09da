import { shotSvg, sizes } from './art.ts'
import type { DemoContext } from './fill.ts'
import type { DemoListing } from './fill-pages.ts'
import { formOf } from './http.ts'
import { developers, players } from './people.ts'
import { recordPlayTime } from './queries.ts'
import { random } from './random.ts'

const positiveReviews = [
  'I came for a quarter of an hour and stayed until the tea was cold.',
  'Small, honest, and it starts every time. More of this, please.',
  'Played it with my daughter. She is now in charge.',
  'The sound alone is worth the download.\n\nEverything else is a **bonus**.',
  'It respects my evening. I did not know games still did that.',
  '',
]
const negativeReviews = [
  'Lovely idea, but it lost my save twice.',
  'Stutters on my laptop since the last update. Will change this when it does not.',
  'Not for me: too slow.',
]
const gamePath = (uid: string, part: string) => `/api/v1/private/games/${uid}${part}`

/** The builds at the head of the stable channel: the last one for each system. */
const newestBuilds = (builds: DemoListing['builds']) => [
  ...new Map(
    builds.filter(({ channel }) => channel === 'stable').map((build) => [build.os, build]),
  ).values(),
]

/** Creates copies, downloads, play time, reviews with some replies, and community tags. */
export async function playAndReview(
  { http, core, people }: DemoContext,
  { entry, uid, owner, builds }: DemoListing,
) {
  if (entry.visibility || !entry.liked) return downloadAnonymously({ http, entry, builds })
  const dice = random(`players of ${entry.slug}`)
  const paid = Boolean(entry.price_cents)
  const [count, positive_share] = entry.liked
  for (const [i, username] of players.slice(0, count).entries()) {
    const player = people.get(username)!
    if (entry.adult)
      await http.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, player)
    if (paid) await http.post(gamePath(uid, '/licences'), { username }, owner)
    else await http.post(gamePath(uid, '/library'), undefined, player)
    await recordPlayTime(core.sql, uid, player.uid, dice.integer(3700, 90_000))
    const enjoyed = i < Math.round(count * positive_share)
    const text = enjoyed
      ? positiveReviews[(i + entry.slug.length) % positiveReviews.length]
      : negativeReviews[i % negativeReviews.length]
    await http.put(
      gamePath(uid, '/review'),
      {
        enjoyed,
        quality: enjoyed ? dice.integer(4, 5) : dice.integer(1, 3),
        would_play_with_friends: dice() < 0.7,
        text,
      },
      player,
    )
    if (i < 4 && entry.community?.length)
      await http.put(gamePath(uid, '/tag-suggestions'), { tags: entry.community }, player)
    const file = newestBuilds(builds)[i % 2]
    if (file) await http.get(`/api/v1/private/downloads/${file.file_uid}?source=website`, player)
  }
  const { items } = await http.get(`/api/v1/public/games/${uid}/reviews`, owner)
  const negative = items.find(({ enjoyed }: { enjoyed: boolean }) => !enjoyed)
  if (negative)
    await http.put(
      gamePath(uid, `/reviews/${negative.uid}/reply`),
      { text: 'Thank you, and sorry. The next build fixes this; tell us if it does not.' },
      owner,
    )
  await downloadAnonymously({ http, entry, builds })
}

async function downloadAnonymously({
  http,
  entry,
  builds,
}: Pick<DemoContext, 'http'> & Pick<DemoListing, 'entry' | 'builds'>) {
  if (!entry.anonymous) return
  const dice = random(`downloads of ${entry.slug}`)
  for (let i = dice.integer(20, 70); i > 0; i--) {
    const { file_uid } = dice.pick(newestBuilds(builds))
    await http.get(`/api/v1/public/downloads/${file_uid}`, {
      headers: { 'user-agent': dice.pick(['Mozilla/5.0', 'curl/8', 'Mozilla/5.0']) },
    })
  }
}

const reports = [
  { message: 'The bell rings while the game is paused.', status: 'fixed' },
  {
    message:
      'I fell through the pier next to the blue boat.\n\n' +
      'It happens every time I jump from the crate.',
    screenshot: 2,
  },
  { message: 'The map is upside down when I play with a controller.', screenshot: 0, log: true },
  { message: 'Subtitles are cut off at the largest size.', status: 'fixed' },
  { message: 'Please add dogs.', status: 'closed' },
  { message: 'After the lighthouse the music stops for good.', log: true },
]

/** Creates bug reports with screenshots and logs for one game, some of them resolved. */
export async function reportBugs({ http, people, listings, render }: DemoContext) {
  const game = listings.get('tidewrack')
  if (!game) return
  const { uid, owner, builds, entry } = game
  await http.put(
    gamePath(uid, '/bug-reporter'),
    { enabled: true, daily_cap: 25, webhook_urls: [] },
    owner,
  )
  const build = builds.findLast(({ channel }) => channel === 'stable')!
  for (const [i, { message, status, screenshot, log }] of reports.entries()) {
    const player = people.get(players[i % 3]!)!
    const { token } = await http.post(gamePath(uid, '/player-token'), undefined, player)
    const files: { name: string; filename: string; bytes: Uint8Array }[] = []
    if (log) {
      const text = `[0.0] ${entry.name} ${build.version}\n[91.2] warning: sound bus is empty\n`
      files.push({ name: 'log', filename: 'game.log', bytes: Buffer.from(text) })
    }
    if (screenshot !== undefined) {
      const svg = shotSvg({ ...entry.look, name: entry.name }, screenshot, sizes.gallery)
      files.push({ name: 'screenshot', filename: 'shot.png', bytes: await render(svg) })
    }
    const form = formOf(
      {
        message,
        client_version: build.version,
        os: 'linux',
        arch: 'x86_64',
        build_id: build.build_id,
      },
      files,
    )
    const { bug_uid } = await http.post(`/api/v1/games/${uid}/bugs`, undefined, { token, form })
    if (status) await http.patch(gamePath(uid, `/bugs/${bug_uid}`), { status }, owner)
  }
}

/** Creates a pending invitation to a project. */
export async function inviteFriend({ http, listings }: DemoContext) {
  const game = listings.get('cinder-pass')
  if (game) await http.post(gamePath(game.uid, '/admins'), { username: developers[0] }, game.owner)
}
