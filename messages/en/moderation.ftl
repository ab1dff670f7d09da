# Decisions of moderators, and reports.

## Targets. Variables: $name (String): the name of the listing, file, tag or person.

moderation-target-listing = Listing “{ $name }”
moderation-target-file = File “{ $name }”
moderation-target-build = Build “{ $name }”
moderation-target-review = Review of “{ $name }”
moderation-target-tag = Community tag “{ $name }”
moderation-target-image = Image of “{ $name }”
moderation-target-bug-message = Bug report about “{ $name }”
moderation-target-person = Account { $name }

## What happened

moderation-action-dismiss = Report dismissed
moderation-action-warn = Warning
moderation-action-label = Labels corrected
moderation-action-hide = Hidden from discovery
moderation-action-take-down = Taken down
moderation-action-quarantine = In quarantine
moderation-action-remove = Removed
moderation-action-suspend = Suspended
moderation-action-restore = Restored

## Grounds

moderation-ground-law-copyright = Law: copyright
moderation-ground-law-privacy = Law: privacy
moderation-ground-law-illegal = Law: illegal content
moderation-ground-rule-malware = Store rule: malware
moderation-ground-rule-hate = Store rule: hate or harassment
moderation-ground-rule-spam = Store rule: spam or deception
moderation-ground-rule-false-label = Store rule: false or missing labels
moderation-ground-rule-adult = Store rule: adult content
moderation-ground-rule-other = Store rule: other
moderation-ground-no-violation = No violation found

## Decisions that concern the reader

moderation-decisions = Moderation decisions
moderation-no-decisions = No decision of the moderation team concerns you.
moderation-decided = Decided
moderation-ground = Ground
moderation-facts = Facts
moderation-origin = Origin
moderation-origin-report = Reports. People decided on them.
moderation-origin-sweep = A search for known content found it. People decided on it.
moderation-origin-own = The moderation team found it itself. People decided on it.
moderation-redress = You can also go to court, and in the EU to a certified body for out-of-court dispute settlement.
moderation-undone = Undone
moderation-ended = Ended
moderation-see-decision = <link>See the statement of reasons</link>

## Mails

# Variables: $target (String): one of the targets above.
mail-statement-subject = Decision of the moderation team: { $target }
# Variables: $store (String): the name of the store. $action (String): what happened.
mail-statement = The moderation team of { $store } decided about this: { $target }. Result: { $action }.
moderation-suspended-from = Suspended from
moderation-suspended-for = Suspended for
moderation-for-good = For good
moderation-for-days = { $days ->
    [one] { $days } day
   *[other] { $days } days
}
mail-statement-label = { $label }: { $value }
mail-statement-ground = Ground: { $ground }
mail-statement-facts = Facts: { $facts }
mail-statement-more = You find this statement of reasons on { $url }
# Variables: $url (String): the form for an appeal.
mail-statement-appeal = If you think that this decision is wrong, you can appeal once within 180 days, also without signing in: { $url }
mail-appeal-subject = Decision on your appeal: { $target }
# Variables: $action (String): the decision that was appealed.
mail-appeal = The moderation team of { $store } decided on your appeal. It is about this: { $target }. First decision: { $action }.

## Reports

report = Report
report-listing = Report a listing
report-file = Report a file
report-review = Report a review
report-tag = Report a community tag
report-bug-message = Report a bug message
report-person = Report a person
report-intro = Reports go to the moderation team. The publisher does not learn who reported.
report-kind = What is wrong?
report-choose = Choose
report-kind-illegal = Illegal content
report-kind-malware = Malware
report-kind-copyright = Copyright
report-kind-privacy = Privacy
report-kind-hate = Hate or harassment
report-kind-spam = Spam or deception
report-kind-false-label = False or missing labels, such as adult content
report-kind-other = Something else
report-text = Description
report-text-hint = Say what is wrong, and where exactly.
report-urls = Links
# Variables: $count (Number): the largest number of links.
report-urls-hint = Addresses of evidence, one per line, at most { $count }.
report-email = Email address
report-email-hint = We tell you what we decide. Needed for copyright notices; if you are signed in, we write to your account otherwise.
report-copyright = For copyright notices
report-work = The work that is copied
report-holder = Who holds the rights
report-signature = Your full name, as signature
report-good-faith = I believe in good faith that this report is accurate and complete.
report-send = Send report
report-received = Your report
report-state-open = We received your report and will look at it.
report-state-no-action = We looked at your report and found no violation.
report-state-action-taken = We looked at your report and acted on it.
report-about = About
report-sent-at = Sent
report-keep-address = Keep the address of this page to see the decision here.

mail-report-subject = We received your report: { $target }
mail-report = Thank you for your report to { $store } about this: { $target }.
mail-report-next = The moderation team looks at it and decides. You get another mail with the decision.
mail-report-state = You see its state on { $url }
mail-new-reports-subject =
    { $count ->
        [one] A new report in { $store }
       *[other] { $count } new reports in { $store }
    }
