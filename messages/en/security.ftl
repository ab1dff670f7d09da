# The security of an account: second factors and fresh proofs.

nav-security = Security
second-factor-required = This store asks you to set up a second factor before you go on. Choose one below.
confirm = Confirm

## The second step of signing in

second-step-title = Second step
second-step-text = This account has a second factor. Enter the current code of your authenticator app.
second-step-code = Code
second-step-hint = Six digits from your authenticator app, or a recovery code.

## A fresh proof

confirm-title = Confirm that it is you
confirm-text = What comes next needs a fresh proof that it is you. It counts for ten minutes.
confirm-or-password = Or use your password:
confirm-done = Thank you, that was right

## Authenticator app

totp = Authenticator app
totp-off-text = Protect your account with a second step: a code from an app on your phone, which changes every 30 seconds.
totp-on-text = On since { $date }. You need a code of your app to sign in.
totp-set-up = Set up an authenticator app
totp-scan = Scan this code with your authenticator app.
totp-qr = QR code of the secret
totp-open = Open the app on this device
totp-type = Or type this secret into the app:
totp-turn-on = Turn on
totp-remove = Remove the app
totp-remove-text = You will sign in with your password alone, and your recovery codes stop working.
totp-removed = The authenticator app is removed

## Recovery codes

recovery-codes = Recovery codes
# Variables: $count (Number): how many are left, $all (Number): how many were made.
recovery-codes-left = { $count } of { $all } codes are left. Each replaces a code of your app once.
recovery-codes-new = Make new codes
recovery-codes-save = Save these codes where you find them without your phone. Each works once, in place of a code of your app. They are shown only now.
recovery-codes-saved = I have saved them

## Passkeys

passkeys = Passkeys
passkeys-text = Sign in with your fingerprint, face or device PIN instead of a password. Nobody can guess or phish a passkey.
passkey-add = Add a passkey
passkey-add-text = Your browser asks which device or password manager keeps the passkey.
passkey-create = Create the passkey
passkey-name = Name
passkey-name-hint = To recognize it by, such as the device that keeps it.
passkey-used = Added { $added }, last used { $used }
passkey-unused = Added { $added }, not used yet
passkey-rename = Rename
passkey-remove = Remove
passkey-remove-text = You can no longer sign in with it. Delete it in your device or password manager too.
passkey-added = The passkey is added
passkey-renamed = The passkey is renamed
passkey-removed = The passkey is removed
passkey-sign-in = Sign in with a passkey
passkey-confirm = Confirm with a passkey
passkey-failed = No passkey was used. Try again, or choose another way.
passkey-needs-script = Passkeys need JavaScript.
second-step-passkey-text = This account has a second factor. Use your passkey, or enter a recovery code.

## Reset by an operator

reset-title = Reset of your second factor
# Variables: $time (Date): in UTC.
reset-waits = An operator of the store is going to remove your second factor on { $time } UTC. After that, your password alone is enough to sign in.
reset-stop-text = Stop this if you did not ask for it, or no longer need it.
reset-link-text = An operator of the store is going to remove the second factor of your account. If you did not ask for this, or no longer need it, stop it now.
reset-stop = Stop the reset
reset-continue = Continue without stopping it
reset-stopped = The reset is stopped. Your second factor stays.
reset-none = No reset of your second factor waits

## Security events

security-events = Security events
security-events-panel = Sign-ins, failed attempts, and changes of your password, address, second factor, keys and roles.
security-events-show = Show security events
# Variables: $days (Number).
security-events-text = What happened to the security of your account in the last { $days } days. If something here was not you, change your password.
project-events-about = Changes of keys, webhook secrets and people of this project.
# Variables: $days (Number).
project-events-text = What happened to the keys, secrets and people of this project in the last { $days } days. Only you as its owner see this.
# Variables: $days (Number).
console-events-text = Sign-ins, failures and changes of accounts and projects in the last { $days } days. Nobody can change or delete them. Addresses are shortened to their network.
events-none = No events
events-all = Show all events
event-time = Time (UTC)
event-kind = Event
event-account = Account
event-actor = Who
event-device = Device
event-network = Network
event-any-kind = Any event
event-from = From
event-to = To
event-actor-visitor = Somebody not signed in
event-actor-person = An operator of the store
event-actor-command-line = The administrator of the server
event-actor-service = The store
event-by-password = With the password
event-by-passkey = With a passkey
event-by-registration = After signing up
event-by-code = With a code of the app
event-by-recovery-code = With a recovery code
event-player-key = Player key
event-agent-key = Agent key
event-sign-in = Signed in
event-sign-in-failed = Sign-in failed
event-second-step-used = Second step passed
event-second-step-failed = Second step failed
event-step-up = Confirmed that it is you
event-step-up-failed = Confirmation failed
event-sessions-ended = Sessions ended by an operator
event-password-changed = Password changed
event-password-reset-requested = Password reset requested
event-password-reset = Password reset with a mailed link
event-email-changed = Email address changed
event-email-change-undone = Change of the email address undone
event-totp-added = Authenticator app set up
event-totp-removed = Authenticator app removed
event-passkey-added = Passkey added
event-passkey-removed = Passkey removed
event-recovery-codes-replaced = Recovery codes replaced
event-second-factor-reset = Second factor removed by the store
event-second-factor-reset-requested = Reset of the second factor requested
event-second-factor-reset-stopped = Reset of the second factor stopped
event-second-factor-reset-applied = Second factor reset
event-key-created = Key created
event-key-revoked = Key revoked
event-deploy-key-created = Deploy key created
event-deploy-key-revoked = Deploy key revoked
event-webhook-secret-created = Webhook signing key created
event-webhook-secret-shown = Webhook signing key shown
event-grant-created = App connected
event-grant-revoked = App disconnected
event-upload-ended = Upload stopped
event-approval-ended = Approval ended
event-admin-invited = Invited as admin
event-admin-joined = Became an admin
event-admin-removed = Admin removed
event-operator-added = Became an operator
event-operator-removed = No longer an operator
event-moderator-added = Became a moderator
event-moderator-removed = No longer a moderator
event-account-created = Account created
event-account-exported = Account data exported
event-account-deleted = Account deleted
event-listing-deleted = Project deleted

## Sessions

device-name = { $browser } on { $system }
device-unknown = Unknown device
sessions = Sessions
sessions-panel-text = Every browser and program that is signed in to your account.
sessions-view = View sessions
sessions-text = You are signed in here. If you do not recognize a session, end it and <link>change your password</link>.
session-current = This session
session-place = { $country } · network { $network }
session-network = Network { $network }
# Variables: $opened, $used (Date): in UTC.
session-times = Signed in { $opened }, last used { $used } UTC
# Variables: $device (String): such as "Firefox on Windows", read aloud only.
session-end = End session<hidden>: { $device }</hidden>
session-ended = The session is ended
sessions-end-others = End all other sessions
sessions-end-others-text = You stay signed in here. Everywhere else you sign in again. Keys and connected apps keep working.
sessions-ended = All other sessions are ended
