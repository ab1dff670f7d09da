# Texts of the uploader. Numbers arrive as text, except those that select a plural.

## Counts, a part of a sentence

count-files = { $count ->
    [one] { $count } file
   *[other] { $count } files
}
count-builds = { $count ->
    [one] { $count } build
   *[other] { $count } builds
}
count-images = { $count ->
    [one] { $count } image
   *[other] { $count } images
}
count-gallery-images = { $count ->
    [one] { $count } gallery image
   *[other] { $count } gallery images
}
count-symbol-files = { $count ->
    [one] { $count } symbol file
   *[other] { $count } symbol files
}
count-minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
count-hours = { $count ->
    [one] { $count } hour
   *[other] { $count } hours
}
count-days = { $count ->
    [one] { $count } day
   *[other] { $count } days
}

## Frame of messages

error = error: { $message }
api-error = API error [{ $code }]: { $message }
hint = hint: { $hint }
warning = warning: { $message }
interrupted = interrupted
bug-hint = this is a bug in slipway; please report it with the command you ran
needs-subcommand = slipway { $command } needs a subcommand

## Help

help-about = slipway publishes builds to a Slipway server and installs games from it.
help-group = { $count ->
    [one] The { $count } command of slipway { $group }.
   *[other] The { $count } commands of slipway { $group }.
}
help-usage = Usage:
help-usage-command = <command> [flags]
help-flags-word = [flags]
help-commands = Commands:
help-arguments = Arguments:
help-flags = Flags:
help-global-flags = Flags of every command:
help-environment = Environment:
help-exit-codes = Exit codes:
help-examples = Examples:
help-publish = Publish a folder:
help-more = Run slipway help <command> for details of a command.
help-required = required
help-default = default { $value }
help-many = may be repeated

env-access-token = Access token of your deploy key
env-secret-key = Secret of your deploy key
env-api-url = Address of the server, with or without /api/v1
env-upload-url = Upload address; the API address by default
env-proxy = Proxy, and hosts to reach without it
env-tmpdir = Folder for temporary zips
env-timeout = Time limit for a silent server (default 600)
env-retry = Delay before the first retry; it doubles each time (default 1)
env-language = Language of the output, such as de_DE.UTF-8; --json is always English

exit-done = Done
exit-usage = Local error; nothing was sent
exit-refused = The server refused the request
exit-network = The server could not be reached, after five attempts
exit-not-clean = The virus scan was not clean
exit-interrupted = Interrupted; run the same command again to continue

## Flags of several commands

flag-access = Access token of your deploy key, instead of SVC_ACCESS_TOKEN
flag-secret = Secret of your deploy key; visible to other users, so prefer SVC_SECRET_KEY
flag-secret-stdin = Read the secret from the first line of standard input
flag-secret-file = Read the secret from a file that only you can read
flag-url = Address of the server, with or without /api/v1, instead of SVC_API_URL
flag-upload = Upload address, instead of SVC_UPLOAD_URL; the API address by default
flag-json = Print one JSON object; everything else goes to standard error
flag-version = Print the version of slipway
flag-help = Show this help
flag-os = windows, macos, linux, android, ios or web
flag-arch = x86_64, x86, arm64, arm32, arm, universal, wasm32 or wasm
flag-channel = stable, beta, dev or your own
flag-app = App of the project, such as server; the main app by default
flag-app-name = Display name of that app
flag-engine-version = Version of the engine the build was made with
flag-coep = Of builds for browsers: off plays without cross-origin isolation, so without threads
flag-symbols = Debug symbols to upload: a .sym, a folder or a .zip of them
flag-type = Kind of build
flag-build-version = Version of the build
flag-wait = Wait for the virus scan; exit code { $code } when it is not clean
flag-wait-minutes = How long to wait for the scan

## Commands

push = Publish a folder: register the build, zip and upload it
push-details-content = Folders, executable bits and links inside the folder are kept, and the same files always make the same zip. A .slipwayignore file excludes files, with the syntax of a .gitignore. You can also publish a single file or an existing .zip.
push-details-resume = Nothing is registered before the zip is ready. Run the same command again to resume an interrupted upload.
push-dir = Folder, file or .zip to publish
push-version = Version of the build, up to 32 characters
push-title = Title of the build; the version by default
push-description = What is new in it
push-executable = Program that starts the game, as a path in the folder
push-args = Argument that the program is started with; repeat it for several, as --args=-x
push-ignore = Exclude files, as a line of .slipwayignore would
push-wrap = Put everything into a folder of this name
push-percent = Release to this percentage of the devices first, from 1 to 100; the channel keeps its build
push-whole = Send the whole zip, even if the store has most of it
push-base = Folder with the version that the store has: patches against it are smaller (needs the program zstd)
push-dry-run = Show what would be sent without sending it
push-if-changed = Skip the upload when the newest file of this platform and channel has the same content

status = Show a build, its files and their scan results
status-details = Exit code { $code } when the newest file of a platform was rejected, and with --wait also when it is not clean in time.
status-build = The ID that build, addfiles and push print

