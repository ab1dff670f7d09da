import { shotSvg, sizes } from './art.ts'
import type { Stage } from './fill.ts'
import type { Made } from './fill-pages.ts'
import { formOf } from './http.ts'
import { developers, players } from './people.ts'
import { havePlayed } from './queries.ts'
import { random } from './random.ts'

const good = [
  'I came for a quarter of an hour and stayed until the tea was cold.',
  'Small, honest, and it starts every time. More of this, please.',
  'Played it with my daughter. She is now in charge.',
  'The sound alone is worth the download.\n\nEverything else is a **bonus**.',
  'It respects my evening. I did not know games still did that.',
  '',
]
const bad = [
  'Lovely idea, but it lost my save twice.',
  'Stutters on my laptop since the last update. Will change this when it does not.',
  'Not for me: too slow.',
]
const pageOf = (uid: string, part: string) => `/api/v1/private/games/${uid}${part}`

/** The builds at the head of the stable channel: the last one for each system. */
const newest = (builds: Made['builds']) => [
  ...new Map(
    builds.filter(({ channel }) => channel === 'stable').map((build) => [build.os, build]),
  ).values(),
]

/** Creates copies, downloads, play time, reviews with some replies, and community tags. */
export async function playAndReview(
  { http, core, people }: Stage,
  { entry, uid, owner, builds }: Made,
) {
  if (entry.visibility || !entry.liked) return downloadBySome({ http, entry, builds })
  const dice = random(`players of ${entry.slug}`)
  const paid = Boolean(entry.price_cents)
  const [count, share] = entry.liked
  for (const [i, username] of players.slice(0, count).entries()) {
    const player = people.get(username)!
    if (entry.adult)
      await http.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, player)
    if (paid) await http.post(pageOf(uid, '/licences'), { username }, owner)
    else await http.post(pageOf(uid, '/library'), undefined, player)
    await havePlayed(core.sql, uid, player.uid, dice.whole(3700, 90_000))
    const enjoyed = i < Math.round(count * share)
    const text = enjoyed ? good[(i + entry.slug.length) % good.length] : bad[i % bad.length]
    await http.put(
      pageOf(uid, '/review'),
      {
        enjoyed,
        quality: enjoyed ? dice.whole(4, 5) : dice.whole(1, 3),
        would_play_with_friends: dice() < 0.7,
        text,
      },
      player,
    )
    if (i < 4 && entry.community?.length)
      await http.put(pageOf(uid, '/tag-suggestions'), { tags: entry.community }, player)
    const file = newest(builds)[i % 2]
    if (file) await http.get(`/api/v1/private/downloads/${file.file_uid}?source=website`, player)
  }
  const { items } = await http.get(`/api/v1/public/games/${uid}/reviews`, owner)
  const unhappy = items.find(({ enjoyed }: { enjoyed: boolean }) => !enjoyed)
  if (unhappy)
    await http.put(
      pageOf(uid, `/reviews/${unhappy.uid}/reply`),
      { text: 'Thank you, and sorry. The next build mends this; tell us if it does not.' },
      owner,
    )
  await downloadBySome({ http, entry, builds })
}

async function downloadBySome({
  http,
  entry,
  builds,
}: Pick<Stage, 'http'> & Pick<Made, 'entry' | 'builds'>) {
  if (!entry.anonymous) return
  const dice = random(`downloads of ${entry.slug}`)
  for (let i = dice.whole(20, 70); i > 0; i--) {
    const { file_uid } = dice.pick(newest(builds))
    await http.get(`/api/v1/public/downloads/${file_uid}`, {
      headers: { 'user-agent': dice.pick(['Mozilla/5.0', 'curl/8', 'Mozilla/5.0']) },
    })
  }
}

const reports = [
  { message: 'The bell rings while the game is paused.', status: 'fixed' },
  {
    message:
      'I fell through the pier next to the blue boat.\n\nIt happens every time I jump from the crate.',
    shot: 2,
  },
  { message: 'The map is upside down when I play with a controller.', shot: 0, log: true },
  { message: 'Subtitles are cut off at the largest size.', status: 'fixed' },
  { message: 'Please add dogs.', status: 'closed' },
  { message: 'After the lighthouse the music stops for good.', log: true },
]

/** Creates bug reports with screenshots and logs for one game, some of them resolved. */
export async function reportBugs({ http, people, made, render }: Stage) {
  const game = made.get('tidewrack')
  if (!game) return
  const { uid, owner, builds, entry } = game
  await http.put(
    pageOf(uid, '/bug-reporter'),
    { enabled: true, daily_cap: 25, webhook_urls: [] },
    owner,
  )
  const build = builds.findLast(({ channel }) => channel === 'stable')!
  for (const [i, { message, status, shot, log }] of reports.entries()) {
    const player = people.get(players[i % 3]!)!
    const { token } = await http.post(pageOf(uid, '/player-token'), undefined, player)
    const files = [
      ...(log
        ? [
            {
              name: 'log',
              filename: 'game.log',
              bytes: Buffer.from(
                `[0.0] ${entry.name} ${build.version}\n[91.2] warning: sound bus is empty\n`,
              ),
            },
          ]
        : []),
      ...(shot === undefined
        ? []
        : [
            {
              name: 'screenshot',
              filename: 'shot.png',
              bytes: await render(
                shotSvg({ ...entry.look, name: entry.name }, shot, sizes.gallery),
              ),
            },
          ]),
    ]
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
    if (status) await http.patch(pageOf(uid, `/bugs/${bug_uid}`), { status }, owner)
  }
}

/** Creates a pending invitation to a project. */
export async function inviteFriend({ http, made }: Stage) {
  const game = made.get('cinder-pass')
  if (game) await http.post(pageOf(game.uid, '/admins'), { username: developers[0] }, game.owner)
}
