import { type Text, t } from '../../../core/text/text.ts'
import { textForPeople } from '../../refusal-text.ts'

/** Why a part of a page was not imported, by what extstore/import says about it. */
const reasons: Record<string, Text> = {
  'Shortened to the maximum length of a description': t('import-shortened-description'),
  'The store page has no short description': t('import-no-tagline'),
  'The store page has no long description': t('import-no-description'),
  'The store page does not list single-player or multiplayer': t('import-no-players'),
  'The store page has no genre that exists here': t('import-no-genre'),
  'None of the tags describes the mood of the game': t('import-no-tone'),
  'The store page lists no input device': t('import-no-input'),
  'The tags of the store are not available right now. Sync again later.': t('import-no-tags'),
  'The store has no maximum number of players. Your value is kept.': t('import-kept-players'),
  'The store has no session length. Your value is kept.': t('import-kept-session'),
  'The store has no session length. This is a guess from the genre; please check it.':
    t('import-guessed-session'),
  'The store page does not say whether the game is released': t('import-no-status'),
  'No screenshot of the store page can be used. See screenshots for the reasons.':
    t('import-no-screenshot'),
  'The store page has no release date': t('import-no-release-date'),
  'The store page has no website': t('import-no-website'),
  'The store page has no trailer': t('import-no-trailer'),
  'The trailer has no https link': t('import-no-https-trailer'),
  'The store page names neither developer nor publisher': t('import-no-credits'),
  'The price is set by the editions of the listing': t('import-editions-price'),
  'The store page has no price': t('import-no-price'),
  'The store page has no price in US dollars': t('import-no-dollar-price'),
  'The listing allows downloads without an account, so it must be free': t('import-must-be-free'),
  'The store page has no content warnings': t('import-no-warnings'),
  'The listing is marked as adult. An import never removes that mark.': t('import-stays-adult'),
  'The image is identical to an earlier one': t('import-same-image'),
  'The image is not on an image host of the store': t('import-other-image-host'),
  'The images of the page took too long': t('import-slow-images'),
  'The image host redirects to another URL, which is not followed': t('import-image-redirect'),
  'The URL of the image is not allowed': t('import-image-url'),
  'Languages are not imported. Set them in the dashboard.': t('import-never-languages'),
  'Listings have no system requirements. Add them to the description if needed.': t(
    'import-never-requirements',
  ),
  'Achievements are not supported': t('import-never-achievements'),
  'Add-ons have listings of their own': t('import-never-add-ons'),
  'Operating systems are those of the builds you upload': t('import-never-systems'),
}

const ASSUMED_PLAYERS =
  /^The store has no maximum number of players\. (\d+) is assumed; please check it\.$/

/** A reason that this page does not know is shown as the API says it. */
export const importReason = (reason: string): Text => {
  if (/^The group \w+ is not selected$/.test(reason)) return t('import-not-selected')
  const max = reason.match(/^Shortened to (\d+) characters$/)?.[1]
  if (max) return t('import-shortened', { max: Number(max) })
  const assumed = reason.match(ASSUMED_PLAYERS)?.[1]
  if (assumed) return t('import-assumed-players', { count: Number(assumed) })
  return reasons[reason] ?? textForPeople(reason)
}
