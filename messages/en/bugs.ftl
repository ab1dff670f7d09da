# Bug tickets of a project and its in-game bug reporter.

## Tickets

tickets = Tickets
tickets-by-status = Tickets by status
tickets-open = Open
tickets-fixed = Fixed
tickets-closed = Closed
tickets-none = No tickets yet
tickets-none-text = Players who own a copy can report bugs from your page. With the reporter below turned on, they can also report from inside the game.
tickets-none-open = No open tickets.
tickets-none-fixed = No fixed tickets.
tickets-none-closed = No closed tickets.
ticket-external-player = a player of the external store
ticket-unknown-version = unknown version
# Variables: $version (String). $system (String): such as Windows.
ticket-version-on = { $version } on { $system }
ticket-with-log = with log

## Ticket

ticket = Bug ticket
ticket-report = Report
ticket-log = Log
ticket-triage = Triage
ticket-screenshot = Screenshot sent with the report
ticket-reported-by = Reported by
ticket-external-account = external account { $id }
ticket-sent-from = Sent from
ticket-from-game = inside the game
ticket-from-page = the store page
ticket-unknown = unknown
ticket-fixed = Fixed
ticket-fixed-text = { $has_version ->
    [yes] { $is_seen ->
        [yes] { $date } in { $version }, seen by the player
       *[no] { $date } in { $version }, not yet seen by the player
    }
   *[no] { $is_seen ->
        [yes] { $date }, seen by the player
       *[no] { $date }, not yet seen by the player
    }
}
ticket-fixed-version = Fixed in version
ticket-fixed-hint = The player who reported it is notified.
ticket-mark-fixed = Mark as fixed
ticket-marked-fixed = Marked as fixed
ticket-close = Close without notice
ticket-closed = Ticket closed
ticket-reopened = Ticket reopened
ticket-related-crash = Related crash
ticket-no-crash = None
ticket-save-crash = Save
ticket-crash-saved = Related crash saved

## In-game bug reporter

bug-reporter = In-game bug reporter
bug-reporter-text = Off by default. Players can always report bugs from the store page.
bug-reporter-enabled = Let players report bugs from inside the game
bug-reporter-cap = Daily reports per player
bug-reporter-webhooks = Webhooks, up to { $max }
bug-reporter-webhooks-hint = One https address per line. Every new ticket is sent to each, with a signature.
bug-reporter-save = Save bug reporter
bug-reporter-saved = Bug reporter saved
signing-key = Signing key
signing-key-text = Use it to verify that a webhook was sent by this store.
signing-key-replace = Webhooks and screenshot links signed with the old key no longer verify. Update your receivers right away.
webhook = Webhook
webhook-deliveries = Webhook deliveries
webhook-attempts = Attempts
webhook-send-again = Send again
webhook-queued = Delivery queued
webhook-pending = { $count ->
    [one] { $count } delivery pending
   *[other] { $count } deliveries pending
}
# Variables: $status (String): of the answer. $origin (String): such as https://example.com.
webhook-gone = It answered { $status }; the webhook was deleted in the chat service
webhook-redirects = It answered { $status }; redirects are not followed, so save the final address
webhook-answered = It answered { $status }
webhook-timeout = { $seconds ->
    [one] No complete answer within { $seconds } second
   *[other] No complete answer within { $seconds } seconds
}
webhook-no-host = The host of { $origin } has no address
webhook-blocked = { $origin } has an address that is not public
# Variables: $code (String): of the operating system, such as ECONNREFUSED.
webhook-failed = The exchange with { $origin } failed ({ $code })
webhook-disabled = The URL was disabled