yank = Withdraw a build: nobody downloads or installs it any more
yank-details = Channels return to the build before it, and players who downloaded it see the reason. A version stands for all of its builds, or for those of a platform, channel or app. Nothing is deleted: --undo brings the builds back.
yank-build = Version, or the ID of one build
yank-reason = Why, for everyone who has the build; up to 500 characters
yank-replacement = What to get instead
yank-undo = Restore withdrawn builds

serve = Serve a folder as the store serves games in the browser, to try it
serve-details-headers = Files have the headers, media types and addresses that they have in the store: cross-origin isolation for threads, a policy that lets the game talk only to itself, to the API and to --connect, and .br and .gz files with their encoding. Only this machine can reach it.
serve-details-end = Prints the address and serves until it is interrupted (Ctrl+C), which is exit code 0. What the store would warn about is printed first, and each address that names no file.
serve-dir = Folder with an index.html, or with one folder that has it
serve-port = Port on this machine; 0 takes a free one
serve-connect = A server that the listing declares, such as wss://rooms.example
serve-not-folder = { $path } is not a folder
serve-port-invalid = --port: "{ $text }" is not a port; use a number from 0 to 65535
serve-port-used = port { $port } is in use
serve-cannot-listen = cannot listen on port { $port }: { $reason }
serve-port-hint = choose another with --port, or --port 0 for any free one
serve-coep-invalid = --coep: "{ $text }" is not one of on, off
serve-connect-invalid = --connect: "{ $text }" is not an origin such as https://api.example or wss://rooms.example:8443
serve-running = serving { $folder }; end with Ctrl+C
serve-missing = 404 { $address }
serve-other-host = Use the address that was printed
serve-only-read = Files of a game are only read
serve-nothing = There is nothing here

info = Show the game that your deploy key belongs to

builds-list = List the builds of your game, newest first
builds-list-version = Only this version
builds-list-page = Page, from 1 to 10000
builds-list-page-size = Builds per page, from 1 to 100

symbols = Upload debug symbols of a build for readable crash reports
symbols-details = Takes Breakpad .sym files, as dump_syms makes them. A folder is searched for .sym files, which are sent in as many uploads as needed.
symbols-path = A .sym, a folder with them, or a .zip of them
symbols-build = The build they belong to

# Variables: $min (String), $max (String): sizes in pixels, such as 1280x720. $size: in MB.
media-size = PNG, JPEG, GIF or WebP, 16:9, from { $min } to { $max }, up to { $size } MB
media-list = List the images of your page
media-cover = Set the cover of your page
media-thumbnail = Set the thumbnail of your page
media-slot-details = { $rule }. It replaces the current one.
media-image = The image
media-add = Add images to the gallery
media-add-details = { $rule } each. A gallery has up to { $max }.
media-add-images = 1 to { $max } images
media-add-position = Position of the first one, from 0 to { $max }; the end by default
media-delete = Delete an image
media-delete-image = The uid of a gallery image, or cover or thumbnail
media-move = Move a gallery image
media-move-to = New position, from 0 to { $max }
media-order = Reorder the gallery
media-order-images = Every gallery image once, in the new order

genbuild = Write a build.yml to start from, in the current folder
genbuild-images = Folder with images: one named cover, one named thumbnail, up to 20 others for the gallery
genbuild-force = Replace an existing build.yml
genbuild-title = Untitled Build
genbuild-description = Describe this build here.

addchangelog = Add an entry to the changelog of build.yml in the current folder
addchangelog-title = What is new, in a line
addchangelog-description = What is new, at length

build = Register the build that a build.yml describes, once for each platform
build-details-output = Prints SVC_GAMES_APP_ID and SVC_GAMES_BUILD_ID for your crash reporter, and uploads the images that the file names and your page does not have yet. Images are compared by content, and none is removed.
build-details-platforms = --os, --arch and --channel replace the platforms of the file.
build-asset = The build.yml

setfiles = Write an addfiles.yml that lists every file of a folder, in the current folder
setfiles-files = The folder

addfiles = Zip and upload the files that an addfiles.yml lists
addfiles-details = Uses the build that is registered for this version and platform, or registers one. Names in the zip start at root, by default the folder of the file.
addfiles-asset = The addfiles.yml

help = Show the help of a command, like its flag --help
help-command = The command, such as push or media add

completion = Print a completion script for your shell
completion-details = Load it where your shell starts, for example: slipway completion bash > ~/.local/share/bash-completion/completions/slipway
completion-shell = bash, zsh, fish or powershell
completion-unknown = there is no completion for "{ $shell }"
completion-unknown-hint = choose one of { $shells }

gendocs = Write the command reference as Markdown
gendocs-dir = Where to write it
gendocs-title = Uploader commands
gendocs-about = Generated by `slipway gendocs`. For a guide, see [uploader.md](uploader.md).
gendocs-global-flags = Flags of every command
gendocs-environment = Environment
gendocs-exit-codes = Exit codes
gendocs-flag = Flag
gendocs-name = Name
gendocs-code = Code

## The command line

