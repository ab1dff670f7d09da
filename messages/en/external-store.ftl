# The external store: sign-in of its players, keys, and import of a page.

## Player sign-in

player-sign-in = Player sign-in
player-sign-in-text = Players of your build on Steam sign in with their session ticket, and your servers verify the token they get. Players need no account here.
sign-in-on = on
sign-in-off = off
sign-in-is-on = Sign-in is on
sign-in-is-off = Sign-in is off
sign-in-turn-on = Turn on sign-in
sign-in-turn-off = Turn off sign-in
sign-in-turn-off-text = All player tokens are revoked at once, all three keys are deleted, and builds that sign in here stop working.
# Each address has a label, and a name that follows "Copy".
address-auth = Sign in
address-auth-name = the auth address
address-refresh = Refresh
address-refresh-name = the refresh address
address-verify = Verify
address-verify-name = the verify address
address-revoke = Revoke
address-revoke-name = the revoke address
address-ownership = Ownership
address-ownership-name = the ownership address

## Keys

sign-in-keys = Keys
auth-key = Auth key
auth-key-text = For your servers only. It signs tokens and lets your servers look up players.
auth-key-replace = The old key stops working and every session token is revoked. Players have to sign in again, and your servers need the new key to verify anyone.
ticket-key = Ticket key
ticket-key-text = The identity your game passes when it requests a ticket. It is part of your builds, so it is not secret.
ticket-key-replace = Builds with the old ticket key can no longer sign in. Players who are signed in stay signed in for up to an hour.
web-api-key = Web API key
web-api-key-publisher = Publisher Web API key
web-api-key-hint = 32 characters, 0-9 and A-F, from Steam. It is stored encrypted and never shown again.
web-api-key-text = Used by this store to query Steam. It is never shown again.
web-api-key-replace = Steam is queried with the new key from now on. The other keys and all tokens keep working.
web-api-key-replaced = Web API key replaced

## Linked app

linked-app = App
linked-at = Linked
last-synced = Last synced
never-synced = never
unlink = Unlink…
unlink-text = Sign-in is turned off and its keys are deleted. Imported content stays. The app can then be linked to another listing.
unlink-confirm = Unlink { $app }
unlinked = App unlinked

## Import

sync-again = Sync again
sync-again-text = Fields you edited here since the last import are kept, unless you choose to overwrite them.
import-page = Import your page
import-page-text = Copies text, tags, images, press facts and price from your page on Steam. Preview first; nothing changes until you import.
import-project = Import a project
import-project-text = Create a draft from your page on Steam.
import-app-hint = Its number, or a link to its page on Steam.
import-key-hint = 32 characters, 0-9 and A-F, with access to the app. Used once and not stored.
import-saved-key-hint = Leave empty to use the saved key.
import-groups = What to import
import-group-text = Text
import-group-taxonomy = Genres, tags and players
import-group-status = Release status
import-group-images = Images
import-group-press = Press kit
import-group-price = Price
import-group-age = Content warnings
import-group-store-link = Store link
import-overwrite = Overwrite fields edited here since the last import
import-sign-in = Also turn on player sign-in
import-sign-in-hint = The key is then stored, encrypted.
import-preview-button = Preview
import-button = Import
import-sync-button = Sync now
import-done = { $count ->
    [one] Imported { $count } field. The listing check shows what is missing.
   *[other] Imported { $count } fields. The listing check shows what is missing.
}

## Import report

import-preview = Import preview
import-result = Import result
import-complete = The import is complete.
import-creates = Creates the draft <strong>{ $project }</strong>. Nothing has changed yet.
import-updates = Updates <strong>{ $project }</strong>. Nothing has changed yet.
import-will-be = will be imported
import-was = imported
import-unchanged = unchanged
import-skipped = skipped
import-kept = kept as edited here
import-field = Field
import-this-store = This store
import-reason = Reason
import-screenshot = Screenshot { $number }
import-screenshots = { $count ->
    [one] { $count } screenshot, { $imported } imported.
   *[other] { $count } screenshots, { $imported } imported.
}
# Variables: $reasons (String): several with semicolons.
import-screenshots-skipped = Skipped: { $reasons }
import-never = Never imported
# Variables: $part (String): of a page, such as Achievements. $reason (String): a sentence.
import-never-part = { $part }: { $reason }
import-part-cover = Cover
import-part-thumbnail = Thumbnail
import-part-gallery = Gallery
import-part-credits = Credits
import-part-requirements = System requirements
import-part-achievements = Achievements
import-part-add-ons = Add ons
import-part-systems = Operating systems

## Why a part was not imported

import-not-selected = Not selected
import-not-saved = The import could not be saved. Nothing was changed. Try again.
import-shortened = Shortened to { $max } characters
import-shortened-description = Shortened to the maximum length of a description
import-no-tagline = The store page has no short description
import-no-description = The store page has no long description
import-no-players = The store page does not list single-player or multiplayer
import-no-genre = The store page has no genre that exists here
import-no-tone = None of the tags describes the mood of the game
import-no-input = The store page lists no input device
import-no-tags = The tags of the store are not available right now. Sync again later.
import-kept-players = The store has no maximum number of players. Your value is kept.
import-assumed-players = The store has no maximum number of players. { $count } is assumed. Please check it.
import-kept-session = The store has no session length. Your value is kept.
import-guessed-session = The store has no session length. This is a guess from the genre; please check it.
import-no-status = The store page does not say whether the game is released
import-no-screenshot = No screenshot of the store page can be used. See screenshots for the reasons.
import-no-release-date = The store page has no release date
import-no-website = The store page has no website
import-no-trailer = The store page has no trailer
import-no-https-trailer = The trailer has no https link
import-no-credits = The store page names neither developer nor publisher
import-editions-price = The price is set by the editions of the listing
import-no-price = The store page has no price
import-no-dollar-price = The store page has no price in US dollars
import-must-be-free = The listing allows downloads without an account, so it must be free
import-paid-off = This store has only free listings
import-no-warnings = The store page has no content warnings
import-stays-adult = The listing is marked as adult. An import never removes that mark.
import-same-image = The image is identical to an earlier one
import-other-image-host = The image is not on an image host of the store
import-image-redirect = The image host redirects to another URL, which is not followed
import-image-url = The URL of the image is not allowed
import-image-status = The image host responded with status { $status }
# Variables: $max (String): a size, such as "20 MB".
import-image-large = The image is larger than { $max }
# Variables: $size (String), $min (String): pixels, such as "1280 × 720".
import-image-small = The image is { $size }. The minimum is { $min }
import-image-damaged = The image is damaged, truncated or too large
import-few-tags = The store has fewer than { $min } usable tags
import-few-screenshots = A public listing needs at least { $min } gallery images, and the store has { $count }
import-gallery-full = The gallery holds { $max } images
import-screenshot-limit = Only the first { $max } screenshots of a page are imported
import-never-languages = Languages are not imported. Set them in the dashboard.
import-never-requirements = Listings have no system requirements. Add them to the description if needed.
import-never-achievements = Achievements are not supported
import-never-add-ons = Add-ons have listings of their own
import-never-systems = Operating systems are those of the builds you upload
