import type { Sql } from '../database/sql.ts'
import type { Log } from '../runtime/log.ts'
import { type BrandImages, brandImagesOf } from './brand-images.ts'
import { type MailServer, mailServerOf } from './mail-server.ts'
import { type PublishedPolicy, readPublishedPolicies, readSettingRows } from './queries.ts'
import { defaultSettings, type FixedSettings, type StoreSettings } from './table.ts'

/** The channel of the trigger that announces changes. */
const CHANNEL = 'store_settings'

export type LiveSettings = {
  /** The settings as they are now. Read it at each use; it is replaced when one changes. */
  readonly current: StoreSettings
  /** The logo and the favicon, where operators uploaded them. */
  readonly images: BrandImages
  /** Says that operators set a mail server; its address is a secret. */
  readonly mail_server: MailServer | undefined
  /** The versions of the policies that operators published, oldest first. */
  readonly policies: readonly PublishedPolicy[]
  /** Changes with every change, for the keys of caches. */
  readonly version: number
  /** Reads the settings again, such as after this process changed one. */
  reload: () => Promise<void>
  /** Runs after every change, and before `reload` ends. */
  onChange: (follow: () => Promise<void>) => void
}

/** Reads the settings, and again whenever any process has changed one. */
export async function followSettings(
  sql: Sql,
  fixed: FixedSettings,
  log: Log,
): Promise<LiveSettings> {
  let current = merge([], fixed)
  let images: BrandImages = {}
  let mail_server: MailServer | undefined
  let policies: readonly PublishedPolicy[] = []
  let version = 0
  let written = ''
  const followers: (() => Promise<void>)[] = []
  const readAgain = async () => {
    const [rows, published] = await Promise.all([readSettingRows(sql), readPublishedPolicies(sql)])
    const next = merge(rows, fixed)
    const next_images = brandImagesOf(rows)
    const next_server = mailServerOf(rows)
    const text = JSON.stringify([next, next_images, next_server, published])
    if (text === written) return
    written = text
    current = next
    images = next_images
    mail_server = next_server
    policies = published
    version++
    for (const follow of followers) await follow()
  }
  // One after the other: of two at once, the one with the older rows could end last.
  let reading = Promise.resolve()
  const reload = () => {
    reading = reading.catch(() => {}).then(readAgain)
    return reading
  }
  const reloadLater = () => {
    reload().catch((error) => log.error({ err: error }, 'The settings could not be read again'))
  }
  // Listening begins first, and every reconnection reads again, so that no change is missed.
  await sql.listen(CHANNEL, reloadLater, reloadLater)
  await reload()
  return {
    get current() {
      return current
    },
    get images() {
      return images
    },
    get mail_server() {
      return mail_server
    },
    get policies() {
      return policies
    },
    get version() {
      return version
    },
    reload,
    onChange: (follow) => void followers.push(follow),
  }
}

function merge(
  rows: readonly { name: string; value: unknown }[],
  fixed: FixedSettings,
): StoreSettings {
  const stored = Object.fromEntries(
    rows.filter(({ name }) => name in defaultSettings).map(({ name, value }) => [name, value]),
  )
  return { ...defaultSettings, ...stored, ...fixed }
}