args-no-command = there is no command "{ $command }"
args-did-you-mean = did you mean slipway { $command }?
args-list-commands = slipway --help lists the commands
args-no-value = --{ $flag } takes no value
args-needs-value = --{ $flag } needs a value: --{ $flag } { $value }
args-unknown-flag = unknown flag { $flag }
args-did-you-mean-flag = did you mean --{ $flag }?
args-list-flags = slipway --help lists the flags
args-list-command-flags = slipway { $command } --help lists the flags
args-needs-argument = slipway { $command } needs { $argument }: { $meaning }
args-needs-flag = slipway { $command } needs --{ $flag } { $value }
args-too-many = slipway { $command } does not take "{ $argument }"
args-see-help = see slipway { $command } --help

## Settings

settings-no-access = no access token is set
settings-no-access-hint = set SVC_ACCESS_TOKEN to the access token of your deploy key, or use --access
settings-no-secret = no secret is set
settings-no-secret-hint = set SVC_SECRET_KEY to the secret of your deploy key, or use --secret-stdin
settings-bad-access = the access token contains characters that no key has
settings-bad-secret = the secret contains characters that no key has
settings-copy-again = copy it again from the dashboard
settings-address-hint = it looks like https://games.example.com/api/v1
settings-not-address = { $name }: "{ $text }" is not an address
settings-address-login = { $name }: leave the user name and password out of the address
settings-address-query = { $name }: leave query and fragment out of the address
settings-unencrypted = { $name }: { $address } would send the secret unencrypted
settings-unencrypted-hint = use https; plain http is for this machine only
settings-path-hint = check --url and --upload: an API address ends in { $path }, and { $base } does not
settings-secret-once = set the secret once: { $flags }
settings-or = { $first } or { $second }
settings-secret-visible = --secret is visible to every user of this machine; use SVC_SECRET_KEY, --secret-stdin or --secret-file
settings-long-line = the first line of standard input is longer than { $max } bytes
settings-file-unreadable = --secret-file: { $path } cannot be read ({ $code })
settings-file-large = --secret-file: { $path } is not a small file
settings-file-public = --secret-file: others can read { $path }
settings-file-public-hint = restrict it: chmod 600 { $path }
settings-not-seconds = { $name }: "{ $text }" is not a number of seconds up to 7200

## The server

api-not-json = the server answered HTTP { $status } with { $content }
api-nothing = nothing
api-web-page = a web page
api-other-content = something that is not JSON
api-content-start = { $kind }: { $start }
api-moved = { $base } redirects to { $host }, which does not get your key; use --url (and --upload) with the new address
api-check-url = check --url: it must be the address of a Slipway server that no proxy answers for
api-withdrawn = the publisher has withdrawn this build: { $reason }
api-no-reason = the server answered HTTP { $status } without a reason
# Variables: $message (String): why the server refused. $time (String): such as 45 minutes.
api-wait = { $message }; the server accepts the next request in about { $time }

retry = { $message }; retrying in { $time } (attempt { $attempt } of { $max })

network-redirects = the server redirects more than { $max } times
network-check-url = check --url
network-redirect-hint = if { $host } is right, set it with --url (and --upload)
network-redirect-unknown-hint = if the new address is right, set it with --url (and --upload)
network-redirect-scheme = the server redirects to an address that is not http or https
network-redirect-plain = the server redirects to plain http ({ $host }), which would not encrypt the upload
network-redirect-method = the server redirects { $method } requests to { $address }
network-no-answer = the connection was closed without an answer
network-two-hours = the request took longer than two hours
network-silent = the server sent no data for { $seconds } seconds
network-connect-slow = connecting took longer than 30 seconds
network-tls-slow = the TLS handshake took longer than { $time }
network-answer-large = the answer is larger than 8 MiB
network-answer-large-hint = check --url: is it a Slipway server?
network-answer-cut = the connection was closed before the end of the answer
network-refused = the connection was refused
network-refused-hint = is the server running, and is the address right?
network-no-host = there is no such host
network-no-host-hint = check --url or SVC_API_URL
network-unresolved = the name of the host could not be resolved
network-unresolved-hint = check the network
network-reset = the connection was reset
network-closed-sending = the connection was closed while sending
network-timed-out = the connection timed out
network-not-http = the server does not speak HTTP
network-not-tls = the server does not speak TLS
network-port-hint = check the port, and whether it is http or https
network-untrusted = { $host }: the certificate is not trusted ({ $code })
network-untrusted-hint = for a private authority set NODE_EXTRA_CA_CERTS

proxy-not-address = HTTPS_PROXY is not the address of an http proxy
proxy-not-address-hint = it looks like http://proxy.example.com:3128
proxy-login = HTTPS_PROXY: the user name or password contains a % that is not an escape
proxy-login-hint = write %25 for a % in it
proxy-hint = check HTTPS_PROXY and NO_PROXY
proxy-unreachable = the proxy { $proxy } cannot be reached: { $reason }
proxy-refused = the proxy { $proxy } refused to connect to { $target } (HTTP { $status })
proxy-silent = did not answer

## Hints for refusals, by error code

