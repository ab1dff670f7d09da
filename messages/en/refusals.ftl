# Why something was refused. Messages of the API are for programmers; these are for people.

## The general message of an error, by its name in core/runtime/errors.ts

refusal-malformed = This form could not be read. Reload the page and try again.
refusal-request-timeout = The form took too long to arrive. Send it again.
refusal-forbidden = You do not have permission to do this.
refusal-cross-site-request = This form was not sent from this website. Open the page again and repeat.
refusal-wrong-token-kind = This is possible only on the website, signed in with your account.
refusal-not-found = Not found.
refusal-method-not-allowed = This address only receives a form. Open the page of the form instead.
refusal-conflict = This conflicts with the current state. Reload and try again.
refusal-body-too-large = This is too large. Shorten the text or choose a smaller file.
refusal-unsupported-media-type = This form could not be read. Reload the page and try again.
refusal-too-many-requests = Too many attempts. Wait a minute and try again.
refusal-shutting-down = The store is restarting. Send the form again.
refusal-unavailable = Part of the store is not available right now. Try again shortly.
refusal-invalid-credentials = The username, email address or password is wrong.
refusal-step-up-required = Confirm that it is you first.
refusal-second-step-required = This account has a second factor. Enter its code.
refusal-second-step-failed = This code is wrong or was already used.
refusal-second-factor-required = Set up a second factor first, at Security.
refusal-email-not-verified = Verify your email address first.
refusal-developer-mode-required = Turn on developer mode in your account first.
refusal-developer-terms-not-accepted = Accept the developer terms to continue.
refusal-developer-mode-in-use = Developer mode cannot be turned off while you own or help run a project.
refusal-age-not-confirmed = Confirm that you are 18 or older.
refusal-registration-closed = This store does not take new accounts.
refusal-invitation-required = You need a valid invitation to sign up here.
refusal-publishing-not-allowed = The people who run this store decide who may publish.
refusal-release-held = Your first release waits for a review.
refusal-adult-content-off = This store does not allow adult content.
refusal-paid-listings-off = This store has only free listings. Set the price to 0, and take paid editions off sale.
refusal-asset-type-off = This store does not take listings of this type. Choose another type.
refusal-approval-closed = This request was already decided or has expired. Your agent can ask again.
refusal-invalid-email-code = The code is wrong or has expired. Request a new one.
refusal-email-undo-expired = This link was used or has expired.
refusal-reset-stop-expired = This link was used or has expired.
refusal-reset-link-expired = This link was used or has expired. Request a new one.
refusal-download-requires-sign-in = Sign in to download this. If it has a price, buy it first.
refusal-download-requires-purchase = Buy this game to download it.
refusal-still-scanning = This file is still being scanned for viruses. Try again in a few minutes.
refusal-build-withdrawn = The publisher has withdrawn this version. Choose another one.
refusal-content-blocked = The moderation team has blocked this file. It cannot be uploaded.
refusal-channel-not-accessible = You do not have access to the channel of this file.
refusal-beta-requires-purchase = The beta is for people who own an edition of this game.
refusal-link-signing-failed = The download link could not be signed. Try again.
refusal-anonymous-downloads-not-confirmed = Check the box to confirm that you understand this.
refusal-anonymous-downloads-require-free = Anonymous downloads require a free project without active editions.
refusal-price-requires-sign-in = Turn off anonymous downloads before you set a price or add an edition.
refusal-price-out-of-range = The price is out of range.
refusal-invalid-taxonomy = A value is not in the list of allowed values.
refusal-invalid-similar = Similar titles must be other public games.
refusal-copy-required = You need a copy of this game to do this.
refusal-own-game = You cannot do this for your own game.
refusal-owner-only = Only the owner of the project can do this.
refusal-listing-check-failed = The listing check found errors. Nothing was saved.
refusal-invalid-review = The review is not valid.
refusal-invalid-compat = An engine range is not valid.
refusal-invalid-license = The license kind is not known.
refusal-invalid-dependency = A dependency is not valid.
refusal-invalid-parent = This listing cannot be used as the parent.
refusal-invalid-mod-settings = The mod settings are not valid.
refusal-invalid-press-kit = The press kit is not valid.
refusal-invalid-community-tag = The suggested tags are not valid.
refusal-not-played-enough = Play longer before you suggest tags.
refusal-invalid-store-link = A store link is not valid.
refusal-invalid-edition = The edition is not valid.
refusal-too-many-editions = The listing has too many editions.
refusal-price-from-editions = The price follows the cheapest active edition. Change the editions instead.
refusal-invalid-media = Choose an image for the cover, the thumbnail or the gallery.
refusal-image-rejected = The image was rejected.
refusal-gallery-full = The gallery is full. Delete an image first.
refusal-image-required = A public listing keeps its cover and thumbnail. Replace it instead.
refusal-invalid-order = The order must name every gallery image exactly once.
refusal-invalid-registration = A field of the build is missing or too long.
refusal-file-missing = Choose a file.
refusal-upload-too-large = The file is too large.
refusal-build-not-specified = Choose a build.
refusal-build-not-in-project = This project has no such build.
refusal-build-not-registered = This project has no such build. Reload the page and try again.
refusal-invalid-upload = Choose a .zip file, its system, processor and channel.
refusal-checksum-mismatch = The received bytes do not match the checksum. Send the file again.
refusal-delta-base-gone = A build that the upload refers to is not available any more. Upload the whole zip.
refusal-file-not-recorded = The file could not be recorded. Try again.
refusal-invalid-symbols = This is not a Breakpad symbol file.
refusal-symbols-not-stored = A symbol file could not be stored. Try again.
refusal-nothing-to-roll-back = There is no earlier build to roll back to.
refusal-invalid-channel = The channel name or expiry is not valid.
refusal-invalid-extstore-request = Check the app ID and the key.
refusal-extstore-app-refused = Steam has no page for this app, or it is not a game.
refusal-not-a-publisher-key = The key is not a publisher key for this app.
refusal-extstore-app-taken = Another listing has this app, or this listing is linked to a different app.
refusal-extstore-unavailable = Steam did not answer, or refused the Web API key. Try again in a few minutes.
refusal-extstore-not-linked = This listing is not linked to Steam.
refusal-extstore-sign-in-off = External-store sign-in is off for this game.
refusal-account-link-refused = Steam did not confirm this account. Start again from your account settings.
refusal-bug-report-limit-reached = The daily limit for bug reports is reached. Try again tomorrow.
refusal-disk-full = The store has too little free disk space for uploads. Try again later.
refusal-uploads-busy = Too many uploads at the same time. Wait until one has ended.
refusal-too-many-uploads = Too many uploads, chunks or sessions for this game. Wait and try again.
refusal-upload-session-not-found = This upload has expired. Start it again.