mail-new-reports = They wait for a decision at { $url }
mail-new-reports-more = And { $count } more.
mail-new-report = { $target }: { $kind }
mail-report-decided-subject = Decision on your report: { $target }
mail-report-decided = The moderation team of { $store } decided on your report about this: { $target }.
mail-report-action-taken = We found a violation and acted on it.
mail-report-no-action = We found no violation.

## The queue of moderators

moderation = Moderation
moderation-queue = All open reports
moderation-open-reports = Open reports
moderation-queue-empty = No open reports
moderation-queue-empty-text = New reports appear here.
moderation-target = About
moderation-reports = Reports
moderation-newest = Newest
moderation-assigned = Assigned to
# Variables: $username (String): the moderator.
moderation-assigned-to = Assigned to { $username }
moderation-take = Assign to me
moderation-give-back = Give back
moderation-open-page = Open the page
moderation-snapshot = As it was when it was reported
# Variables: $reports (Number): decided reports of this reporter. $upheld (Number): those that led to an action.
moderation-reporter-record =
    { $reports ->
        [0] The first report of this reporter
        [one] One earlier report of this reporter, { $upheld } of them led to an action
       *[other] { $reports } earlier reports of this reporter, { $upheld } of them led to an action
    }
# Variables: $username (String): the publisher. $warnings (Number), $restrictions (Number): earlier decisions.
moderation-subject-record = { $username } has { $warnings ->
    [one] { $warnings } warning
   *[other] { $warnings } warnings
} and { $restrictions ->
    [one] { $restrictions } restriction
   *[other] { $restrictions } restrictions
} so far.
moderation-decide = Decide
moderation-action = Action
moderation-statement = Message to the person concerned
moderation-statement-hint = They get it by mail and on their dashboard. Without it they get the facts.
moderation-do-dismiss = Dismiss the reports
moderation-do-warn = Warn
moderation-do-label = Correct the labels
moderation-labels = Labels, to correct
moderation-labels-none = None
moderation-adult = Adult content
moderation-adult-no = No
moderation-adult-yes = Yes
moderation-tags-hint = One per line.
moderation-do-hide = Hide from discovery
moderation-do-take-down = Take down
moderation-do-quarantine = Quarantine
moderation-do-remove = Remove
moderation-do-suspend = Suspend
moderation-do-restore = Restore
moderation-scope = Suspend from
moderation-scope-publishing = Publishing
moderation-scope-everything = Everything
moderation-days = Days
moderation-days-hint = Empty: for good.
moderation-log = Earlier decisions
moderation-gone = The target was deleted. There is nothing to decide.
moderation-gone-open = The target was deleted. Its open reports can only be dismissed.
moderation-decision-stored = Decision stored.

## The page of a target

moderate = Moderate
moderation-find = Name, username or address of a page
moderation-find-none = Nothing was found
target-belongs = Belongs to
target-record = Record
target-since = since { $date }
target-until = until { $date }
target-restorable-until = by its owner, who can restore it until { $date }
target-active = Active
target-not-shown = Not shown
target-suspended-publishing = Suspended from publishing
target-suspended-everything = Suspended from everything
target-listing-deleted = Listing deleted
target-listing-taken-down = Listing taken down
target-no-open-reports = Nobody waits for a decision.
target-decided-reports = Decided reports
target-decided-by-others = This concerns you. Ask somebody else of the moderation team to decide on it.
target-decided-by-operators = This concerns a member of the moderation team. Only operators decide on it.
parts-listings = Listings
parts-builds = Builds
parts-files = Files
parts-images = Images
# Variables: $count (Number): how many there are.
parts-all = Show all { $count }
image-slot-cover = Cover
image-slot-thumbnail = Thumbnail
image-slot-gallery = Gallery image
image-slot-avatar = Avatar
image-slot-banner = Banner
snapshot-name = Name
snapshot-price = Price
snapshot-files = Files
snapshot-uploaded = Uploaded
snapshot-findings = Findings
snapshot-entries = Contents
snapshot-author = Author
snapshot-text = Text
snapshot-enjoyed = Enjoyed it
snapshot-quality = Quality
snapshot-reply = Reply of the developer
snapshot-bio = About
snapshot-message = Message

## The log of decisions

decision-log = All decisions
decisions-none = No decisions yet
decisions-none-text = Every decision of the moderation team appears here.
decisions-no-match = No decision matches
decision-person = Person concerned
decision-any-action = Any action
decision-any-ground = Any ground
decision-state-in-force = In force
decision-state-appealed = Appealed
decision-appeal-waiting = Appeal open
decision-appeal-upheld = Upheld on appeal
decision-appeal-reversed = Reversed on appeal
decision-open-appeal = Open the appeal
decision-no-statement = Nobody got a message about this decision.

## Sweeps: finding stored content by hash

