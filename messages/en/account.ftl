# The account of a person: signing in, settings, library and keys.

## Signing in and up

login-name = Username or email
password = Password
username = Username
email = Email
forgot-password = Forgot your password?
login-new-here = New here? <link>Create an account</link>. Some free games can be downloaded without one.
# Variables: $name (String): the name of a listing.
sign-in-reason-download = Sign in to download { $name }.
sign-in-reason-file = Sign in to download this file.
# Variables: $name (String): the name of a listing.
sign-in-reason-bug = Sign in to report a problem with { $name }.
sign-in-reason-problem = Sign in to report a problem.
sign-in-reason-publish = Sign in to publish and manage your projects.
create-account = Create an account
create-account-button = Create account
signup-text = Play, review and publish with one account.
signup-have-account = Already have an account? <link>Sign in</link>.
username-hint = { $min } to { $max } letters, digits and hyphens. It is part of your public address.
email-hint = For codes and news about your projects. Nobody else sees it.
password-hint = At least { $min } characters. A short sentence works well.
welcome = Welcome aboard, { $username }
welcome-back = Welcome back, { $username }
signed-out = You are signed out

## A form that was sent after the session ended

resume-sign-in = Sign in to continue
resume-session-ended = Your session has ended. What you entered is kept and not saved yet. Sign in to continue.
resume-continue = Continue
resume-signed-in = You are signed in as { $username }
resume-not-saved = What you entered is not saved yet.
resume-send = Send what I entered
resume-discard = Discard it

## Password

reset-password = Reset your password
reset-password-text = We email you a link to set a new password. It works once and expires after one hour.
send-link = Send link
back-to-sign-in = Back to sign-in
check-email = Check your email
check-email-text = If an account matches, we have sent a link to its email address.
check-email-spam = Nothing in your inbox? Check your spam folder. You can request another link after five minutes.
request-another-link = Request another link
new-password-title = Set a new password
new-password-text = This logs you out on all devices.
new-password = New password
save-password = Save password
link-expired = Link expired? <link>Request another link</link>.
password-changed = Your password is changed. Sign in with your new password.

## Email address

verify-title = Verify your email address
verify-reason = Until then you can download only games that need no account, and they are not kept in your library. A verified address is also required to review and to publish.
verified = Verified
not-verified = Not verified
email-verified = Your email address is verified
code-text = We email a six-digit code to <strong>{ $email }</strong>. Enter it here.
code-sent-text = We sent an email with a six-digit code to <strong>{ $email }</strong>. It can take a minute to arrive; check your spam folder too. The code is valid for ten minutes.
code-sent = We sent you a code
code-wrong-address = Wrong address? <link>Change it</link>.
six-digit-code = Six-digit code
send-code = Send code
send-another-code = Send another code
verify = Verify
later = Later

## Settings

account = Account
change = Change
change-email = Change email address
change-email-text = We send a code to the new address. The old one stays until you enter the code, and gets a mail about the change. If it is verified, it can undo the change for seven days.
new-email = New email address
confirm-email = Confirm the new address
confirm-email-text = Enter the six-digit code that we sent to the new address. It is valid for ten minutes.
email-changed = Your email address is now { $email }.
undo-email = Undo the change of your email address
undo-email-text = Your account gets its previous email address back. All sessions end, your password stops working, and we send you a link to choose a new one. Keys and second factors that were added since the change are removed, and connected apps are disconnected.
undo-email-button = Undo the change
email-undone = Your email address is restored. We sent you a link to choose a new password.
change-password = Change password
change-password-text = This signs you out on all other devices.
current-password = Current password
password-is-changed = Your password is changed. You are signed out everywhere else.
developer-mode-on = Developer mode is on. <link>Open the dashboard</link>.
developer-mode-is-on = Developer mode is on
developer-mode-is-off = Developer mode is off
developer-mode-turn-off = Turn off developer mode
developer-terms-first = Accept the developer terms first
adult-shown-text = Pages with sexual content or nudity are shown to you.
adult-hidden-text = Pages with sexual content or nudity are hidden.
adult-hide = Hide adult content
external-store-account = Steam account
link-account-text = Link your Steam account, so that games recognize you in both places.
link-account = Link account
linked-account = Linked: { $account }
unlink-account = Unlink account
account-linked = Account linked
account-unlinked = The account is unlinked

## Personal data

your-data = Your data
your-data-text = Download everything that is stored about you, or delete your account.
export-data = Export your data
export-data-text = You get a JSON file with everything that is stored about your account. It has no passwords or keys, and no uploaded files.
export-button = Download
delete-account = Delete your account
delete-account-final = <strong>This is final.</strong> Nobody can restore the account, and bought copies are lost.
delete-account-gone = What is deleted
delete-account-gone-text = Your account with its address, profile and settings; your sessions, keys and connected apps; your library, play time and cloud saves; your reviews and tags; your roles in projects of others.
delete-account-stays = What stays
delete-account-stays-text = What belongs to projects stays without your name: bug reports, uploaded files, release history and download counts. Backups keep the account until they expire.
delete-account-export = You may want to <link>export your data</link> first.
delete-account-username = Enter { $username } to confirm.
delete-account-projects = You own these projects. Delete them in the <link>dashboard</link> first; a deleted project that can still be restored counts until its time is over.
delete-account-button = Delete account
account-is-deleted = Your account is deleted.