## Rules of fields

rule-fill-in = Fill in this field.
rule-choose-option = Choose one of the options.
rule-choose-answer = Choose an answer.
rule-choose-any = Choose at least one.
rule-choose-at-most = Choose at most { $max }. There are { $count }.
rule-unreadable = This form could not be read.
rule-number = Enter a number.
rule-whole-number = Enter a whole number from { $min } to { $max }.
rule-min = Enter { $count } or more.
rule-max = Enter { $count } or less.
rule-date = Enter a date.
rule-email = Enter an email address, such as name@example.com.
rule-characters = Some of these characters are not allowed here.
rule-length = { $min } to { $max } characters.
rule-min-length = Use at least { $count } characters.
rule-max-length = Use at most { $count } characters.
rule-write-something = Write 1 to { $count } characters.
rule-one-line = Write one line without control characters.
rule-control-characters = Remove the control characters.
rule-min-items = Choose at least { $count }.
rule-max-items = Choose at most { $count }.
rule-duplicates = Name each only once.
rule-not-accepted = This value is not accepted.
rule-https-link = Enter a whole link that starts with https://.
rule-link-characters = A link holds no spaces, backslashes or control characters.
rule-link-credentials = Leave the user name and password out of the link.
rule-link-host = "{ $host }" is not the name of a public host.
rule-link-length = Use at most { $max } characters. This link has { $length }.
rule-link-port = Leave the port out of the link.
rule-link-bytes = The address is too long. Use at most { $count } bytes.
rule-public-link = Enter the http or https address of a public page, at most { $count } characters.
rule-store-host = "{ $host }" does not belong to this store. Its links are on: { $hosts }.
rule-tag = "{ $value }" cannot be a tag. Use lowercase letters, digits and dashes, at most { $max } characters.
rule-tag-count = Enter { $min } to { $max } different tags, or none. There are { $count }.
rule-slug = "{ $value }" has to be 1 to 32 lowercase letters, digits and dashes.
rule-range-order = The minimum { $min } is above the maximum { $max }. Change one of them.
rule-parent = Enter a listing of this store, or the name and the link of one hosted elsewhere.
rule-no-parent = A listing of this type has no parent. Leave it empty.
rule-own-parent = A listing cannot be its own parent. Choose another.
rule-parent-type = Choose a game or an application as the parent.
rule-own-listing = A listing cannot name itself. Choose another.
rule-similar-type = Similar titles are games. Choose a game.
rule-dependency-from = Only these types of listings can do this: { $types }.
rule-dependency-to = This listing does not fit this kind of dependency. Choose one of these types: { $types }.
rule-mods-only = Only mods and plugins have these settings.
rule-path-backslash = Write the path with / instead of \.
rule-path-absolute = Start the path in the folder of the game, without / at the beginning.
rule-path-colon = Start the path in the folder of the game, without a drive letter or colon.
rule-path-outside = Stay inside the folder of the game. Leave out ".." and other parts of only dots.
rule-no-listing = There is no public listing with this address.
rule-no-listing-named = There is no public listing with the address "{ $ref }".
rule-listing-address = Enter the address of a listing, such as my-game.
rule-set-flag = Check at least one of { $names }.
rule-edited = Edited here since the last import. Choose to overwrite your edits to replace it.
rule-address-taken = This address is already taken. Choose another.
rule-address-uid = Choose a name that does not look like an ID.

