# The page of a listing, its press page, its widget, and the forms of players.

## Title and text

# Variables: $developer (String): a username, with a link to their page.
by-developer = by { $developer }
# Variables: $kind (String): such as "Mod". $parent (String): the game it is for, with a link.
kind-for-parent = { $kind } for { $parent }
rating-of-five = { $count ->
    [one] { $average } of 5 ({ $count } review)
   *[other] { $average } of 5 ({ $count } reviews)
}
updated-at = Updated { $date }
about = About
no-description = The developer has not added a description yet.
similar = Similar
similar-picked = Picked by { $username }.
changelog = Changelog
installation = Installation
install-path = Install path
mod-loader = Loader
plain-text = Plain text

## Notices for those who run the page

unlisted-notice = Unlisted: only people with the link can find this page.
draft-notice = <strong>Not out yet.</strong> Only you and your project’s admins can open this page. It is not in search, and nobody can claim or buy it. <edit>Edit</edit>
owner-only-notice = <strong>Not out yet.</strong> Only its owner can open this page. It is not in search, and nobody can claim or buy it. <edit>Edit</edit>
editor-notice = You manage this page. <link>Open it in the dashboard</link>

## Images

images-of = Images of { $name }
carousel = carousel
cover-alt = Cover art for { $name }
thumbnail-alt = Thumbnail of { $name }
screenshot-alt = Screenshot { $number } of { $name }
previous-image = Previous image
next-image = Next image
close-image = Close
# Variables: $number (Number): of this image. $count (Number): of all.
image-position = { $number } of { $count }

## Trailers

trailers-title = { $count ->
    [one] Trailer
   *[other] Trailers
}
trailer-of = Trailer of { $name }
trailer-play = Play: { $title }
trailer-captions = Captions: { $languages }
# Variables: $host (String): such as player.example.com.
trailer-outside-note = Plays from { $host }. Nothing is loaded from there until you start it.
trailer-cannot-play = Your browser cannot play this video. <link>Download it</link> instead.

## Labels under the title

at-a-glance = At a glance
scanned = Scanned
being-scanned = Being scanned
scanned-text = Every file is scanned for viruses before anyone can download it. A scan finds known threats; it does not guarantee that a file is harmless.
authorship-human = The developers state that people made this, without AI agents.
authorship-human-agent = The developers state that people made this together with AI agents.
authorship-agent-heavy = The developers state that AI agents made most of this.
# Variables: $statement (String): one of the sentences above. $note (String): by the developers.
authorship-note = { $statement } Their note: { $note }
ai-uses = AI: { $uses }
ai-uses-text = The developers state that generative AI made these parts.
no-ai = No AI content disclosed
no-ai-text = The developers name no part that was made with generative AI.
content-warnings-text = Content warnings by the developers. You can exclude these in the search.
enjoyed-percent = { $percent }% enjoyed it
enjoyed-text = { $count ->
    [one] { $enjoyed } of { $count } review by players who have a copy.
   *[other] { $enjoyed } of { $count } reviews by players who have a copy.
}

## Downloads

price-from = { $price } <small>from</small>
download = Download
view = View
# Variables: $name (String): what the file is for, such as "Windows, 64-bit".
download-for = Download<hidden> for { $name }</hidden>
# Variables: $system (String): an operating system, such as "Linux".
download-for-system = Download for { $system }
sign-in-to-download = Sign in to download
# Variables: $name (String): what the file is for, such as "Windows, 64-bit".
sign-in-to-download-for = Sign in to download<hidden> for { $name }</hidden>
# Variables: $system (String): an operating system, such as "Linux".
sign-in-to-download-for-system = Sign in to download for { $system }
other-systems = Other systems
no-build-for = There is no build for { $system } yet.
no-downloads = No downloads yet.
other-programs = Other programs of this project
watch-video = Watch the video
not-for-sale = Not for sale here yet
not-for-sale-text = <strong>Not for sale here yet.</strong> Its developer can give you a copy, which then appears in your library.
browser-build = Browser build
browser-build-text = A build for web browsers, as a zip to unpack and serve. It does not run here.
plays-in-browser = Plays in the browser
play-now = Play now
checksum-and-origin = Checksum and origin
editions = Editions

## Sharing

share = Share
share-and-embed = Share or embed
share-link = Link
embed-code = Code for other websites

## Files

origin = Origin
scans = Scans
scan-limits = A scan finds known threats. It does not guarantee that a file is harmless.
scans-and-origin = Scans and origin
file-name = File
file-version = Version
file-channel = Channel
file-size = Size
file-source = Source
file-uploaded = Uploaded
file-history = History
scanner-upload = upload
scanner-embedded = built-in scanner
origin-website = An upload on the website
origin-machine = A build machine
# Variables: $key (String): the first characters of a deploy key.
origin-machine-key = A build machine with key { $key }

## The visitor’s copy

