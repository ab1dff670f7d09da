# The console for the operators of the store.

console-sections = Console
console-overview = Overview
console-people = People
console-listings = Listings
console-jobs = Jobs
console-mail = Mail
console-settings = Settings

## Settings

page-contents = On this page
console-settings-text = Changes apply to the whole store within a second. An empty field means the default.
console-save = Save changes
console-saved = Settings saved
setting-group-identity = Identity
setting-group-access = What the store allows
setting-group-security = Security
setting-require-mfa = Who must have a second factor
setting-require-mfa-hint = These people set up a passkey or an authenticator app before they go on. Keys and apps keep working.
setting-require-mfa-off = Nobody
setting-require-mfa-operators = Operators and moderators
setting-require-mfa-developers = They and developers
setting-require-mfa-everyone = Everybody
setting-second-factor-reset-wait = Hours until a second factor is reset
setting-second-factor-reset-wait-hint = After an operator requested it. The person is mailed at once and can stop it.
setting-security-event-days = Days to keep security events
setting-session-idle-days = Days until an unused session ends
setting-session-idle-days-hint = People sign in again after this many days without a visit.
setting-operator-idle-hours = Hours until an unused session of operators and moderators ends
setting-operator-idle-hours-hint = Shorter, because their sessions can change the whole store.
setting-group-limits = Limits
setting-gifts-per-day = Copies that a person may give away per day
setting-gifts-per-day-hint = Gifts appear in the libraries of other people, so this limits how much a stranger can push there.
setting-account-requests-per-minute = Requests of an account per minute
setting-account-requests-per-minute-hint = To all private routes together that have no limit of their own. A page of the website makes several.
setting-account-uploads = Uploads of an account at the same time
setting-account-uploads-hint = A listing has as many with its deploy key.
setting-service-uploads = Uploads that each process receives at the same time
setting-group-prices = Prices and fees
setting-store-name = Name of the store
setting-store-name-hint = In the header, in mails, feeds and link previews.
setting-powered-by = Name the software in the footer and in feeds
setting-adult-content = Adult content
setting-adult-content-hint = While this is off, listings with adult content are visible to their owners only.
setting-paid-listings = Prices
setting-paid-listings-hint = While this is off, prices from before stay, but nobody can set one.
setting-asset-types = Types of new listings
setting-asset-types-hint = Listings of other types stay.
setting-asset-types-game = Game
setting-asset-types-application = Application
setting-asset-types-tool = Tool
setting-asset-types-mod = Mod
setting-asset-types-plugin = Plugin
setting-asset-types-game-asset = Game asset
setting-asset-types-dev-asset = Developer asset
brand-preview = Preview
brand-preview-button = Download
setting-group-branding = Branding
setting-tagline = Tagline
setting-tagline-hint = What the store is about, in one sentence. Search engines and link previews show it.
setting-contact = Contact
setting-contact-hint = An email address or the https address of a page. Linked on every page.
setting-accent-color = Accent color
setting-accent-color-hint = For buttons and marks, such as #1b6f5c. Text in it must be readable: a contrast of at least 4.5:1 with the light background.
setting-accent-color-dark = Accent color in the dark theme
setting-accent-color-dark-hint = If it is empty, a lighter accent color is used.
setting-footer-links = Links in the footer
setting-footer-links-hint = Up to 12. Addresses begin with https://, mailto: or /. Save to get more empty rows.
setting-footer-links-label = Label
setting-footer-links-url = Address
setting-announcement = Announcement
setting-announcement-hint = A bar above every page, which readers can close.
setting-announcement-text = Text
setting-announcement-url = Link
setting-announcement-starts-on = First day
setting-announcement-ends-on = Last day
# The label of a field in a row of a list, for screen readers.
setting-row = { $field }, row { $row }
setting-min-price-cents = Lowest price, in cents
setting-max-price-cents = Highest price, in cents
setting-sale-fee-fixed-cents = Fixed fee of a sale, in cents
setting-sale-fee-percent = Fee of a sale, in percent of the price
setting-editions-max = Editions of a listing
setting-editions-max-hint = How many a listing may have.
setting-refund-window-hours = Refund period, in hours
setting-refund-window-hours-hint = How long a purchase can be returned.
# Variables: $variable (String): the name of an environment variable.
setting-is-fixed = Fixed by the environment variable { $variable }. Change it there and restart the store.
setting-is-default = Default
setting-is-on = On
setting-is-off = Off
setting-is-empty = Empty
setting-changes = Changes
setting-changes-none = Nobody has changed a setting yet.
setting-change-setting = Setting
setting-change-before = Before
setting-change-after = After
setting-change-person = Changed by
setting-change-time = Time
console-nobody = Command line or deleted account