## Rules of accounts

rule-username = { $min } to { $max } letters, digits and hyphens, with a letter or digit at both ends.
rule-username-reserved = This name is reserved.
rule-username-taken = This username is already taken.
rule-not-your-username = This is not your username.
rule-own-projects = Nothing was deleted: you own projects.
rule-password-wrong = This password is wrong.
rule-email-same = This is already the address of your account.
rule-gifts-per-day = You can give away { $count ->
    [one] { $count } copy
   *[other] { $count } copies
} a day. Try again tomorrow.
rule-email-taken = This email is already taken.
rule-not-email = This is not an email address.
rule-password-own-name = Must be more than your username, your email or the name of the store.
rule-password-common = This password is too common. Choose another.
rule-password-breached = This password became public in a data breach. Choose another, here and wherever you use it.
rule-already-verified = This email address is already verified.
rule-code-wait = { $count ->
    [one] A code was sent moments ago. Try again in { $count } second.
   *[other] A code was sent moments ago. Try again in { $count } seconds.
}
rule-code-wrong = This code is wrong. Check the newest mail and enter its six digits.
rule-code-expired = This code has expired. Request a new one.
rule-code-missing = No code is waiting for you. Request one, and wait for the mail.
rule-code-attempts = Too many wrong codes were entered. Request a new one.
rule-second-step-wrong = This code is wrong or was already used. Wait for the next one.
rule-passkey-wrong = This passkey was not accepted. Try again.
rule-passkeys = An account can have at most { $count } passkeys, and each authenticator once.
rule-sign-in-expired = This sign-in took too long. Start again.
rule-totp-on = An authenticator app is already set up. Remove it first.
rule-totp-off = Set up a second factor first.
rule-player-keys = An account can have at most { $count } player keys. Delete one first.
rule-agent-keys = An account can have at most { $count } agent keys. Delete one first.
rule-device-code-unknown = No device waits with this code. Check it, or start again on the device.
rule-launch-object = Name the program that starts the build.
rule-launch-args = Enter up to { $count } arguments of up to { $max } characters each.
rule-launch-program = Enter the path of the program in the build.
rule-launch-path = Enter a path below the folder of the build, such as bin/game.
rule-stage-without-head = This channel has no other build on this system yet. Release this build to everyone.
rule-not-staged = This channel does not deliver this build to a part of the devices.
rule-app-request-expired = This request has expired. Start again from the app.
rule-linked-elsewhere = This account is linked to another user, or you have already linked a different one. Unlink that one first.
rule-link-expired = This link has expired. Request a new one.

## Rules of players