hint-4020 = set SVC_ACCESS_TOKEN, or use --access
hint-4021 = set SVC_SECRET_KEY, or use --secret-stdin or --secret-file
hint-4022 = check SVC_ACCESS_TOKEN: a new key pair revokes the previous one
hint-4023 = issue a new key pair in the dashboard and store both halves in your CI
hint-4024 = the access token and the secret must belong to the same pair
hint-4025 = check SVC_ACCESS_TOKEN and SVC_SECRET_KEY: they must be a deploy key of this game
hint-4026 = a version has at most { $version } characters, a title { $title }, a changelog { $changelog } items
hint-4037 = the file did not arrive; a proxy in between may have truncated the form
hint-4038 = name the build with --build-id, or register it first with slipway build
hint-4039 = register the build first with slipway build, and check --app
hint-4041 = check --os, --arch and --channel; the message names the problem
hint-4043 = a zip may have up to { $max }: exclude files with .slipwayignore
hint-4044 = run the same command again to resume the upload
hint-4045 = the upload session expired; run the same command again
hint-4046 = the bytes changed on disk or in transit; run the same command again
hint-4049 = symbols are Breakpad .sym files that begin with a MODULE line, or a zip of them
hint-4096 = the owner of the game must verify their email address on the website first
hint-4150 = an image is a cover, a thumbnail or a gallery image
hint-4151 = see the sizes in docs/uploader.md; PNG, JPEG, GIF and WebP are accepted
hint-4152 = remove one first: slipway media delete <uid>
hint-4153 = replace it instead: slipway media cover <image>
hint-4154 = slipway media list shows the uids; name each of them once
hint-4166 = check the filters; slipway builds list --help shows them
hint-4290 = rate limit reached; wait and run the command again
hint-4291 = upload limit of this game reached; wait and run the command again

## Rules of the server, by their reasons

rule-max-length = use at most { $count } characters
rule-write-something = write something, up to { $count } characters
rule-one-line = write one line without control characters
rule-control-characters = remove the control characters
rule-not-in-list = must be one of { $allowed }
rule-list-length = at most { $max } entries; this has { $count }
rule-channel = "{ $value }" is not a channel name; use up to 32 lowercase letters, digits, - and _, starting with a letter or digit
rule-version = "{ $value }" is not a version; write numbers such as 4.2, 4.2.1 or 4.3-beta2
rule-app = "{ $value }" is not an app name; use up to 32 lowercase letters, digits and dashes
rule-app-missing = send app together with app_name
rule-http-link = send a full http or https URL
rule-symbols-module = the first line must be MODULE <os> <arch> <debug id> <name>
rule-symbols-system = unknown system; it must be one of { $allowed }
rule-symbols-debug-id = the debug id must be 32 digits 0-9 and A-F, then 1 to 8 hexadecimal digits of the age
rule-symbols-name = the module name or architecture is too long or has control characters

## Files

file-missing = { $path } does not exist
file-forbidden = { $path } may not be read
file-unreadable = { $path } cannot be read ({ $code })
file-unwritable = { $path } cannot be written ({ $code })
file-no-permission = no permission to read or change { $path }
file-no-permission-hint = check who owns it, or run the command as that user
file-not-folder = { $path } cannot be a folder: a part of it is a file
file-read-only = { $path } is on a disk that cannot be written to
file-read-only-hint = mount the disk so that it can be written to, or choose another folder
disk-full = the disk is full
file-disk-full = the disk of { $path } is full
file-disk-full-hint = free some space, then run the same command again
file-not-file = { $path } is not a file
file-not-utf8 = { $path }: the name is not valid UTF-8
file-rename-hint = rename the file
file-written = wrote { $path }
file-changed-uploading = { $path } changed while it was being uploaded
file-changed-uploading-hint = let the build finish, then run the command again
file-changed-packing = { $path } changed while it was being packed
file-changed-packing-hint = let the build finish, then run it again
file-link-outside = { $path } is a link that leads out of the folder, to { $target }
file-link-outside-hint = copy its target into the folder, or exclude the link with .slipwayignore
file-name-hint = rename it, or exclude it with .slipwayignore
file-name-characters = { $path }: names must not have backslashes or control characters
file-name-drive = { $path } would be a drive on Windows
file-name-long = { $path }… is longer than { $max } bytes

temporary-unwritable = nothing can be written in { $path } ({ $code })
temporary-hint = set TMPDIR to another folder

nothing-to-upload = there is nothing to upload
nothing-to-upload-hint = the folder is empty, or .slipwayignore excludes everything
exclude-hint = exclude files that players do not need (.slipwayignore)

zip-too-large = the zip is larger than { $max }, the limit of an upload
zip-no-space = not enough space for the zip in { $path }; up to { $size } are needed
zip-no-space-hint = free some space there, or set TMPDIR to another folder
zip-empty = { $path } is empty
zip-file-too-large = { $path } is larger than { $max }
# Variables: $problem (String): English, such as "ends too early".
zip-problem = { $path }: the zip { $problem }
zip-packing-failed = packing failed: { $reason }
zip-file-failed = { $path } could not be packed: { $reason }

