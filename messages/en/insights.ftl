# Health, downloads and crashes of a project.

## Names of columns and charts

column-build = Build
column-system = System
column-version = Version
column-when = When
column-status = Status
column-module = Module
# The unit of a chart: "20 per day".
per-day = per day
per-week = per week
last-months = Last { $months } months
last-days = { $days ->
    [one] Last { $days } day
   *[other] Last { $days } days
}
reopen = Reopen

## Health

health-over-time = Launches and devices over time
health-builds = By build
health-by-build = Launch health by build
health-devices = Devices
health-active-per-day = Active per day
health-launches = Launches
health-median-session = Median session
health-no-builds = No builds yet.
# Variables: $started, $crashed (String): percentages.
health-launches-text = { $started } started, { $crashed } crashed at launch
health-active-devices = Active devices by version
health-other-versions = Other versions
# Variables: $peak, $today (String): such as "12 devices".
health-devices-peak = At most { $peak } per day, { $today } today
health-launches-and-crashes = Launches and crashes
health-started = Started
health-crashed = Crashed
health-sessions = Sessions
health-new-devices = New devices
health-first-launches = First launches
health-custom-events = Custom events
health-event = Event
# Variables: $band, $previous_band (String): such as "mixed".
health-warning = <strong>{ $version }</strong> on { $platform } starts worse than { $previous }: { $band }, down from { $previous_band }.
health-bands = Based on devices seen in the last { $days } days. Excellent: at least { $excellent_started }% started, at most { $excellent_crashed }% crashed first. Healthy: at least { $healthy_started }% started, at most { $healthy_crashed }% crashed first. Mixed: at least { $mixed_started }% started, at most { $mixed_crashed }% crashed first. Builds with fewer than { $devices } devices are not rated.
health-no-events = No events yet
health-no-events-text = { $count ->
    [one] Let your game send { $event } with its build ID once it has started. After { $count } device, your page shows how reliably it starts.
   *[other] Let your game send { $event } with its build ID once it has started. After { $count } devices, your page shows how reliably it starts.
}
health-find-build-id = Find a build ID

## Downloads

downloads-over-time = Over time
downloads-breakdown = Breakdown
downloads-breakdown-text = { $range }. The totals above leave out refused attempts.
downloads-none = No downloads in the last { $days } days
downloads-none-text = Every attempt is counted here, including refused ones. No IP addresses are stored.
downloads-countries = Countries
downloads-sources = Sources
downloads-clients = Clients
downloads-access = Access
downloads-outcomes = Outcomes
figure-downloads = { $count ->
    [one] <strong>{ $count }</strong> download
   *[other] <strong>{ $count }</strong> downloads
}
figure-people = <strong>{ $count }</strong> people with an account
figure-anonymous = <strong>{ $count }</strong> without an account
figure-copies = <strong>{ $count }</strong> new copies
country-unknown = Unknown
download-agents = Agent
download-anonymous = Anonymous
download-asset-library = Editor asset library
download-browsers = Browser
download-by-owner = Owner and admins
download-developer-agents = Developer agents
download-grant = Given copy
download-ok = Downloaded
download-other = Other
download-other-editors = Other editors
download-player-agents = Player agents
download-purchase = Purchase
download-purchase-required = Purchase required
download-scanning = Scan in progress
download-sign-in-required = Sign-in required
download-store-editor = Editor of this store
download-unavailable = Unavailable
download-website = Website
download-withdrawn = Version withdrawn

## Crashes

crash-none = No crash reports
crash-none-text = Games send crash reports to { $url } with the IDs of the listing and the build. With debug symbols, their stacks show function names and lines.
crash-one-build = Crashes of one build. <link>Show all builds</link>
crash-groups-text = Reports with the same stack are grouped as one crash.
crash-newest-reports = Newest reports
crash-times = { $count ->
    [one] <strong>{ $count }</strong> time
   *[other] <strong>{ $count }</strong> times
}
crash-versions = in { $versions } · last { $date }
crash-untitled = Untitled crash
crash-reports = Crash reports
crash-reports-short = Reports
crash-player-message = Player message
crash-attachments = Attachments
crash-no-attachments = none
crash-dump = dump
crash-log = log
crash-stack = stack
crash-no-symbols = no symbols
crash-uncertain = uncertain
crash-summary = Summary
crash-affected-builds = Affected builds
crash-reported = Reported
crash-first-seen = First seen
crash-last-seen = Last seen
crash-reason = Reason
crash-address = Address
crash-note = Note
crash-severity = Severity
severity-fatal = Fatal
severity-error = Error
severity-warning = Warning
severity-info = Info
crash-stack-title = Stack
crash-stack-sample = From <link>a sample report</link>.
crash-modules = Modules
crash-symbols = Symbols
crash-has-symbols = yes
crash-lacks-symbols = no
crash-metadata = Metadata
crash-report = Crash report
crash-links-expire = These links work for one hour.
crash-resolved-in = Resolved in version
crash-is-resolved-in = resolved in { $version }
crash-resolve-hint = The crash is reopened if a later build reports it again.
crash-resolve = Resolve
crash-resolved = Crash resolved
crash-reopened = Crash reopened

signed-events = Signed events
signed-events-text = A game that sends the token of its player with its events proves that a person plays it. Requiring that keeps others from changing the launch health with made-up devices.
signed-events-on = Launch health counts only devices with signed events.
signed-events-off = Launch health counts all devices.
signed-events-count-signed = Count only signed events
signed-events-count-all = Count all events
signed-events-changed = Saved. The launch health is updated within minutes.