rule-buy-to-review = This game has a price now. Buy it to review it.
rule-play-longer = { $count ->
    [one] Play for at least { $count } minute before you suggest tags.
   *[other] Play for at least { $count } minutes before you suggest tags.
}
rule-suggest-tags = Suggest at most { $max } tags. You sent { $count }.
rule-listing-changed = The listing changed at this moment. Try again.
rule-bug-reporter-off = The bug reporter of this game is turned off.
rule-describe-bug = Describe what went wrong.
rule-not-released = This listing is not released yet. Only its owner can give out copies.
rule-search-busy = Search is busy. Try again in a moment.
# Variables: $size (String): such as "64 KiB".
rule-log-size = Enter at most { $size }, preferably the end of it.

## Rules of projects

rule-address = Use 1 to { $count } lowercase letters and digits, with single dashes between them.
rule-name-of-service = "{ $name }" is taken by the service itself. Choose another name.
# Variables: $min (String), $max (String): prices, such as "$0.99".
rule-price = Enter 0 for free, or a price from { $min } to { $max }.
rule-price-order = The highest price must be at least the lowest.
rule-setting-fixed = { $variable } is set in the environment of the service. Change it there.
rule-color-contrast = The contrast with the { $theme ->
    [dark] dark
   *[light] light
} background is only { $ratio }:1. Choose a { $theme ->
    [dark] lighter
   *[light] darker
} color: text needs at least { $min }:1.
rule-color = Enter a color such as #1b6f5c.
rule-store-link = Enter an address that begins with https://, mailto: or /.
rule-contact = Enter an email address, or an address that begins with https://.
rule-day-order = The last day must not be before the first.
# Variables: $ref (String): an address or uid.
rule-pick-unknown = There is no listing “{ $ref }”. Use its uid, or the last part of its address.
rule-operator-unverified = Verify the address of this person first.
rule-other-username = This is not the username of the account.
rule-delete-operator = This person is an operator. Remove that role first.
rule-person-owns-listings = This person owns listings. Delete them too, or let the person delete them first.
rule-last-operator = This is the last operator. Make another person an operator first.
rule-own-second-factor = Ask another operator to reset your own second factor.
rule-no-second-factor = This person has no second factor to reset.
rule-operator-scopes = Only operators of the store can create a key with these permissions.
rule-operator-key-project = A key with permissions of operators is for the whole store. Choose no project.
rule-mail-queued = This mail is queued already. It will be sent.
rule-mail-single-use = This mail may contain a code or a link that works once. The person can request a new one.
rule-press-email = Use an address such as press@example.com.
rule-line-link = Write the line as: Label | https://…
rule-line-quote = Write the line as: Quote | Source | https://… (the link is optional).
rule-line-credit = Write the line as: Name | Role.
rule-version = "{ $value }" is not a version. Write numbers such as 4.2, 4.2.1 or 4.3-beta2, or leave it empty.
rule-language-code = "{ $value }" is not a BCP 47 language code, such as de or pt-BR.
rule-translation = Translate the tagline, the description, or both.
rule-language-twice = { $code } is listed twice. Name each language once.
rule-named-twice = This is named twice. Leave one out.
rule-list-length = Use at most { $max }. There are { $count }.
rule-edition = Another edition is called { $slug }. Choose another name.
rule-editions = A listing has at most { $count } editions. Retire one first.
rule-no-edition = This listing has no such edition. Choose another.
rule-bundle-seller = A bundle holds only your other listings. Enter the address of one.
rule-bundle-self = This listing is part of the bundle already. Enter other listings.
rule-bundle-count = Enter 1 to { $max } other listings.
rule-adds-errors = { $count ->
    [one] This would add { $count } error to a public page. Nothing was saved.
   *[other] This would add { $count } errors to a public page. Nothing was saved.
}
rule-listing-errors = { $count ->
    [one] The listing check found { $count } error.
   *[other] The listing check found { $count } errors.
}
rule-no-suggestion = Nobody suggested this tag.
rule-no-user = There is no such user.
rule-owner-is-admin = The owner runs the listing already.
rule-admins = A listing has at most { $count } admins and invites.
rule-owner-unverified = The owner must verify their email address before the page can be public.
rule-owner-email = The owner of the project must verify their email address first.
rule-has-children = Mods or tools hang under this listing, so it must stay a game or an application.
rule-app = "{ $value }" is not an app name. Use up to 32 lowercase letters, digits and dashes.
rule-app-missing = Name the app too.
rule-http-link = Enter a whole link that starts with http:// or https://.
rule-symbols-module = The first line has to be MODULE, the system, the processor, the debug ID and the name.
rule-symbols-system = The system is not known. It has to be one of { $allowed }.
rule-symbols-debug-id = The debug ID has to be 32 characters 0-9 and A-F, then 1 to 8 hexadecimal digits of the age.
rule-symbols-name = The name of the module or the processor is too long or has control characters.
rule-symbols-file = Choose a .sym file, or a .zip of .sym files.
rule-symbols-zip = The zip has to hold 1 to { $max } .sym files and nothing else.
rule-no-clean-file = No file of this build has passed its virus scan. Wait for the scan, or upload a file.
rule-webhook-url = Enter an https address with a public host.
rule-webhook-port = This port belongs to the store itself. Choose another.
rule-no-crash-group = This project has no such crash group. Reload the page and try again.
rule-channel-missing = Enter the name of a channel.
rule-channel = "{ $value }" is not a channel name. Use up to 32 lowercase letters, digits, - and _, starting with a letter or digit.
rule-not-zip = Choose a .zip file.
rule-checksum = Enter the SHA-256 checksum of the file: 64 digits 0-9 and letters a-f.
rule-file-not-stored = The file could not be stored. Try again shortly.
rule-upload-sessions = { $count ->
    [one] A project can have at most { $count } open upload. Finish it first.
   *[other] A project can have at most { $count } open uploads. Finish one first.
}
rule-zip-damaged = The zip is damaged, or its structure is not allowed. Create it again.
rule-zip-entries = The zip holds { $count } files and folders. At most { $max } are allowed.
rule-zip-unpacked = The zip unpacks to { $size }. At most { $max } are allowed.
rule-zip-encrypted = "{ $path }" in the zip is encrypted. Create the zip without a password.
rule-zip-compression = "{ $path }" in the zip has a compression that cannot be scanned. Use deflate.
rule-zip-name = The name "{ $path }" in the zip cannot be unpacked on every system. Change it.
rule-zip-twice = The zip holds more than one entry named "{ $path }", or a file where a folder has to be. Create it again.
rule-zip-link = "{ $path }" is a link that leads out of the zip. Remove it.
rule-zip-case-link = "{ $path }" and a link in the zip have the same name on disks that ignore letter case. Rename one of them.
rule-app-id = Enter the number of an app, or the link of its page in the external store.
rule-app-no-page = The external store has no page for this app.
rule-app-not-game = The external store does not list this app as a game.
rule-publisher-key = Enter the key of 32 characters: 0-9 and A-F.
rule-publisher-key-missing = Enter the publisher key. None is saved for this listing.
rule-linked-app-changed = The linked app has just changed. Try again.
rule-sign-in-on = Sign-in is already on. Replace the Web API key instead.
rule-auth-key-lost = The store has lost this key. Make a new one, and set the Web API key again.