yaml-invalid-hint = this is not valid YAML; check the indentation and the quotes
yaml-too-large = { $path } is larger than 1 MiB, the limit for such a file
yaml-missing-hint = slipway genbuild and slipway setfiles write such files
yaml-not-mapping = { $place }: { $key } must be a mapping of keys to values
yaml-file-not-mapping = { $place }: the file must be a mapping of keys to values
yaml-not-list = { $place }: { $key } must be a list
yaml-unknown-key = { $place }: unknown key "{ $key }"
yaml-unknown-key-suggestion = { $place }: unknown key "{ $key }"; did you mean "{ $suggestion }"?
yaml-version = { $place }: version must be v1
yaml-spec = { $place }: spec must be { $spec }
yaml-spec-hint = slipway { $spec } reads files with spec: { $spec }
yaml-asset-type = { $place }: asset_type is now called type
yaml-engine-version = { $where }engine_version: write numbers such as 4.2, 4.2.1 or 4.3-beta2
yaml-platform-os = { $place }: a platform needs an os
yaml-platforms-or-os = { $place }: give platforms or os, not both
yaml-changelog = { $place }: at most { $max } entries; this has { $count }
yaml-gallery = { $place }: a gallery has at most { $max } images; this has { $count }
yaml-no-files = { $place }: files lists nothing
yaml-no-files-hint = slipway setfiles --files <dir> writes such a list
yaml-missing-field = { $place }: { $key } is missing
yaml-missing-field-hint = add asset.{ $key }, or use --{ $key }
yaml-not-file-or-folder = { $path } is neither a file nor a folder

image-too-large = { $path } has { $size }; a { $kind } image has up to { $max }
image-not-image = { $path } is not a PNG, JPEG, GIF or WebP image
images-none = (none)
images-cover = cover
images-thumbnail = thumbnail
images-gallery = gallery
images-empty = (empty)

genbuild-exists = build.yml already exists
genbuild-exists-hint = --force replaces it
genbuild-two-images = { $folder } holds more than one { $kind }: { $names }
genbuild-many-images = { $folder } holds { $count } images; a gallery has at most { $max }
addchangelog-full = build.yml has { $max } changelog entries, the limit of a build
addchangelog-done = { $count ->
    [one] build.yml has { $count } changelog entry
   *[other] build.yml has { $count } changelog entries
}
setfiles-empty = { $folder } holds no files
setfiles-done = wrote addfiles.yml, { $files }

## Publishing

progress-packing = packing
progress-hashing = hashing
progress-comparing = comparing
progress-uploading = uploading
progress-symbols = symbols
progress-figures = { $done } of { $total }
progress-left = { $time } left

packed = packed { $size }, { $files }, { $unpacked } unpacked
registered = registered { $version } for { $platform }
# Variables: $game (String), $store (String): the name of the store.
publishing = publishing { $game } on { $store }
# Variables: $sent (String), $total (String): sizes.
sent-delta = sent { $sent } of { $total }; the store already had the rest
delta-refused = sending the whole zip instead: { $reason }
delta-no-zstd = the program zstd is not installed; comparing with the store instead of the folder of --base
uploaded-staged = { $percent } % of the devices get it from { $channel } once it is clean
uploaded = uploaded { $file } for { $platform }
already-uploaded = the build already has this content for { $platform }; nothing was uploaded
unchanged = unchanged: build { $build } has the same content
scan-clean = the scan is clean
scan-clean-available = the scan is clean; { $availability }
images-sent = sent { $images }; the page already had { $count }
symbols-uploaded = uploaded { $files }

platform-any = any platform
platform-channel = { $platform } on { $channel }
platform-channel-app = { $platform } on { $channel }, app { $app }

limit-entries = { $count ->
    [one] { $count } file and folders exceed the limit of { $max } entries in a zip
   *[other] { $count } files and folders exceed the limit of { $max } entries in a zip
}
limit-unpacked = this unpacks to { $size }; the limit is { $max }
server-no-build-id = the server registered the build but returned no build_id
server-no-build-id-hint = slipway builds list shows the builds of your game
server-no-file-uid = the server accepted the file but returned no file_uid
server-no-file-uid-hint = run slipway builds list to see what arrived
server-no-file-uid-sent = everything was sent, but the server returned no file_uid
server-no-percent = the store cannot release a build to a part of the devices
server-no-percent-hint = ask its operator for an upgrade, or leave --percent out to release to all
server-no-session = the server opened no upload session
server-too-many-bytes = the server reports more bytes than the file has
run-again-hint = run the same command again
resume-hint = run the same command again to continue
session-expired = the upload session expired; starting a new one
session-busy = another process is uploading the same file; waiting for its chunk
resume-changed = the files changed since the interrupted upload; starting over
resuming = resuming the interrupted upload at { $done } of { $total }

available-expired = the channel { $channel } has expired; promote the build to open it again
available-staged = { $percent } % of the devices get it from { $channel }
available-other = { $channel } has another build for { $platform }: version { $version }
available-owner = the owner and admins can download it
available-stable = players can download it
available-paid = players who have a copy can download it
available-beta = players who joined the beta can download it
available-stable-later = players can download it once the page is public; it is { $visibility } now
available-paid-later = players who have a copy can download it once the page is public; it is { $visibility } now
available-beta-later = players who joined the beta can download it once the page is public; it is { $visibility } now