added-to-library = Added to your library
add-to-library = Add to library
in-library = In your library
in-library-since = In your library since { $date }
join-beta = Join beta
leave-beta = Leave beta
beta-joined = You joined the beta
beta-left = You left the beta
no-beta-build = You are in the beta. There is no beta build right now.
verify-to-keep = You can download this now. To keep it in your library, <link>verify your email address</link>.
verify-to-download = <link>Verify your email address</link> to download this.

## Details

details = Details
platforms = Platforms
works-with = Works with
made-for = Made for
published-on = Published
updated-on = Updated
community-tags = Community tags
version-range = { $min } to { $max }
version-from = { $min } and later
version-up-to = up to { $max }

requirements-of = Requirements on { $system }

## Related listings

more-about = More about { $name }
mods = Mods and plugins
tools = Tools and utilities
mods-of = Mods and plugins for { $name }
tools-of = Tools and utilities for { $name }
mods-description = { $count ->
    [one] { $count } mod or plugin for { $name }.
   *[other] { $count } mods and plugins for { $name }.
}
tools-description = { $count ->
    [one] { $count } tool or utility for { $name }.
   *[other] { $count } tools and utilities for { $name }.
}
mods-none = No mods and plugins yet. <publish>Publish one</publish> and choose { $name } as its parent.
tools-none = No tools and utilities yet. <publish>Publish one</publish> and choose { $name } as its parent.
listings-by = By { $username }
listings-by-others = By others
relation-uses = Uses
relation-made-with = Made with
relation-used-by = Used by
relation-supported-by = Mods and plugins
relation-mods = Mods for this game
relation-used-to-make = Used to make
and-more = and { $count } more

## Reviews

reviews = Reviews
reviews-of = Reviews of { $name }
review-count-of = { $count ->
    [one] { $count } review of { $name }
   *[other] { $count } reviews of { $name }
}
all-reviews = { $count ->
    [one] All { $count } review
   *[other] All { $count } reviews
}
no-reviews = No reviews yet. Players who have a copy can write one.
review-average = { $count ->
    [one] <strong>{ $average }</strong> <soft>of 5, from { $count } review</soft>
   *[other] <strong>{ $average }</strong> <soft>of 5, from { $count } reviews</soft>
}
reviews-by-quality = Reviews by quality rating
with-friends = { $count ->
    [one] { $count } player would play it with friends
   *[other] { $count } players would play it with friends
}
enjoyed = Enjoyed it
did-not-enjoy = Did not enjoy it
reply = Developer’s reply
reply-dated = Developer’s reply, { $date }

## Forms of players

write-review = Write a review
edit-review = Edit your review
review-title = Review { $name }
review-enjoyed = Did you enjoy it?
answer-yes = Yes
answer-no = No
review-quality = Quality
points-of-five = { $points } of 5
review-with-friends = I would play it with friends
review-text = Review
review-text-hint = Markdown. What do you wish you had known before?
publish-review = Publish review
save-review = Save review
review-published = Your review is published
delete-your-review = Delete your review
delete-review = Delete review
delete-confirm = Yes, delete it
check-to-confirm = Check the box to confirm
review-deleted = Your review is deleted
suggest-tags = Suggest tags
suggest-tags-title = Suggest tags for { $name }
tags-label = Tags, separated by commas
tags-hint = Up to { $max }. A tag appears once { $votes } players have suggested it. Leave empty to withdraw your suggestions.
tags-suggested = Thank you for your suggestions
report-bug = Report a bug
# Shown above the form to people who cannot send it yet.
copy-needed = Only players who have { $name } in their library can report bugs to its developers. <link>Get it on its page</link> first.
report-bug-title = Report a bug in { $name }
bug-message = What happened?
bug-message-hint = What you did, what you expected, and what happened instead.
bug-system = Operating system
bug-log = Log
bug-log-hint = The last lines help most. Only the developers see them.
send-report = Send report
report-sent = Your report was sent. We notify you when the bug is fixed.

## Adult content

adult-title = Adult content
adult-gate = This page contains sexual content or nudity. It is shown only to people who are 18 or older and have turned on adult content in their settings.
adult-confirm = I am 18 or older
adult-confirm-first = Confirm that you are 18 or older first
adult-show = Show adult content
adult-is-shown = Adult content is shown
adult-is-hidden = Adult content is hidden
back-to-store = Back to the store

## Press page

press-kit = Press kit
press-title = { $name } press kit
press-download = Download all as ZIP
store-page = Store page
press-history = History
press-features = Features
press-awards = Awards
press-quotes = Quotes
press-changes = Latest changes
press-images = Images
press-contact = Contact
press-team = Team
press-links = Links
factsheet = Factsheet
release-date = Release date
website = Website
trailer = Trailer
watch = Watch

## Translations

# Variables: $language (String): its name, such as German.
translation-shown = Shown in { $language }, translated by the developer. <link>Show original</link>
translation-original = This is the original text. <link>Show it in { $language }</link>