## Logo and favicon

brand-images = Logo and icon
brand-images-text = They change on all pages within a second.
brand-image-saved = Image saved
brand-image-removed = Image removed
brand-logo = Logo
brand-logo-alt = The logo of the store
brand-logo-none = Pages show the default logo beside the name of the store.
brand-logo-file = Logo file
brand-logo-hint = SVG, PNG or WebP of at most { $bytes }. A logo more than twice as wide as high takes the place of the name.
brand-logo-remove = Remove logo
brand-favicon = Icon
brand-favicon-alt = The icon of the store
brand-favicon-none = Browser tabs and home screens show the default icon.
brand-favicon-file = Icon file
brand-favicon-hint = SVG, or PNG or WebP with at least 512 × 512 pixels, of at most { $bytes }. Best square.
brand-favicon-remove = Remove icon
# Variables: $hash (String): the beginning of the SHA-256 of the image.
setting-is-image = Image { $hash }

## Mail server

setting-group-mail = Mail
setting-mail-from = Sender of mails
setting-mail-from-hint = Such as Harbor <no-reply@harbor.example>. If it is empty, mails have the name of the store and no usable address.
setting-is-set = Set
mail-server-environment = Set in the environment
mail-server-settings = Set; its address is not shown
mail-server-none = None
mail-server-outbox = Without a mail server, mails are not sent. They become files in the folder outbox of the data of the service.
mail-server-address = Address of the mail server
mail-server-address-hint = Such as smtps://user:password@mail.example:465. It is stored encrypted and never shown again.
mail-server-save = Save mail server
mail-server-saved = Mail server saved. Send a test mail to see whether it works.
mail-server-remove = Remove mail server
mail-server-removed = Mail server removed

## Reports: mail and webhook

setting-group-reports = Reports
setting-reports-email = Address for new reports
setting-reports-email-hint = It gets a mail about new reports, at most every 10 minutes. Empty for none.
setting-reports-webhook-url = Webhook for new reports
setting-reports-webhook-url-hint = An https address that gets a signed message about each new report, or the webhook of a chat service. Empty for none.
reports-webhook = Webhook for reports
reports-webhook-link = Test the webhook, see its signing key and deliveries
# Variables: $link: leads to the settings.
reports-webhook-text = Each new report is sent to an address of yours, without the reporter and their text. Change the address in the <link>settings</link>.
reports-webhook-address = Address
reports-webhook-signature = Signature
reports-webhook-test = Send a test
reports-webhook-tested = The webhook took the test
reports-webhook-test-failed = The webhook did not take the test: { $error }
reports-webhook-key-replace = Everything that is sent from now on is signed with the new key. Enter it in your program as well.
reports-webhook-nothing = Nothing sent yet
reports-webhook-nothing-text = While an address is set, every new report is sent there and listed here.
attention-deliveries = { $count ->
    [one] <link>{ $count } report</link> could not be sent to the webhook.
   *[other] <link>{ $count } reports</link> could not be sent to the webhook.
}

## Files and scans

console-files = Files and scans
files-search = Name of the file or listing, or SHA-256
files-none = No files
stored-file-file = File
stored-file-size = Size
stored-file-last-scan = Last scan
stored-file-not-scanned = Not yet
stored-file-scan-again = Scan again
stored-file-scan-sent = The file will be scanned again
stored-file-state-waiting = Waiting
stored-file-state-scanning = Being scanned
stored-file-state-clean = Clean
stored-file-state-rejected = Rejected
stored-file-state-error = Scan failed
stored-file-state-quarantined = In quarantine
stored-file-state-withdrawn = Withdrawn
scanner-engine = Scanner
scanner-last = Last result
scanner-queue = Queue
# Variables: $waiting, $scanning (Number): files; $minutes (Number): how long the oldest has waited.
scanner-queue-counts =
    { $waiting } waiting, { $scanning } being scanned{ $minutes ->
        [0] { "" }
       *[other] ; the oldest for { $minutes } min
    }

## Overview

