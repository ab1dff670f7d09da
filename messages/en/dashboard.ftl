# The dashboard: projects, their frame, the listing check and the people of a project.

## Frame of a project

sections-store-page = Store page
sections-builds = Builds
sections-insights = Insights
sections-team = Team
section-overview = Overview
section-reviews = Reviews
section-page = Page
section-images = Images and trailers
section-builds = Builds
section-health = Health
section-downloads = Downloads
section-crashes = Crashes
section-bugs = Bugs
section-press = Press
section-links = Links
section-external-store = Steam
section-people = People
section-settings = Settings
# The title of a page. Variables: $title (String): the section. $project (String): the project.
project-page-title = { $title } · { $project }
project-sections = Sections of { $project }
project-view-page = View page
dashboard-projects = Projects

## Buttons and values of several pages

turn-on = Turn on
turn-off = Turn off…
owner-only = Only the owner can change this.
role-owner = owner
role-admin = admin
role-invited = invited
markdown-hint = Markdown.

## Overview of a project

overview-next = What to do next
overview-nothing = Nothing needs your attention.
overview-no-tagline = No tagline yet
overview-launch-health = Launch health
overview-health-alarm = starts badly
# Variables: $total (String): such as "12 downloads". $peak (Number): of one day.
overview-downloads-peak = { $days ->
    [one] { $total } in the last { $days } day, at most { $peak } per day
   *[other] { $total } in the last { $days } days, at most { $peak } per day
}
figure-active-today = { $count ->
    [one] <strong>{ $count }</strong> active device today
   *[other] <strong>{ $count }</strong> active devices today
}
figure-open-bugs = { $count ->
    [one] <strong>{ $count }</strong> open bug
   *[other] <strong>{ $count }</strong> open bugs
}
figure-open-crashes = { $count ->
    [one] <strong>{ $count }</strong> open crash
   *[other] <strong>{ $count }</strong> open crashes
}
step-health = Find out why the stable build starts badly
step-regressed-crashes = { $count ->
    [one] Look at a crash that came back
   *[other] Look at { $count } crashes that came back
}
step-fix-public = { $count ->
    [one] Fix { $count } issue of the public page
   *[other] Fix { $count } issues of the public page
}
step-fix = { $count ->
    [one] Fix { $count } issue before you publish
   *[other] Fix { $count } issues before you publish
}
step-publish = Publish the page
step-crashes = { $count ->
    [one] Look at { $count } open crash
   *[other] Look at { $count } open crashes
}
step-bugs = { $count ->
    [one] Work on { $count } open bug
   *[other] Work on { $count } open bugs
}
step-reviews = { $count ->
    [one] Reply to { $count } review
   *[other] Reply to { $count } reviews
}
step-events = Send launch events from your game
step-suggestions = { $count ->
    [one] Improve the page: { $count } suggestion
   *[other] Improve the page: { $count } suggestions
}

## List of projects

projects-title = Your projects
project-updated = updated { $date }
projects-unverified = Verify your email address before you upload or publish. <link>Verify now</link>
project-new = New project
projects-create-first = Create your first project
projects-import = Import from Steam
projects-none = Nothing on the slip yet
projects-none-text = A project starts as a draft that only you can open. Fill in its page, then publish it once the listing check passes.
invites = Invitations
invite-text = <strong>{ $person }</strong> invites you to help run <strong>{ $project }</strong>.
invite-terms = Accepting also turns on developer mode and accepts the developer terms.
invite-accept = Accept
invite-decline = Decline
invite-accepted = Invitation accepted
invite-declined = Invitation declined

## Developer mode

developer-title = Publish your work
developer-text = Developer mode lets you create projects, upload builds and publish. It is free, and you can turn it off while you run no project.
developer-accept-terms = I accept the developer terms: I have the right to publish what I upload, it harms nobody, and its page describes it honestly.
developer-turn-on = Turn on developer mode
developer-is-on = Developer mode is on

## New project

project-new-text = It starts as a draft that only you can open.
project-new-import = Already on Steam? <link>Import its page</link>.
project-address-hint = Lowercase letters, digits and dashes. Leave empty to derive it from the name.
project-create = Create draft
project-created = Draft created. The listing check shows what it still needs.

## Listing check

listing-check = Listing check
listing-check-passed = All checks passed
listing-check-ready = Ready to publish
listing-check-issues = { $count ->
    [one] { $count } issue to fix
   *[other] { $count } issues to fix
}
# The hidden part is for screen readers; others see a color and an icon.
listing-check-to-fix = <hidden>To fix: </hidden>{ $text }
listing-check-suggestion = <hidden>Suggestion: </hidden>{ $text }
listing-check-done = <hidden>Done: </hidden>{ $text }
listing-check-passes = { $count ->
    [one] { $count } check passed
   *[other] { $count } checks passed
}
listing-check-public = This page is public. Edits that fail the check are refused.
listing-check-blocked = You can publish once every issue is fixed.
# Variables: $errors (String): what the check asks for, several parts with semicolons.
listing-check-refused = A public page must pass the listing check: { $errors }
publish = Publish
publish-account-note = Players need an account to download. <link>Allow downloads without an account</link>
# The API names the fields; on the page they are side by side.
check-player_count = Say for how many players it is

## Team