scan-waiting = waiting for the virus scan
scan-still = still scanning after { $time }
scan-gone = the file no longer exists
scan-gone-hint = it or its build was deleted
scan-no-details = the scanner gave no details
scan-infected = { $file } is infected and was removed: { $details }
scan-error = { $file } could not be scanned and was removed: { $details }
scan-scanning = { $file } is still being scanned
scan-other = { $file } is { $scan }
scan-withdrawn = { $file } passed its scan, but its build is withdrawn
scan-withdrawn-hint = slipway yank <build_id> --undo restores it
scan-infected-hint = if this is a false positive, find the file it names and rebuild it
scan-error-hint = upload it again; if it fails again, the zip is the cause
scan-scanning-hint = run slipway status <build_id> --wait to keep waiting
wait-minutes-invalid = --wait-minutes: "{ $text }" is not a number of minutes up to 1440

symbols-kind = { $path } is neither a .sym, a folder nor a .zip
symbols-upload-size = { $path } has { $size }; an upload of symbols has up to { $max }
symbols-file-size = { $path } has { $size }; a symbol file has up to { $max }
symbols-none = { $path } holds no .sym files
symbols-none-hint = create them with dump_syms, then pass their folder

push-args-alone = --args needs --executable
push-percent-invalid = --percent: "{ $text }" is not a whole number from 1 to 100
push-percent-alone = --percent: { $channel } has no build for { $platform } that the other devices could keep
push-percent-alone-hint = leave --percent out to release the first build to all
push-wrap-invalid = --wrap: use the name of a single folder
push-wrap-zip = --wrap cannot be used with a .zip, which is sent unchanged
push-skipped = { $path } is not a file, a folder or a link; it is skipped
push-base-not-folder = --base: { $path } is not a folder
push-base-hint = name the folder with the version that the store has, or leave --base out
push-not-file = { $path } is not a folder or a file
dry-register = would register { $version } for { $platform }
dry-pack = would pack { $files }, { $size }:
dry-pack-ignored = would pack { $files }, { $size }; { $ignored } left out:
dry-send = would send { $path }, { $size }
dry-symbols = { $count ->
    [one] would send { $count } upload of symbols
   *[other] would send { $count } uploads of symbols
}
dry-nothing = nothing was sent

build-symbols-platform = symbols belong to one platform
build-symbols-platform-hint = name it with --os
build-os-several = --arch and --channel need an os, and { $path } names several
build-os-none = --arch and --channel need an os, and { $path } names none
build-os-hint = add --os

whole-number = --{ $flag }: use a whole number from { $min } to { $max }, not "{ $text }"

media-too-many = add 1 to { $max } images at once, not { $count }
media-not-image = "{ $image }" is not a uid, cover or thumbnail
media-uids-hint = slipway media list shows the uids
media-not-in-gallery = { $uid } is not in the gallery
media-twice = an image is named twice
media-not-uid = "{ $text }" is not the uid of an image
media-list-hint = slipway media list shows them

## Answers

builds-page = page { $page } of { $pages }, { $builds } in total
builds-none = no builds
builds-version = VERSION
builds-platform = PLATFORM
builds-channel = CHANNEL
builds-app = APP
builds-scan = SCAN
builds-symbols = SYMBOLS
builds-build = BUILD
builds-no-file = no file

status-not-id = "{ $text }" is not a build ID
status-not-id-hint = slipway builds list shows them
status-label-build = build
status-label-version = version
status-label-symbols = symbols
status-label-files = files
status-no-files = none yet
status-earlier = (an earlier upload)

yank-undo-alone = --undo takes neither --reason nor --replacement
yank-no-reason = --reason: say why the build is withdrawn
yank-no-reason-hint = everyone who has the build can read it
yank-no-build = there is no build of version { $version }
yank-no-replacement = no build of the replacement is of the same app as { $platform }
yank-withdrawn = withdrew { $version } for { $platform }: { $build }
yank-restored = restored { $version } for { $platform }: { $build }

info-store = store
info-page = page
info-uid = game uid
info-visibility = visibility
info-builds = builds
info-images = images
info-channels = channels
info-storage = storage
info-storage-of = { $used } of { $limit }
info-cover = cover
info-no-cover = no cover
info-thumbnail = thumbnail
info-no-thumbnail = no thumbnail
info-no-channels = none yet
info-ready = the page is ready to go public
info-not-ready = before the page can go public:
info-recommended = recommended:

## Warnings about a build