console-attention = Needs your attention
attention-none = Everything works
attention-mark = Check this
attention-failing = The check { $check } of the service fails.
attention-degraded = The check { $check } of the service is degraded: the store works, but slower.
attention-jobs = { $count ->
    [one] <link>{ $count } job</link> used up its attempts.
   *[other] <link>{ $count } jobs</link> used up their attempts.
}
attention-reports = { $count ->
    [one] <link>{ $count } target</link> was reported and waits for a decision.
   *[other] <link>{ $count } targets</link> were reported and wait for a decision.
}
attention-appeals = { $count ->
    [one] <link>{ $count } appeal</link> waits for a decision.
   *[other] <link>{ $count } appeals</link> wait for a decision.
}
attention-releases = { $count ->
    [one] <link>{ $count } first release</link> waits for a review.
   *[other] <link>{ $count } first releases</link> wait for a review.
}
attention-publishers = { $count ->
    [one] <link>{ $count } person</link> asks for the right to publish.
   *[other] <link>{ $count } people</link> ask for the right to publish.
}
attention-orders = { $count ->
    [one] <link>{ $count } order</link> needs an operator: a transfer to confirm, money to send back, a failed refund, a dispute or a problem.
   *[other] <link>{ $count } orders</link> need an operator: transfers to confirm, money to send back, failed refunds, disputes or problems.
}
attention-no-mail = Nobody receives mails, because <link>no mail server is set up</link>. Mails are kept as files.
# Variables: $count (Number): mails, $days (Number).
attention-mail = { $count ->
    [one] <link>{ $count } mail</link> of the last { $days } days could not be delivered. The mail server answered:
   *[other] <link>{ $count } mails</link> of the last { $days } days could not be delivered. The last answer of the mail server:
}
attention-bounces = { $count ->
    [one] <link>{ $count } mail</link> bounced in the last { $days } days.
   *[other] <link>{ $count } mails</link> bounced in the last { $days } days.
}
attention-disk-uploads = The disk is nearly full, so uploads are refused: { $free } of { $total } are free. See <link>storage by listing</link>.
attention-disk = The disk is nearly full: { $free } of { $total } are free. See <link>storage by listing</link>.
attention-certificate = { $count ->
    [0] The certificate of the store ends within a day.
    [one] The certificate of the store ends in { $count } day.
   *[other] The certificate of the store ends in { $count } days.
}
attention-certificate-ended = The certificate of the store has ended.
attention-storage-other-catalog = No stored file is removed, because the object store is marked as that of another store. Check S3_URL and DATA_DIR. Confirm only if its files belong to this store.
attention-storage-older-database = No stored file is removed, because another copy of this store has used the object store since this database was backed up. Do not confirm if this is a copy beside the live store. Confirm if it replaces the live store.
attention-storage-restored-database = No stored file is removed, because the database was restored, moved or replaced by its standby. Confirm if it is the database of the live store. Do not confirm if this is a copy beside it.
attention-storage-unknown-objects = No stored file is removed, because most of them have no record in this database. Check DATABASE_URL and the object store. Confirm only if the files belong to this store.
attention-storage-sweep = The clean-up { $name } would remove { $orphans } of { $objects } stored files, so it removed none. Check them with { $command }. Confirm if they may go to the trash.
storage-confirm = Confirm
storage-confirmed = Confirmed. The next clean-up removes files again.
attention-update = Newer versions are available:
console-disk = <strong>{ $free }</strong> of { $total } free
console-people-count = { $count ->
    [one] <strong>{ $count }</strong> account
   *[other] <strong>{ $count }</strong> accounts
}
console-listings-count = { $count ->
    [one] <strong>{ $count }</strong> public listing
   *[other] <strong>{ $count }</strong> public listings
}
# Variables: $count (Number): decisions of moderators. $days (Number): in so many days.
console-decisions-count = { $count ->
    [one] <strong>{ $count }</strong> moderation decision in { $days } days
   *[other] <strong>{ $count }</strong> moderation decisions in { $days } days
}
console-figures = Last { $days } days
console-sign-ups = Sign-ups
console-downloads = Downloads
console-sign-ins = Sign-ins
console-play-sessions = Play sessions that games reported
console-backups = Backups
console-backups-none = This store knows of no backup. { $file } says how to make one with a command. Backups that you make in another way are not known here.
console-backups-last = The last backup ended { $at }, in { $target }. { $file } says how to restore it.
attention-backup = { $count ->
    [one] The last <link>backup</link> is { $count } day old.
   *[other] The last <link>backup</link> is { $count } days old.
}
attention-damaged = { $count ->
    [one] { $count } stored object is damaged or missing and could not be repaired. { $command } names it.
   *[other] { $count } stored objects are damaged or missing and could not be repaired. { $command } names them.
}
console-new-listings = New public listings
console-storage = Storage by listing
console-listing = Listing
console-owner = Owner
console-size = Size
console-state = State
console-any-state = Any state
console-created = Created
console-search-none = Try the beginning of another name.

