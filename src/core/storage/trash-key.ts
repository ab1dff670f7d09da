/** Removed objects: `trash/`, the day of the removal, and the key that they had. */
export const TRASH_PREFIX = 'trash/'

const TRASH_KEY = /^trash\/(\d{4}-\d\d-\d\d)\/(.+)$/

export const dayOf = (moment: Date) => moment.toISOString().slice(0, 10)

export const trashKey = (key: string, moment: Date) => `${TRASH_PREFIX}${dayOf(moment)}/${key}`

export const isTrashKey = (key: string) => key.startsWith(TRASH_PREFIX)

/** The day of the removal and the former key; undefined for any other key. */
export function parseTrashKey(key: string): { day: string; key: string } | undefined {
  const [, day, former] = TRASH_KEY.exec(key) ?? []
  return day && former ? { day, key: former } : undefined
}
