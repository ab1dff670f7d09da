# Agents and apps that ask a person for access or approval.

## Requests of agents

approvals = Approvals
approvals-waiting = Waiting for you
approvals-none = No requests. Agents ask before they release a build to everyone or delete one.
approvals-see-activity = See everything your keys and apps did under <link>Keys</link>.
approvals-history = History
approval-requested = Requested
approval-request = Request
approval-status = Status
approval-times = { $project } · requested { $requested }, expires { $expires }
approval-approved = approved
approval-denied = denied
approval-expired = expired
approval-used = used
approval-delete = Delete version { $version } for { $system } ({ $channel }) and its files
# Variables: $version (String): such as "1.2", or "1.2 of the-app".
approval-release = Release version { $version } to all players (stable)
approval-release-part = Release version { $version } to { $percent } % of the devices (stable)
approval-release-for = { $count ->
    [one] Release version { $version } to all players (stable) for { $count } hour
   *[other] Release version { $version } to all players (stable) for { $count } hours
}
approval-version-of = { $version } of { $app }
approval-version-platforms = { $version } on all its platforms
allow-once = Allow once
deny = Deny
approve-title = Approve a request
# Variables: $summary (String): what the agent wants to do.
approve-heading = { $summary }?
approve-text = Your agent asks to do this in <strong>{ $project }</strong>.
outcome-approved = You allowed this. Your agent can now do it.
outcome-denied = You denied this. It will not happen.
outcome-expired = This request has expired. Your agent can ask again.
outcome-used = You allowed this, and your agent did it.

## Access of apps

connect-app = Connect an app
connect-heading = Connect { $app }?
# Variables: $server (String): the name of the server. $target (String): where the answer is sent.
connect-text = An app wants to act for you, <strong>{ $username }</strong>, through { $server }. The name above is what the app calls itself. Its answers go to <strong>{ $target }</strong>. If you did not start this just now, choose “Cancel”.
# Variables: $host (String): the host of the document that describes the app.
connect-text-described = An app described at <strong>{ $host }</strong> wants to act for you, <strong>{ $username }</strong>, through { $server }. The name above is what the app calls itself. Its answers go to <strong>{ $target }</strong>. If you did not start this just now, choose “Cancel”.
connect-on-device = This is a program on your device, and any program there could use this name. Continue only if you started it yourself.
connect-needs-developer = This requires developer mode. <link>Turn it on in your settings</link>, then return to this page.
connect-operator = This app asks for the rights of an operator: it could see and change what concerns the whole store and all people in it. Its access ends at once if you are no operator any more.
connect-needs-operator = This app asks for the rights of an operator of the store, which only operators can grant.
connect-duration = Access lasts up to { $days } days. You can revoke it and see everything the app did at any time under <link>Keys</link>.
only-project = Only { $project }
connect = Connect
cancel = Cancel

## Signing in a device

device-title = Sign in a device
device-text = Type the code that your device shows. <code>slipway login</code> shows one.
device-code = Code
device-code-hint = Eight letters, such as WDJB-MJHT
device-continue = Continue
device-heading = Sign in on { $device }?
device-heading-unnamed = Sign in on this device?
# Variables: $code (String): the code that the device shows.
device-compare = A device asks to use your account, <strong>{ $username }</strong>. It has to show this code: <strong>{ $code }</strong>
device-can = It could see your library, your orders and what you may see in the store, and download the games that you may download. It could not buy, review or change anything.
device-other-network = This device is not in the network of your browser. If somebody sent you the code or a link to this page, choose “Deny”: they would get access to your library.
device-warning = Allow this only if you started it yourself just now, on a device of yours.
device-duration = The device stays signed in for up to { $days } days. You can sign it out at any time under <link>Keys</link>.
device-allow = Allow
device-allowed = Your device is signed in. Return to it to go on.
device-denied = You denied this. The device is not signed in.

## What tools of operators ask for

# Variables: $target (String): such as "Account ada". $action (String): such as "Suspend".
approval-decision = { $target }: { $action }
approval-setting = Change the setting { $setting } to { $value }
approval-setting-default = Set { $setting } to its default
approval-retry-all = Retry all failed jobs
approval-retry = { $count ->
    [one] Retry { $count } failed job
   *[other] Retry { $count } failed jobs
}
approval-publish = Publish the first release of { $listing }
approval-decline = Decline the first release of { $listing }