## Listings

listings-search = Name of a listing or of its owner
listings-none = No listing was found
listing-history = History
# Variables: $name (String): of the listing, for screen readers.
listing-history-of = History<hidden> of { $name }</hidden>
history-text = Releases, reviews, decisions of moderators and entries of the audit log, the newest first. Times are in UTC.
history-when = When
history-event = What
history-details = Details
history-who = Who
history-created = Created
history-published = Public for the first time
history-deleted = Deleted
history-upload = New build
history-promote = Build promoted
history-rollback = Rolled back
history-delete = Build deleted
history-withdraw = Build withdrawn
history-restore = Build restored
history-review-requested = First release requested
history-review-approved = First release approved
history-review-declined = First release declined
history-price = Price changed
history-visibility = Visibility changed
listing-decisions = Decisions
listing-deleted = Deleted

## People

people-search = Username or email address
people-none = Nobody was found
person-developer = Developer
person-operator = Operator
person-sessions = Sessions
person-joined = Joined
person-verify = Verify address
person-verified = The address is verified
person-make-operator = Make operator
person-make-operator-text = { $username } will see all of this console and can change every setting.
person-operator-made = This person is an operator now
person-remove-operator = Remove operator
person-remove-operator-text = { $username } can no longer open this console. The account stays.
person-operator-removed = This person is no longer an operator
person-second-factor = Second factor
person-second-factor-on = Set up
person-second-factor-off = None
# Variables: $time (Date): in UTC.
person-reset-due = Will be reset on { $time } UTC
person-reset = Reset second factor
person-reset-text = { $username } is mailed now and can stop it. After the waiting time their passkeys, authenticator app and recovery codes are removed, and whoever has their password can sign in. Make sure first that it is them who asks.
person-reset-requested = The person is mailed and can stop the reset
person-reset-stop = Stop the reset
person-reset-stopped = The second factor stays
person-moderator = Moderator
person-suspended = Suspended
person-publishing-suspended = Suspended from publishing
person-make-moderator = Make moderator
person-make-moderator-text = { $username } will see all reports and can decide on content and people.
person-moderator-made = This person is a moderator now
person-remove-moderator = Remove moderator
person-remove-moderator-text = { $username } no longer sees reports. The account stays.
person-moderator-removed = This person is no longer a moderator
person-suspension = Suspension
person-suspend = Suspend
person-suspend-text = { $username } gets the ground and the message by mail and can appeal.
person-is-suspended = The person is suspended
person-suspended-until = Until
person-suspended-for-good = For good
person-lift = End the suspension
person-lifted = The suspension has ended
person-data = Personal data
person-data-text = The export is a JSON file with everything that is stored about the account. Give it to nobody but the person.
person-export = Export data
person-delete = Delete account
person-delete-text = Deletes the account with its sessions, keys, copies, play time, reviews and tags. Bug reports stay without the name. This cannot be undone.
person-delete-username = Type { $username } to confirm.
person-delete-listings = { $count ->
    [one] Also delete the listing of this person, with everything in it
   *[other] Also delete the { $count } listings of this person, with everything in them
}
person-deleted = The account is deleted
person-sessions-none = This person is not signed in anywhere.
person-sessions-end = End all sessions
person-sessions-end-text = { $username } signs in again everywhere. Keys and connected apps keep working.
person-sessions-ended = The sessions are ended

## Jobs

console-jobs-text = Jobs that failed with all their attempts. Solve the cause first, then retry them.
job-name = Job
job-error = Error
job-no-error = No message
job-attempts = Attempts
job-failed-at = Failed
job-replay = Retry
job-replay-all = Retry all
jobs-none = No failed jobs
jobs-none-text = A job appears here after its last attempt has failed.
jobs-replayed = { $count ->
    [one] { $count } job is retried
   *[other] { $count } jobs are retried
}

## Mail

console-mail-text = The mails of the last { $days } days, without their text. A bounce is a mail that the mail server refused for good.
mail-time = Time
mail-kind = Mail
mail-recipient = Recipient
mail-state-queued = Queued
mail-state-sent = Sent
mail-state-failed = Failed
mail-state-bounced = Bounced
mail-bounces = { $count ->
    [one] { $count } mail bounced
   *[other] { $count } mails bounced
}
mail-resend = Send again
mail-resent = The mail is queued again
mail-none = No mails
mail-none-text = A mail appears here when the store sends it.