## Library

library-empty = Your library is empty
library-empty-text = Games you download while signed in are kept here, with all their updates.
library-no-downloads = No downloads right now.
library-search = Search your library
library-sort = Sort by
library-sort-added = Recently added
library-sort-name = Name
library-sort-updated = Recently updated
library-apply = Apply
library-no-match = Nothing in your library matches “{ $q }”
library-clear-search = Clear search
library-hidden-title = Hidden
library-none-hidden = You have hidden nothing.
library-show-hidden = { $count ->
    [one] Show { $count } hidden title
   *[other] Show { $count } hidden titles
}
library-show-visible = Back to your library
# Variables: $name (String): the name of the listing, read aloud only.
copy-hide = Hide<hidden> { $name }</hidden>
copy-unhide = Show again<hidden>: { $name }</hidden>
copy-remove = Remove<hidden> { $name }</hidden>
copy-remove-text = This removes { $name } from your library, and deletes your review and your tags of it. You can add it again while it is free.
copy-remove-text-gift = This removes { $name } from your library, and deletes your review and your tags of it. You can get it back only while it is free, or if somebody gives it to you again.
copy-remove-text-bought = You bought { $name }. This removes it from your library, and deletes your review and your tags of it. You get no money back, and would have to buy it again.
copy-remove-confirm = Remove from library
copy-is-hidden = Hidden. You find it at the end of your library.
copy-is-visible = Back in your library.
copy-removed = Removed from your library.
copy-free = Free since { $date }
copy-granted = Given to you since { $date }
# Variables: $giver (String): a username.
copy-gift = Gift from { $giver }, { $date }
library-adult-gifts = { $count ->
    [one] { $count } gift with adult content is not shown. <link>Settings</link>
   *[other] { $count } gifts with adult content are not shown. <link>Settings</link>
}
copy-bought = Bought since { $date }
# Variables: $release (String): a game and the version that has the fix.
bug-fixed = <strong>Fixed in { $release }</strong>, { $date }. You reported:
dismiss = Dismiss

## Keys

player-keys = Player keys
player-keys-text = For launchers, editors and scripts that play and download as you. A revoked key stops working within a second.
agent-keys = Agent keys
agent-keys-text = For programs and AI agents that work on your projects. A revoked key stops working within a second.
agent-keys-need-developer = Agent keys require <link>developer mode</link>.
new-key-text = <strong>Copy this key now. You will not see it again.</strong> We store only a hash of it.
create-a-key = Create a key
create-key = Create key
key-name = Name
# Variables: $scopes (String): names of permissions, such as "player:read".
key-details = { $scopes } · created { $date }
key-revoked = The key is revoked
revoke-named = Revoke<hidden> { $name }</hidden>
project = Project
projects = Projects
all-my-projects = All my projects
permissions = Permissions

## Connected apps and activity

apps = Connected apps
apps-text = These apps act for you until their access expires or you revoke it. Revoking ends their tokens at once.
apps-none = No apps. An app that wants to act for you asks you on a page of this site.
unnamed-app = Unnamed app
app-only-project = only { $project }
app-only-one-project = only one project
app-dates = connected { $connected }, expires { $expires }
app-revoked = The access of the app is revoked
activity-title = Activity of keys and apps
activity = Activity
activity-text = Every call of the last { $days } days, newest first, including rejected ones.
activity-none = No activity in the last { $days } days.
activity-time = Time
activity-key = Key or app
activity-call = Call
activity-status = Status

## Profile

profile = Profile
profile-text = What you write here is shown on <link>your page</link> once you have published something or made your profile public.
profile-about = Text and links
profile-bio = About you
profile-bio-hint = Markdown: lists, links, emphasis.
profile-links = Links
profile-links-hint = One per line, starting with https://. Up to { $max }.
profile-public = Make my profile public
profile-public-hint = Everyone can open your page, and your name links to it in your reviews.
profile-save = Save profile
profile-saved = Your profile is saved
profile-edit = Edit your profile
profile-avatar = Avatar
profile-avatar-text = Shown in your menu, and where your profile is public: on your page, in search, and beside your reviews.
profile-avatar-hint = Square, at least { $min } pixels, PNG, JPEG or WebP, up to { $bytes }. Of other shapes, the middle is used.
profile-avatar-none = Without an image, your initials are shown.
profile-banner = Banner
profile-banner-text = The wide image at the top of your page.
profile-banner-hint = Four times as wide as high, at least { $min } pixels, PNG, JPEG or WebP, up to { $bytes }. Of other shapes, the middle is used.
profile-banner-alt = The banner of your page
profile-image-saved = Image saved
profile-image-removed = Image removed