## Trailers

rule-not-video = This is not an MP4 or WebM video.
rule-no-video-track = The file has no video track.
rule-video-damaged = The video is damaged or cut short. Export it again.
rule-video-missing = Choose a video.
rule-file-bytes = The file has more than { $max }.
rule-file-empty = The file is empty.
rule-gallery-free = The gallery holds { $max } images and has room for { $count }. Delete some first.
rule-order-changed = The list has changed in the meantime. Reload the page and try again.
rule-not-captions = The captions are not a WebVTT file. It is UTF-8 text that begins with WEBVTT.
rule-captions-line = Line { $line } of the captions is not a time such as 00:01.000 --> 00:04.000.
rule-captions-empty = The captions have no text.
rule-captions-missing = Choose a file with captions for this language.
rule-captions-count = { $count ->
    [one] A trailer has captions in at most { $count } language. Remove one first.
   *[other] A trailer has captions in at most { $count } languages. Remove one first.
}
rule-outside-video = This is not the address of a video on YouTube, Vimeo or one of these PeerTube hosts: { $hosts }.
rule-outside-files = A linked video has no files here. Remove it and upload the video.
rule-trailers = { $count ->
    [one] A listing has at most { $count } trailer. Remove one first.
   *[other] A listing has at most { $count } trailers. Remove one first.
}
rule-trailer-unchanged = Choose what to change.

