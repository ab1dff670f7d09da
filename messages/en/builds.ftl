# Builds of a project: channels, debug symbols and deploy keys.

column-platform = Platform
column-size = Size
column-uploaded = Uploaded

## Channels

channel = Channel
channels = Channels
channels-text = A channel moves to each new build once its scan is clean. Promote or roll back to choose a build yourself.
channels-none = No channel has a build yet.
channel-for-all = For all players.
channel-for-beta = { $count ->
    [one] For players who joined the beta ({ $count } player).
   *[other] For players who joined the beta ({ $count } players).
}
channel-for-team = For you and your admins.
channel-expires = Expires { $date }.
channel-expired = Expired { $date }.
channel-roll-back = Roll back…
channel-roll-back-text = Downloads from <strong>{ $channel }</strong> return to the build before. Nothing is deleted, and you can promote the builds again.
channel-roll-back-none = There is no earlier build to roll back to.
channel-roll-back-confirm = Roll back { $channel }
# Variables: $changes (String): a list of the four messages below.
channel-is-back = { $channel } was rolled back: { $changes }
channel-rolled-back-many = { $count ->
    [one] { $channel } was rolled back on { $count } system
   *[other] { $channel } was rolled back on { $count } systems
}
# What a system of a channel gets. Variables: $system (String): such as "Windows".
# $from, $version (String): the versions before and after.
channel-changes = { $system } { $from } → { $version }
channel-gains = { $system } gets its first build, { $version }
channel-stays = { $system } stays at { $version }
channel-stays-first = { $system } stays at { $version }, there is no earlier build
channel-history = History
channel-history-of = History of { $channel }
# What happened to a channel. Variables: $platform (String): such as "Windows x86_64".
# $version (String): the build that the channel then had. $person (String): who did it.
channel-moved = { $has_person ->
    [yes] { $platform } moved to { $version }, by { $person }
   *[no] { $platform } moved to { $version }
}
channel-promoted = { $has_person ->
    [yes] { $platform } was promoted to { $version }, by { $person }
   *[no] { $platform } was promoted to { $version }
}
channel-rolled-back = { $has_person ->
    [yes] { $platform } was rolled back to { $version }, by { $person }
   *[no] { $platform } was rolled back to { $version }
}
channel-lost = { $has_person ->
    [yes] { $platform } lost { $version }, by { $person }
   *[no] { $platform } lost { $version }
}
channel-withdrawn = { $has_person ->
    [yes] { $platform } moved to { $version } after a withdrawal, by { $person }
   *[no] { $platform } moved to { $version } after a withdrawal
}
channel-restored = { $has_person ->
    [yes] { $platform } returned to { $version }, which was restored, by { $person }
   *[no] { $platform } returned to { $version }, which was restored
}
channel-changed = { $has_person ->
    [yes] { $platform } changed to { $version }, by { $person }
   *[no] { $platform } changed to { $version }
}
channel-nothing = nothing
channel-percent = Percent of devices
channel-percent-hint = Below 100, only this part of the installs that slipway keeps current gets the build. Everyone else gets what the channel delivers now.
channel-promote-percent = { $percent } % of the installs that slipway keeps current get this build. The channel keeps its own for everyone else.
channel-is-staged = { $channel } delivers the build to { $percent } % of the devices
channel-is-unstaged = { $channel } delivers its own build to all devices again
# Variables: $platform (String): such as "Windows x86_64". $version (String): a link to the build.
channel-staged-line = { $platform }: { $percent } % of the devices get { $version }
channel-staged-percent = Percent of devices that get { $version } on { $platform }
channel-staged-change = Change
channel-staged-all = Release to everyone
channel-staged-end = Pull back
channel-event-staged = { $has_person ->
    [yes] { $platform }: { $version } for { $percent } % of the devices, by { $person }
   *[no] { $platform }: { $version } for { $percent } % of the devices
}
channel-event-unstaged = { $has_person ->
    [yes] { $platform }: { $version } was pulled back, by { $person }
   *[no] { $platform }: { $version } was pulled back
}
channel-promote-title = Promote a build
channel-promote = Promote
channel-promote-none = A build can be promoted once its scan is clean.
channel-expires-after = Expires after (hours)
channel-expires-hint = After this time the channel offers no downloads until you promote a build again. 0: never.
channel-promote-choose = Choose a build
channel-promote-all = { $version }, all systems
channel-build-missing = Choose a build to promote.
channel-promote-question = Promote { $version } to { $channel }?
channel-promote-stable = All players get these builds from <strong>{ $channel }</strong>:
channel-promote-other = <strong>{ $channel }</strong> delivers these builds:
# Variables: $systems (String): a list such as "Linux x86_64 and Windows x86_64".
channel-promote-failing = { $version } often fails to start on { $systems }: its launch health is problematic.
channel-promote-expires = { $count ->
    [one] The channel expires after { $count } hour.
   *[other] The channel expires after { $count } hours.
}
channel-promote-confirm = Promote { $version }
# Variables: $systems (String): a list such as "Linux, macOS and Windows".
channel-delivers = { $channel } now delivers { $version } for { $systems }.
# Variables: $count (Number): the systems that have the version, of $total.
channel-delivers-many = { $channel } now delivers { $version } for { $count } of { $total } systems.

