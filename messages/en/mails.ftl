# Mails. They are plain text; an address at the end of a sentence has no period after it.

## Code of an email address

mail-code-subject = { $code } is your code for { $store }
mail-code = Your code is { $code }
mail-code-enter = Enter it on the page that requested it, or open { $url }
mail-code-expires = { $minutes ->
    [one] The code is valid for { $minutes } minute. If you did not request it, ignore this mail.
   *[other] The code is valid for { $minutes } minutes. If you did not request it, ignore this mail.
}

mail-email-change = This address was given as the new address of an account on { $store }.
mail-email-changed-subject = The email address of your account on { $store } was changed
mail-email-changed = Your account { $username } on { $store } has a new email address. Mails no longer go to this one.
# Variables: $url (String): an address that ends the sentence.
mail-email-changed-undo = If this was not you, undo the change at { $url }
mail-email-changed-undo-until = The link works until { $time } UTC. It gives the account this address again, ends all sessions, and sends you a link to choose a new password.
mail-email-changed-not-you = If this was not you, sign in as { $username }, change your password, then the address, at { $url }

## Password

mail-reset-subject = Reset your password for { $store }
mail-reset = We received a request to reset the password of your account on { $store }.
mail-reset-open = To choose a new password, open { $url }
mail-reset-expires = { $minutes ->
    [one] The link works once and expires in { $minutes } minute. If you did not request it, ignore this mail: your password stays the same.
   *[other] The link works once and expires in { $minutes } minutes. If you did not request it, ignore this mail: your password stays the same.
}
mail-password-changed-subject = Your password for { $store } was changed
mail-password-changed = The password of your account { $username } on { $store } was changed with a link sent to this address. You were signed out everywhere.
mail-password-changed-settings = The password of your account { $username } on { $store } was changed in the settings. All other sessions were ended.
mail-password-changed-settings-not-you = If this was not you, reset your password at { $url }
mail-password-changed-revoked = This address had not been verified before, so all keys and connected apps were revoked.
mail-password-changed-keys = Your keys and connected apps still work. Review them at { $url }
mail-password-changed-not-you = If this was not you, somebody can read your mail. Change the password of your mail account, then reset your password for { $store } at { $url }
mail-second-factor-subject = The second factor of your account on { $store } was changed
mail-second-factor = The second factor of your account { $username } on { $store } was changed:
mail-totp-on = An authenticator app was set up.
mail-totp-off = The authenticator app was removed.
mail-recovery-codes = New recovery codes were made; the old ones stopped working.
mail-passkey-added = A passkey was added.
mail-passkey-removed = A passkey was removed.
mail-second-factor-not-you = If this was not you, change your password and check { $url }
mail-second-factor-reset-done = It was reset, as an operator of the store requested. All passkeys, the authenticator app and the recovery codes were removed, and you were signed out everywhere. You sign in with your password alone.
mail-second-factor-reset-stopped = An operator wanted to reset it, and this was stopped. Your second factor stays as it is.
mail-second-factor-reset-subject = The second factor of your account on { $store } will be reset
mail-second-factor-reset = An operator of { $store } is going to remove the second factor of your account { $username }: all passkeys, the authenticator app and the recovery codes. Your password alone will then be enough to sign in.
mail-second-factor-reset-time = This happens on { $time } UTC.
mail-second-factor-reset-stop = If you did not ask for this, stop it here: { $url }
mail-second-factor-reset-wanted = If you asked for it because you lost your second factor, there is nothing to do.

## Sign-in on a new device

mail-new-device-subject = New sign-in to your account on { $store }
mail-new-device = Your account { $username } on { $store } was used to sign in on a device that it did not know:
# Variables: $device (String): such as "Firefox on Windows".
mail-new-device-name = Device: { $device }
mail-new-device-country = Country: { $country }
mail-new-device-time = Time: { $time } UTC
mail-new-device-not-you = If this was you, there is nothing to do. If not, change your password and end the session at { $url }

## Loss of a role

mail-lost-role-subject = Replace secrets of { $game }
mail-lost-role = { $username } can no longer work on { $game }. What they issued or had open for it was revoked: deploy keys, keys and apps of agents, uploads and approvals.
mail-lost-role-deleted = The account of an admin of { $game } was deleted. What they issued or had open for it was revoked: deploy keys, keys and apps of agents, uploads and approvals.
mail-lost-role-deploy-key = The deploy key of the project was issued by them, so your build machines cannot upload any more. Issue a new one at { $url }
mail-lost-role-secrets = They could read secrets of the project. Replace them at { $url }

## Approval

# Variables: $summary (String): what the agent wants to do, in English.
mail-approval-subject = Approve: { $summary }
# Variables: $credential (String): the name of the key or app of the agent.
mail-approval = Your agent ({ $credential }) requests your approval for { $game }:
mail-approval-agent = an agent
mail-approval-open = To approve or deny it, open { $url }
mail-approval-code = Or approve it by giving your agent this code: { $code }
mail-approval-expires = { $minutes ->
    [one] The request expires in { $minutes } minute. If you did not expect it, deny it and revoke the agent's key or access.
   *[other] The request expires in { $minutes } minutes. If you did not expect it, deny it and revoke the agent's key or access.
}

## Disabled webhook

mail-webhook-subject = A bug webhook of { $game } was disabled
mail-webhook-gone = The webhook at { $origin } that receives bug reports for { $game } no longer exists, so it was disabled.
mail-webhook-failed = { $hours ->
    [one] Bug reports for { $game } could not be delivered to { $origin } for { $hours } hour, so this webhook was disabled.
   *[other] Bug reports for { $game } could not be delivered to { $origin } for { $hours } hours, so this webhook was disabled.
}
# Variables: $error (String): as the receiver or the network reported it, in English.
mail-webhook-error = The last error was: { $error }.
mail-webhook-nothing-lost = No report was lost. You can resend every delivery in the bug reporter settings.
mail-webhook-enable = To enable the webhook again, save the settings once more or resend one of the deliveries.

## Launch health

# Variables: $band, $previous_band (String): such as "mixed".
mail-health-subject = Launch health of { $game } { $version } is { $band }
mail-health = { $game } { $version } starts worse than { $previous }. Its launch health is { $band }; that of { $previous } is { $previous_band }.
mail-health-devices = Devices in the last { $days } days: { $count }
mail-health-started = Started the game: { $count }
mail-health-crashed = Crashed before it started: { $count }
mail-health-next = To investigate, open the crash reports of this build. To restore the previous version, roll back the stable channel.

## A new finding in a file that was available

mail-rescan-subject = Rejected by the virus scanner: { $filename } of { $game }
# Variables: $store, $filename, $game, $version (String).
mail-rescan = The virus scanner of { $store } has new signatures, and found this in the file { $filename } of { $game } { $version }. The file cannot be downloaded any more.
mail-rescan-owner = Check your build and upload a clean file: { $url }
mail-rescan-team = The owner has been told. You find the file on { $url }