team = Team
team-username = Username
team-role = Role
team-invited = Invited
team-invite = Invite an admin
team-invite-hint = Their username. Admins can edit the page, upload builds and manage keys. Only you can delete the project.
team-invite-button = Invite
team-invite-sent = Invited. The invitation is on their dashboard.
team-owner-only = Only the owner can invite and remove people.
team-leave = Leave…
team-leave-text = You will no longer be able to open or edit { $project }. Your API keys for it stop working.
team-leave-confirm = Leave this project
team-remove = Remove…
team-remove-text = { $username } will no longer be able to open or edit { $project }. Their API keys for it stop working.
team-remove-confirm = Remove { $username }
team-removed = Removed

agent-access = Agent access for admins
agent-access-is-on = Agents and agent keys of your admins can work on this project.
agent-access-is-off = Agents of admins are turned off. Only agents of the owner can work on this project.
agent-access-off-text = Agents of your admins can no longer read or change this project, and the agent keys that your admins have for it are revoked. Admins can still use the website.
agent-access-off-confirm = Turn off agent access for admins
agent-access-off-done = Agent access for admins is off, and their keys are revoked
agent-access-on-done = Agent access for admins is on

## Players

give-copy = Give a copy
give-copy-text = For testers, press and friends. They can download it as if they had bought it.
give-copy-hint = The copy appears in their library.
give-copy-done = Copy given

reviews-none = No reviews yet
reviews-none-text = Each player who owns a copy can write one review.
reviews-summary = { $count ->
    [one] { $count } review, { $enjoyed } enjoyed it, average quality { NUMBER($average, minimumFractionDigits: 1, maximumFractionDigits: 1) } of 5.
   *[other] { $count } reviews, { $enjoyed } enjoyed it, average quality { NUMBER($average, minimumFractionDigits: 1, maximumFractionDigits: 1) } of 5.
}
review-quality-and-date = quality { $quality } of 5 · { $date }
verdict-enjoyed = enjoyed
verdict-not-enjoyed = not enjoyed
reply-to = Reply to { $username }
reply-hint = Markdown. Save an empty reply to remove it.
reply-edit = Edit reply
reply-add = Reply
reply-save = Save reply
reply-saved = Reply saved

player-tags = Community tags
player-tags-none = { $hours ->
    [one] Players with at least { $hours } hour of play time can suggest up to { $tags } tags. A tag appears on your page once { $players } players suggest it.
   *[other] Players with at least { $hours } hours of play time can suggest up to { $tags } tags. A tag appears on your page once { $players } players suggest it.
}
tag-name = Tag
tag-votes = Votes
tag-on-page = On the page
tag-is-shown = yes
tag-not-yet = not yet
tag-hidden-by-you = hidden by you
tag-show = Show
tag-hide = Hide
tag-hidden = Tag hidden. Its votes are kept.
tag-shown = Tag shown

## Deleted projects

project-delete = Delete project
project-delete-open = Delete…
project-delete-confirm = Delete { $project }
project-delete-now-text = This permanently deletes <strong>{ $project }</strong> with its builds, images, reviews, bug tickets and crash reports.
project-delete-text = People play <strong>{ $project }</strong>. Nobody can open, download or update it once it is deleted, and players lose their copies. You can restore it for { $days } days. Then it is gone for good, with its builds, images, reviews, bug tickets and crash reports.
project-delete-name = Name of the project
project-delete-name-hint = Type <strong>{ $project }</strong> to confirm.
project-delete-wrong-name = This is not the name of the project. Nothing was deleted.
project-delete-password = Enter your password. Nothing was deleted.
project-deleted = { $project } was deleted
project-deleted-until = { $project } was deleted. You can restore it until { $date }.
projects-deleted = Deleted
project-deleted-on = Deleted on { $date }, gone for good on { $end }
project-restore = Restore
project-restored = Restored as it was
project-restored-taken-down = Restored, but it stays taken down by moderators
# Variables: $project (String): its name.
project-taken-down = { $project } was taken down
project-taken-down-text = Moderators took this project down. Nobody can open its page or download its files, and it cannot be edited.
project-hidden = Moderators hid this project from discovery: it is in no list, search or feed. Its page opens by link.
project-reasons-owner = Its owner has the reasons.

## Shared secrets that former admins could read

shared-secrets = Secrets that former admins could read
# Variables: $people (String): usernames, separated by commas.
shared-secrets-text = Some secrets of this project may be known to people who no longer work on it: { $people }.
shared-secrets-deleted = a deleted account
shared-secrets-here = These can be replaced here:
shared-secrets-elsewhere = Replace these at the external store, if the person knew them, and save the new ones here:
shared-secret-signing-key = Signing key of webhooks
shared-secret-auth-key = Auth key of the external store
shared-secret-web-api-key = Web API key of the external store
shared-secrets-replace = Replace all of them
shared-secrets-replace-text = The old keys stop working at once. Webhooks no longer verify with the old signing key, and with a new auth key players have to sign in again. Then copy the new keys to your servers.
shared-secrets-replaced = The secrets are replaced. Copy the new ones to your servers.
shared-secrets-done = Everything is replaced
shared-secrets-done-text = This notice goes away. Nothing else changes.
shared-secrets-resolved = The notice is removed
