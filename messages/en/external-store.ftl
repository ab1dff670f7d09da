# The external store: sign-in of its players, keys, and import of a page.

## Player sign-in

player-sign-in = Player sign-in
player-sign-in-text = Players of your build on the external store sign in with their session ticket, and your servers verify the token they get. Players need no account here.
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
web-api-key-hint = 32 characters, 0-9 and A-F, from the external store. It is stored encrypted and never shown again.
web-api-key-text = Used by this store to query the external store. It is never shown again.
web-api-key-replace = The external store is queried with the new key from now on. The other keys and all tokens keep working.
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
import-page-text = Copies text, tags, images, press facts and price from your page on the external store. Preview first; nothing changes until you import.
import-project = Import a project
import-project-text = Create a draft from your page on the external store.
import-app-hint = Its number, or a link to its page on the external store.
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