## Debug symbols

symbols-none = No symbols yet. With symbols, the stacks of crash reports show function names and lines.
symbols-upload = Upload symbols
symbols-upload-text = Symbols are uploaded with the deploy key, here or with the uploader: { $command }. <link>Create a deploy key</link>
symbols-uploaded = Symbols uploaded
symbols-table = Debug symbols
symbols-debug-id = Debug ID
symbols-file = A .sym file, or a .zip of several
symbols-delete = Delete
symbols-delete-all = Delete all symbols…
symbols-delete-all-text = New crash reports of this build will show modules and offsets instead of function names. Stacks that were already resolved stay.
symbols-delete-all-confirm = Delete all symbols
checksum-of-file = SHA-256 of the file
checksum-hint = Run { $command }. With JavaScript it is filled in for you.

## Deploy key

deploy-key = Deploy key
deploy-key-text = For the <link>uploader</link> on your build server. It can register builds and upload files, symbols and images. It cannot edit the page, promote builds or read reports.
deploy-key-create = Create deploy key
deploy-key-new = <strong>Copy both values now; they are shown only once.</strong> Save them as secrets of your build server.
deploy-access-token = the access token
deploy-secret-key = the secret key
deploy-key-created = created { $date }
deploy-key-replace = Replace deploy key
deploy-key-replace-text = The current key stops working at once. Uploads fail until your build server has the new one.
deploy-key-revoke-open = Revoke…
deploy-key-revoke = Revoke deploy key
deploy-key-revoke-text = Build servers can no longer upload until you create a new key.
deploy-key-revoked = Deploy key revoked

## Build

# The title of a page.
build-about = About this build
build-version = Build { $version }
build-file = File
build-zip = Zip file
build-upload = Upload
build-upload-another = Upload another zip
build-uploaded = Uploaded. The file is being scanned.
build-uploaded-by = Uploaded by
build-by-website = the website
build-by-key = deploy key { $key }
# Variables: $findings (String): the name of the threat, as the scanner reports it.
build-threat = The scanner found: { $findings }. The file was removed; upload a clean zip.
build-checksum = the checksum
checksum-of-zip = SHA-256 of the zip
build-kind = Kind
build-app = App
build-engine = Engine version
build-no-engine = not specified
build-registered-at = Registered
build-id = the build ID
build-id-hint = Build ID, for crash and event reports
build-health = Launch health
# Variables: $started, $crashed (String): percentages.
build-health-text = { $count ->
    [one] { $count } device, { $started } started, { $crashed } crashed at launch
   *[other] { $count } devices, { $started } started, { $crashed } crashed at launch
}
build-health-signed = { $percent } of these devices sent the token of a player.
build-health-all = Health of all builds
build-crashes = Crash reports of this build
build-active-devices = Active devices
build-withdraw = Withdraw build
build-withdraw-text = Nobody can download or install a withdrawn build, and its channels return to the build before. Players who have it see your reason. You can restore it at any time.
withdrawal-reason = Reason
withdrawal-reason-hint = Plain text that everyone who has the build can read.
withdrawal-replacement = Replacement
withdrawal-replacement-none = None
withdrawal-replacement-hint = What players should get instead.
build-withdraw-confirm = Withdraw { $version }
build-withdrawn = Build withdrawn
build-withdrawal = Withdrawn
# Variables: $date: when it was withdrawn.
build-withdrawn-since = This build was withdrawn on { $date }. Nobody can download or install it.
build-withdrawal-change = Change reason or replacement
build-withdrawal-save = Save changes
build-restore = Restore…
build-restore-text = Players can download the build again. Channels that only its withdrawal moved return to it.
build-restore-confirm = Restore { $version }
build-restored = Build restored
build-delete = Delete build
build-delete-open = Delete…
build-delete-text = This permanently deletes its files and crash reports. Channels that point at it return to the build before.
build-delete-confirm = Delete { $version }
build-deleted = Build deleted
symbols-deleted = Symbols deleted
symbols-file-deleted = Symbol file deleted
bundle-check = Bundle check
bundle-check-text = Asset packs by other developers in this build, and their licenses. It blocks nothing.
packs-found = Asset packs found in this build
packs-none = No asset packs found
packs-none-text = Files of 1 kB or more are compared with the asset packs of this store. Only you and your admins see the result.
pack = Asset pack
pack-license = License
pack-files = Files
pack-examples = Examples
pack-unlicensed = unlicensed
pack-attribution = attribution
pack-licensed = licensed
pack-owned = owned

