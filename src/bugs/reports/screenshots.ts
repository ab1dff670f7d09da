import { type ScreenshotType, screenshotEndings } from './image-header.ts'

type TicketKey = { uid: string; game_uid: string }

/** The storage key of a screenshot. */
export const screenshotKey = ({ uid, game_uid }: TicketKey) => `bugs/${game_uid}/${uid}`

/** The path that webhooks link to. */
export const screenshotPath = ({ uid, game_uid }: TicketKey, type: ScreenshotType) =>
  `/media/bugs/${game_uid}/${uid}/screenshot.${screenshotEndings[type]}`
