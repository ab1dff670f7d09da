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