## List of builds

builds-all = All builds
builds-none = No builds yet
builds-none-text = Upload your first zip above, or let your build server upload it with a deploy key.
build-in-channel = Now in { $channel }
build-no-file = No file yet. <link>Upload its zip</link>
build-devices = { $count ->
    [one] { $count } device in { $days } days
   *[other] { $count } devices in { $days } days
}

## New build

build-new = New build
build-new-text = Every zip is inspected and scanned before anyone can download it.
build-channel-hint = stable: all players. beta: players who joined the beta. dev, or a name of your own: you and your admins.
processor-usual = Usual for the system
processor-none = None
build-processor = Processor
build-title = Title
build-changelog = Changelog
build-changelog-hint = One change per line.
build-engine-hint = Mod compatibility is checked against this build.
build-more-fields = Title, changelog, engine version, threads in the browser
build-launch = How it is started
build-launch-text = For slipway and launchers. Without it, a slipway.yml in the build says so, and otherwise the most likely program is started.
build-launch-program = Program
build-launch-program-hint = Its path in the build, such as bin/game.x86_64. If the build has no such file, this does not count.
build-launch-args = Arguments
build-launch-args-hint = One per line.
build-launch-folder = Working folder
build-launch-folder-hint = The folder that it is started in; the top of the build by default.
build-launch-save = Save
build-launch-saved = Saved. It counts for installs and updates from now on.
build-isolation = Threads in the browser
build-isolation-hint = Only for builds for browsers. Threads need an isolated page, which cannot load files of other sites that do not allow it.
build-isolation-default = As it is; on for a new build
build-isolation-on = On: the page is isolated
build-isolation-off = Off: the page is not isolated
build-isolation-save = Save
build-isolation-saved = Saved. It counts for players who open the game from now on.
build-play = Play in the browser
build-play-this = Play this build
build-playable = Can be played in the browser.
build-not-playable = Not playable in the browser
build-play-warnings = It can be played, but some files may not load:
build-register = Register build
build-registered = Build registered. Upload its zip next.
upload-file-hint = Up to { $size }. You can resume an interrupted upload: choose the same file again.
upload-without-script = Without JavaScript, register the build here and upload its zip on the page of the build, or use the <link>uploader</link>.
upload-confirm = A build for stable reaches all players. <link>Confirm that it is you</link>, then press Upload again.
upload-pause = Pause
upload-resume = Resume
upload-discard = Discard
upload-offer = The upload of { $file } (version { $version }, { $system }) stopped at { $percent }%.
upload-choose-again = Choose { $file } and press Upload to resume where it stopped.
upload-not-zip = { $file } is not a zip file. Choose a .zip file.
upload-too-large = { $file } has { $size }. At most { $max } are allowed.
upload-reading = Reading the file, { $percent }%
upload-paused = Paused. Press Upload to resume.
upload-lost = The connection was lost. Press Upload to resume where it stopped.
upload-failed = The upload failed with status { $status }
upload-waiting = Waiting for the connection
# Variables: $done, $size, $speed (String): such as 15.6 MiB.
upload-progress = { $done } of { $size }, { $speed }/s
# Variables: $progress (String): the message above. $time (String): such as "5 minutes".
upload-remaining = { $progress }, about { $time } left
upload-scanning = Uploaded. Scanning…
upload-scanned = Uploaded and scanned. Nothing was found.
# Variables: $first, $second (String): paths of files in a zip.
upload-collision = "{ $first }" and "{ $second }" are the same name on Windows and macOS, where one of them is lost. Rename one and upload the zip again.
upload-open-build = Open the build
upload-refused = The scanner refused the file: { $findings }. Upload a clean zip.