## Moderation

# Variables: $statement (String): the sentence of the moderators. $date (String): when it ends.
rule-suspended = Your account is suspended: { $statement }
rule-suspended-until = Your account is suspended until { $date }: { $statement }
rule-publishing-suspended = You cannot publish at the moment: { $statement }
rule-publishing-suspended-until = You cannot publish until { $date }: { $statement }
rule-listing-hidden = The moderation team has hidden this project from discovery. The statement of reasons is in your settings.
rule-review-removed = The moderation team has removed your review. The statement of reasons is in your settings.
rule-label-locked = This is set by the moderation team: { $values }. The statement of reasons is in your settings; you can appeal there.
rule-labels-missing = Say which labels to correct.
refusal-appeal-not-possible = This decision was appealed before, or is too old to be appealed.
rule-appeal-text = Say why the decision is wrong.
rule-appeal-reasons = State the reasons for your decision.
rule-appeal-own-decision = You made the decision that is appealed. Somebody else must decide on the appeal.
rule-moderation-facts = State the facts that this decision rests on.
rule-moderation-ground = Choose the law or rule that this decision rests on.
rule-moderation-no-change = This was decided already. Reload the page.
rule-moderation-own = This concerns you. Ask somebody else to decide.
rule-moderation-team = Only operators decide on members of the moderation team.
refusal-report-open = You have reported this already. We will answer that report.
rule-report-text = Say what is wrong.
rule-report-url = These must be addresses that begin with http:// or https://.
rule-report-copyright = A copyright notice names the work, the holder of the rights, and is signed with your name.
rule-report-contact = A copyright notice needs an email address that we can answer.
rule-reports-webhook-missing = Set the address of the webhook first.
rule-sweep-hash = Write hashes of 64 hexadecimal digits, one per line.
rule-sweep-empty-file = One of these is the hash of an empty file, which is in most builds.
rule-sweep-matches = This matches more than { $count } entries. Use fewer hashes.
rule-sweep-subject = Give either hashes or a rule.
rule-sweep-rule = The rule does not compile.
rule-sweep-running = The sweep is still running. Wait until it has scanned all files.
refusal-suspended = This account is suspended.
refusal-ground-and-facts-required = A decision needs a ground and the facts it rests on.

## Who may sign up and publish

rule-invitation-missing = You need an invitation to sign up here.
rule-invitation-unknown = This invitation does not exist. Check that the link is complete.
rule-invitation-used = This invitation was used up. Ask for another.
rule-invitation-expired = This invitation has expired. Ask for another.
rule-publishing-approval = An operator of this store must approve you before you can publish. Ask for it in your settings under Publishing.
rule-publishing-invited = Only people whom this store invited may publish.
rule-publishing-allowed = You may publish already.
rule-publishing-requested = Your request waits for an answer. You will get a mail.
rule-release-waiting = Your first release waits for a review. You will get a mail.
rule-release-decided = This release was decided already.
rule-release-changed = The listing changed since you opened it. Look at it again.

## The logo and the favicon of the store

rule-brand-image-type = It is not an SVG, PNG or WebP image.
rule-svg-unreadable = It is not an SVG image that can be read. Export it again.
rule-svg-no-size = The image has neither a viewBox nor a width and a height. Export it with one of them.
rule-svg-too-complex = The image has too many parts. Simplify it.
rule-svg-declarations = The image declares entities. Export it as plain SVG.

## Mail

rule-mail-server = Enter an address such as smtps://user:password@mail.example:465.
rule-mail-recipient = Enter one email address.
rule-mail-sender = Enter an email address, or a name and an address in angle brackets.

rule-file-bytes-removed = The bytes of this file were removed after its scan. It has to be uploaded again.
rule-file-quarantined = This file is in quarantine. Restore it first.
rule-not-replacement = Choose another build of the same program that is not withdrawn.

refusal-save-changed = The save has been changed meanwhile. Load it again.
refusal-too-many-saves = All save slots of this game are used. Delete one first.
refusal-player-not-shared = You do not let this game know who you are. You can allow it on its page.