warn-not-executable = players cannot start { $files }: set the executable bit (chmod +x) before you push
warn-no-program = nothing here starts on { $os }: players need { $program }
warn-program-windows = a .exe
warn-program-linux = a file with its executable bit set
warn-program-macos = an .app with its executable bit set, a .dmg or a .pkg
warn-program-android = an .apk
warn-program-ios = an .ipa
warn-web-index = players cannot play this in the browser: put an index.html at its top, or into its only folder
warn-web-index-other = players cannot play this in the browser: it needs an index.html at its top, or in its only folder; there is { $path }
warn-web-files = players cannot play this in the browser: it has { $count } files, and the store plays up to { $max }
warn-web-size = players cannot play this in the browser: unpacked it is { $size }, and the store plays up to { $max }
warn-web-file-size = players cannot play this in the browser: { $path } is larger than { $max }
warn-web-paths = these paths lead out of the build in the browser; make them relative: { $files }
warn-web-case = these references are spelled with other letters, upper or lower case, than the files: { $files }
warn-wrapper = editors strip the first folder of a package when they install it: put everything in one folder, for example with --wrap my-package
warn-too-large = { $size } before compression; a zip over { $max } is refused
# Variables: $more (Number): how many other files have the same problem.
warn-more = { $path } (and { $more } more)
warn-private = { $path } looks private and would be published with the build
warn-system-file = { $path } was left by a file manager; exclude it with .slipwayignore
warn-dangling = { $path } is a link to something that is not part of the build; it leads nowhere for players
warn-collision = { $first } and { $second } are the same name on Windows and macOS: one of them would be lost
warn-windows-name = { $path } is a name Windows does not allow
warn-windows-path = { $path } is a path so long that Windows may not unpack it
warn-windows-link = { $path } is a link; most Windows machines cannot unpack links

## Installed games

games-name = The game as in the address of its page, or that address
games-installed-name = The game as in the address of its page, that address, or the folder it is installed in
games-channel = Channel to install from
games-dir = Folder to install into, instead of one below SLIPWAY_GAMES
games-install = Install a game
games-install-details = Downloads the files for this system, checks each against the manifest that the store signed, and keeps every version in a folder of its own below SLIPWAY_GAMES. For games that cost money or need an account, run slipway login first, or set SLIPWAY_PLAYER_KEY to your key.
games-bad-name = { $name } is not a game
games-bad-name-hint = write developer/game, or the address of the page of the game
games-no-build = there is no build of { $name } for { $platform } on the channel { $channel }; there are builds for { $others }
games-any-platform = any system
games-installed = a game is already installed in { $folder }
games-installed-hint = use slipway update, or choose another folder with --dir
games-done = Installed { $name } { $version } in { $folder }. Start it with slipway launch { $name }.
games-update = Update installed games
games-update-details = Downloads only what changed. The previous version is kept for slipway rollback. Files that you added stay where they are; files of the game that you changed are kept under another name.
games-all = Update every installed game
games-which = name a game, or use --all
games-failed = { $game }: { $message }
games-sum = { $updated } updated, { $current } up to date.
games-sum-failed = { $updated } updated, { $current } up to date, { $failed } failed.
games-gone = the game is not in this folder any more
games-gone-hint = connect the disk that has it, or remove the entry with slipway uninstall and the folder
games-forgotten = Removed { $folder } from the list of games. Nothing in the folder was changed.
games-ambiguous = several games are called { $name }: in { $folders }
games-ambiguous-hint = name the folder instead, such as { $folder }
games-owned = List the games in your library instead; needs slipway login
games-is-installed = installed
games-none-owned = Your library is empty.
games-none = No games are installed.
games-current = { $name } { $version } is up to date.
games-withdrawn = the installed build of { $name } was withdrawn: { $reason }
games-kept = your changed file is kept as { $path }
games-unremoved = the game is ready, but old files cannot be removed: { $reason }
games-updated = Updated { $name } from { $from } to { $version } ({ $size } downloaded).
games-patched = Updated { $name } from { $from } to { $version } ({ $size } downloaded, { $saved } saved by a patch).
games-verify = Check every file of an installed game
games-verifying = Checking { $name }
games-missing = missing: { $path }
games-changed = changed: { $path }
games-repair-it = Run slipway repair { $name } to get the files of the build again.
games-verified = { $count ->
    [one] The { $count } file of { $name } is as it was installed.
   *[other] All { $count } files of { $name } are as they were installed.
}
games-no-record = the record of the installed version is missing
games-no-record-hint = remove the game with slipway uninstall and install it again
games-repair = Download missing and damaged files of an installed game again
games-repaired = { $count ->
    [one] Repaired { $count } file of { $name }.
   *[other] Repaired { $count } files of { $name }.
}
games-update-it = if the store does not deliver the installed build any more, run slipway update { $name }
games-list = List installed games
games-launch = Start an installed game
games-launch-details = Arguments after -- are passed to the game. The exit code is that of the game.
games-args = Arguments for the game
games-no-program = slipway cannot tell how { $name } is started: its build does not say, and no file in it looks like a program
games-cannot-start = { $program } cannot be started: { $reason }
games-ended-by = { $name } was ended by { $signal }
games-rollback = Return an installed game to the previous version
games-rollback-details = The next update moves it forward again.
games-no-previous = there is no earlier version of { $name } here
games-back = { $name } is back at { $version }.
games-back-withdrawn = the build of { $name } that you return to was withdrawn: { $reason }
games-unrestored = { $path } was changed since, and the store has it no longer; it stays as it is
games-uninstall = Remove an installed game
games-uninstall-details = Files that you added or changed, such as saved games, are moved to the folder "kept" in the folder of the game. A folder that is gone, or whose record is damaged, is only removed from the list.
games-everything = Also remove files that you added or changed
games-removed = Removed { $name }.
games-kept-files = { $count ->
    [one] { $count } file of yours is in { $folder }
   *[other] { $count } files of yours are in { $folder }
}
games-shortcut = Add the game to the menu of the desktop
games-no-shortcuts = shortcuts are made on Linux only
watch = Keep installed games current
watch-details = Looks for updates at the start and then every hour, until it is interrupted. A game that is being played, or that cannot be updated, is tried again the next time.
watch-every = Time between two checks
watch-bad-minutes = --every takes a number of minutes, at most { $max }
daemon = Install and update games for a launcher
daemon-details = Reads JSON-RPC 2.0 requests from standard input, one per line, and answers on standard output. See docs/launchers.md for the methods.
daemon-stdio = Use standard input and output (required)
daemon-needs-stdio = use slipway daemon --stdio
daemon-not-json = this line is not JSON
daemon-not-request = a request is an object with a method, params and an id
daemon-by-name = params must be an object with the names of the parameters
daemon-no-method = there is no method { $method }
daemon-bad-name = name must be a string that says which game, and only for methods that need one
daemon-bad-arguments = arguments must be a list of strings
daemon-bad-param = { $name } is not a parameter of this method, or has the wrong type
client-downloading = Downloading { $name } { $version }
client-unpacking = Unpacking { $name } { $version }
client-busy = another slipway is working on { $folder }
client-busy-hint = wait until it ends, or close the game
client-unsafe-path = the build has a file that cannot be written here: { $path }
client-same-name = the build has two files that are the same on this disk: { $path } and { $other }
client-bad-manifest = the list of files is not the one that the store signed: { $reason }
client-bad-manifest-hint = try again; if it stays, somebody between you and the store changes answers
client-no-manifest = it cannot be read
client-no-keys = the store sends no keys to check its list of files with
client-wrong-signature = its signature is wrong
client-wrong-entries = its entries are not complete
client-other-store = it is of another store ({ $issuer }) than the installed version ({ $before })
client-other-game = it is of another game
client-other-build = it is of another build
client-other-platform = it is of another system, processor or program
client-new-format = this needs a newer version of slipway
client-new-format-hint = download slipway from the store again
client-damaged = what was downloaded is not the file that the store signed: { $path }
client-damaged-hint = try again; if it stays, tell the people who run the store
client-refused = the download failed: the server answered HTTP { $status }
client-no-ranges = the download failed: the server does not send parts of files
client-refused-hint = try again later; if the problem persists, tell the people who run the store
client-too-long = the server sent more than the requested bytes
client-bad-record = { $path } cannot be read
client-bad-record-hint = install the game again into another folder
client-not-installed = { $name } is not installed
client-not-installed-hint = slipway list shows the installed games
client-foreign-folder = { $folder } has files that do not belong to a game of slipway
client-foreign-folder-hint = choose an empty folder, or one that does not exist yet, with --dir
client-disk-full = the disk has { $free } free, and the game needs { $needed }
client-disk-full-hint = free some space, or install elsewhere with --dir
client-no-zstd = the store has a patch, which needs Node.js 24.6 or later; changed files are downloaded whole
client-patch-unusable = the patch does not work; changed files are downloaded whole
settings-bad-player-key = SLIPWAY_PLAYER_KEY has a character that no key has
env-player-key = Your key, for games that need an account
env-games = Where games are installed
exit-damaged = Files of an installed game are damaged, or a download is not what the store signed

