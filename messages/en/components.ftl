# The frame of every page, and parts that many pages have.

## Header and footer

skip-to-content = Skip to the content
search-label = Search the store
search-placeholder = Find games, tools and mods
search-button = Search
nav-main = Main
nav-more = More
nav-browse = Browse
nav-home = Home
nav-library = Library
nav-dashboard = Dashboard
nav-public-page = Your public page
nav-settings = Settings
nav-keys = Keys
nav-operator = Operator
sign-in = Sign in
sign-up = Sign up
sign-out = Sign out
footer-promise = Every file is scanned and shows where it came from and how reliably it starts.
powered-by = Powered by { $product }
footer-new = New releases
footer-feed = Feed
footer-publish = Publish
footer-uploader = Uploader
footer-contact = Contact
announcement = Announcement
announcement-close = Close the announcement
drill = Drill
drill-text = <strong>Drill:</strong> this is a restored copy of the store. It sends no mail and stores no files, and what you change here is lost.
theme-label = Theme
theme-text = Automatic follows your system. The choice applies wherever you are signed in.
theme-auto = Automatic
theme-light = Light
theme-dark = Dark
language-label = Language
# Variables: $title (String): what the page is about.
title-on-site = { $title } · { $store }
browse-the-store = Browse the store

## Messages and errors

close-message = Close message
error-forbidden = You cannot open this page
error-not-found = Page not found
error-not-found-text = The page may have moved, may not exist, or may not be visible to you. Check the address, or search the store.
error-too-large = That is too large
error-too-many = Too many requests
error-internal = Something went wrong
error-internal-text = The error was recorded. Please try again; if you contact us, include the number below.
error-unavailable = Temporarily unavailable
error-unavailable-text = A part of the service is not available right now. Please try again in a moment.
error-refused = That did not work
optional = optional
needed-to-publish = needed to publish
form-problems = Nothing was saved yet. Please fix:
# Beside the label of a field.
unsaved-mark = not saved
unsaved-changes = { $count ->
    [one] { $count } unsaved change
   *[other] { $count } unsaved changes
}

## Lists

pager-label = Pages
pager-previous = Previous
pager-next = Next
pager-position = Page { $page } of { $last }
nothing-yet = Nothing yet.

## Charts

chart-total = { $name }: { $total }
# Variables: $totals (String): the sum of each series, such as "Downloads: 12, Updates: 3".
chart-summary = { $title }, by day. { $totals }. The table below has every number.
chart-summary-weeks = { $title }, by week. { $totals }. The table below has every number.
# The number at the top of the scale, with its unit.
chart-top = { $top } { $unit }
chart-numbers = Numbers
chart-range = Range of the charts
# The hidden part tells screen readers which chart the link belongs to.
chart-csv = CSV<hidden>, { $title }</hidden>
chart-day = Day
chart-week = Week from

## Secrets

copy = Copy
copied = Copied
# The name is read to people who do not see the page: "Copy deploy key".
copy-named = Copy<hidden> { $name }</hidden>
secret-hidden = hidden
secret-reveal = Reveal
secret-replace = Replace…
secret-replace-confirm = Replace: { $name }
secret-copied = Copied

## Labels

any-system = any system
any-system-label = Any system
# Variables: $system (String): such as Windows. $arch (String): the processor.
platform = { $system } { $arch }
channel-beta = Beta
price-free = Free
price-paid = Paid
duration-seconds = { $seconds } s
duration-minutes = { $minutes } min
duration-hours = { $hours } h { $minutes } min
# Variables: $duration (String): such as "3 h 20 min".
play-time = { $duration } played
player-range = { $min } to { $max } players

band-excellent = excellent
band-healthy = healthy
band-mixed = mixed
band-problematic = problematic
band-unrated = unrated

scan-clean = scan clean
scan-scanning = scanning
scan-infected = threat found
scan-error = scan failed
scan-quarantined = in quarantine
scan-withdrawn = withdrawn
# Variables: $version, $replacement: versions; $platform: a system.
withdrawn-download = The publisher has withdrawn version <strong>{ $version }</strong> for { $platform }, which you downloaded.
withdrawn-replacement = Get version <strong>{ $replacement }</strong> instead.

state-ok = ok
state-open = open
state-fixed = fixed
state-resolved = resolved
state-closed = closed
state-regressed = regressed
state-delivered = delivered
state-pending = pending
state-failed = failed
state-failing = failing
state-disabled = disabled

## Numbers with nouns

count-check = { $count ->
    [one] { $count } check
   *[other] { $count } checks
}
count-copy = { $count ->
    [one] { $count } copy
   *[other] { $count } copies
}
count-crash = { $count ->
    [one] { $count } crash
   *[other] { $count } crashes
}
count-delivery = { $count ->
    [one] { $count } delivery
   *[other] { $count } deliveries
}
count-device = { $count ->
    [one] { $count } device
   *[other] { $count } devices
}
count-download = { $count ->
    [one] { $count } download
   *[other] { $count } downloads
}
count-field = { $count ->
    [one] { $count } field
   *[other] { $count } fields
}
count-hour = { $count ->
    [one] { $count } hour
   *[other] { $count } hours
}
count-issue = { $count ->
    [one] { $count } issue
   *[other] { $count } issues
}
count-listing = { $count ->
    [one] { $count } listing
   *[other] { $count } listings
}
count-player = { $count ->
    [one] { $count } player
   *[other] { $count } players
}
count-review = { $count ->
    [one] { $count } review
   *[other] { $count } reviews
}
count-screenshot = { $count ->
    [one] { $count } screenshot
   *[other] { $count } screenshots
}
count-suggestion = { $count ->
    [one] { $count } suggestion
   *[other] { $count } suggestions
}
count-symbol-file = { $count ->
    [one] { $count } symbol file
   *[other] { $count } symbol files
}
count-time = { $count ->
    [one] { $count } time
   *[other] { $count } times
}