sweeps = Sweeps
sweeps-text = Find every stored file with certain content, look at the matches, and quarantine all of them in one decision. Their hashes are then blocked in later uploads.
sweep = Sweep
sweep-start = Start sweep
sweep-new = New sweep
sweep-hashes = SHA-256 hashes
# Variables: $count (Number): the largest number of hashes.
sweep-hashes-hint = Of whole files or of files within them, one per line, at most { $count }.
sweep-start-rule = Start sweep by rule
sweep-rule = YARA rule
sweep-rule-hint = Scans every available file in the background. Files larger than 16 MiB are scanned in parts.
sweep-by-rule = By rule
sweep-progress = Progress
# Variables: $scanned (Number): files that were scanned. $files (Number): files to scan.
sweep-progress-text = { $scanned } of { $files } files scanned
# Variables: $count (Number): files that could not be scanned.
sweep-failed-text = { $count ->
    [one] One file could not be scanned.
   *[other] { $count } files could not be scanned.
}
sweep-reload = Reload
sweep-started = Started
sweep-by = By
sweep-state = State
sweep-state-running = Running
sweep-state-ready = Ready to decide
sweep-state-quarantined = Quarantined
sweep-files = Matching files
sweep-none = No sweeps yet
sweep-none-text = Sweeps that the team starts appear here.
sweep-all = All sweeps
# Variables: $count (Number): how many hashes the sweep looks for.
sweep-by-hash = { $count ->
    [one] One hash
   *[other] { $count } hashes
}
sweep-matches = Matches
sweep-no-matches = No matches
sweep-no-matches-text = No stored file has this content. You can still block its hashes.
sweep-listing = Listing
sweep-version = Version
sweep-publisher = Publisher
sweep-file = File
sweep-entry = Entry
sweep-whole-file = The whole file
sweep-scan = State
sweep-scan-scanning = Being scanned
sweep-scan-clean = Available
sweep-scan-infected = Rejected
sweep-scan-error = Not scanned
sweep-scan-quarantined = In quarantine
sweep-scan-withdrawn = Withdrawn
sweep-quarantine = Quarantine all matches
sweep-quarantine-text = Every matching file is quarantined, its publisher gets a statement of reasons, and uploads with this content are refused from then on.
# Variables: $files (Number): how many files. $hashes (Number): how many hashes.
sweep-quarantined = Files in quarantine: { $files }. Hashes blocked: { $hashes }.

blocked-hashes = Blocked hashes
blocked-hashes-text = Uploads with this content are refused.
blocked-hashes-none = No blocked hashes
blocked-hashes-none-text = Hashes are blocked when the matches of a sweep are quarantined.
blocked-hash = Hash
blocked-at = Blocked
blocked-by = By
unblock = Unblock
unblocked = Uploads with this content are allowed again.
## Appeals

appeal = Appeal
appeals = Open appeals
appeals-empty = No open appeals
appeals-empty-text = New appeals appear here.
appeal-title = Appeal against a decision
appeal-intro = You can appeal once. If there is somebody else in the moderation team, they decide, and you get their decision by mail.
appeal-text = Why is the decision wrong?
appeal-text-hint = At most 4000 characters.
appeal-send = Send appeal
appeal-sent = Appeal sent. You get the decision by mail.
# Variables: $date (Date): the last day.
appeal-possible = You can <link>appeal</link> until { $date }.
appeal-yours = Your appeal
appeal-filed = Sent
appeal-outcome = Outcome
appeal-reasons = Reasons
appeal-reasons-hint = The person concerned gets them by mail and on their dashboard.
appeal-is-decided = Somebody has decided this appeal already.
appeal-waiting = Waits for a decision
appeal-upheld = The decision stays
appeal-reversed = The decision is reversed
appeal-do-uphold = Uphold: the decision stays
appeal-do-reverse = Reverse: the decision is undone
appeal-decided-by = Decided by
# Variables: $names (String): people of the moderation team.
appeal-own-decision = This appeal is about your own decision, so somebody else decides on it: { $names }.
appeal-other-deciders = You may not decide on this appeal. These people may: { $names }.
appeal-nobody = Nobody in the moderation team may decide on this appeal. An operator has to add somebody who may.
appeal-first-decision = Decision
appeal-see-target = Reports and earlier decisions

## How the store is moderated, for everyone

# Variables: $store (String): the name of the store.
transparency-intro = The moderation team of { $store } looks at reports and decides by the law and the rules of the store. Whoever a decision concerns gets its reasons.
transparency-report-title = Report something
transparency-report = Listings, files, reviews, community tags, bug reports and profiles have a “Report” link. You need no account. With an email address you get a receipt and the decision.
transparency-appeal-title = Appeal
transparency-appeal = If a decision concerns you, you can appeal once within 180 days: with the link in its mail, or <link>in your settings</link>. Somebody else decides, where there is one.
transparency-figures = Figures
transparency-file = Also <link>as JSON</link>. The years are those of UTC.
transparency-count = Number
transparency-kind = Reported as
# Variables: $count (Number)
transparency-reports = Reports: { $count }
transparency-decisions = Decisions: { $count }
transparency-appeals = Appeals: { $count }
# Variables: $hours (Number): half of them took less.
transparency-median = Median time to the decision: { $hours ->
    [0] less than an hour
    [one] { $hours } hour
   *[other] { $hours } hours
}
transparency-open = Open
transparency-no-action = No violation found
transparency-action-taken = Action taken
transparency-upheld = Decision upheld
transparency-reversed = Decision reversed