## Signing in to a store

login = Sign in to a store
login-store = The address of the store; by default the one that this program is from
login-details = For games that you own or that need an account. Shows a code to enter on the website of the store. The sign-in can read your library and orders and download your games; it cannot buy or change anything. It is kept in a file that only you can read, and used for this store only.
login-open = Open { $address } and type this code: { $code }
login-open-complete = Or open this address, which has the code in it: { $address }
login-done = Signed in to { $store } as { $username }
login-denied = access was denied on the website
login-expired = the code expired before it was typed
login-again = run slipway login again
login-ended = Your sign-in to { $store } has ended. Run slipway login to sign in again.
login-not-offered = this store does not sign in programs
login-not-offered-hint = set SLIPWAY_PLAYER_KEY to a key of your account settings
login-bad-answer = the store answered the sign-in with HTTP { $status }
login-bad-answer-hint = continuing without the sign-in; if it does not work again, run slipway logout, then slipway login
login-file-public = others can read the sign-in in { $path }
login-key-wins = SLIPWAY_PLAYER_KEY is set. Commands use that key instead of the sign-in.
login-buy = buy it on the page of the game, then try again
login-needed = run slipway login to sign in
login-verify = open the link in the mail that the store sent you, or ask for another in your settings on its website
login-join-beta = join the beta on the page of the game; other channels are for its developers
login-not-shown = check the name, the channel and the system; adult content is shown only to accounts that have it turned on
login-maybe-needed = if it needs an account, run slipway login first
logout = Sign out of a store
logout-details = Ends the sign-in of slipway login in the store and removes it here. Installed games stay.
logout-done = Signed out of { $store } ({ $username })
logout-none = You are not signed in to { $store }.
logout-not-revoked = The store could not end the sign-in: { $message }. It is removed here. End it in your account settings, under Keys.
env-config = The folder of sign-ins; by default slipway in the folder for settings of this system
