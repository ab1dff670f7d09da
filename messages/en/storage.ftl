# Quotas of storage: settings, refusals, dashboard and console.

setting-group-storage = Storage
setting-listing-quota-mib = Quota of a listing, in MiB
setting-listing-quota-mib-hint = Builds, symbols, images, videos, and what players send. 0 is without a limit.
setting-account-quota-mib = Quota of an owner, in MiB
setting-account-quota-mib-hint = For all their listings together. 0 is without a limit.
setting-service-quota-mib = Quota of the store, in MiB
setting-service-quota-mib-hint = For all listings together. 0 is without a limit.
setting-player-files-percent = Share for files of players, in percent
setting-player-files-percent-hint = The part of each quota for crash dumps, logs and screenshots. The rest is for developers.

refusal-storage-quota-exceeded = The storage quota is used up. Delete files you no longer need, or ask the operators for more.
rule-storage-quota = { $level ->
    [listing] Of the { $limit } that this project can store, { $free } are free.
    [account] Of the { $limit } that the owner of this project can store, { $free } are free.
   *[service] Of the { $limit } that this store can hold, { $free } are free.
} { $contact ->
    [none] Delete files you no longer need, or ask the operators for more.
   *[other] Delete files you no longer need, or ask for more: { $contact }
}

storage-title = Storage
storage-used-of = { $used } of { $limit }
storage-nearly-full = Nearly full
storage-developers = Your files
storage-players = Sent by players
storage-own-text = What all projects store that you own.
storage-ask = { $contact ->
    [none] Delete files you no longer need, or ask the operators of this store for more.
   *[other] Delete files you no longer need, or ask for more: { $contact }
}
storage-kind-builds = Builds
storage-kind-uploads = Open uploads
storage-kind-symbols = Debug symbols
storage-kind-images = Images
storage-kind-videos = Videos
storage-kind-patches = Patches
storage-kind-crashes = Crash reports
storage-kind-bug-reports = Bug reports
storage-kind-saves = Cloud saves
step-storage = Free up storage: it is nearly full

## The console

console-quotas = Quotas
quota-defaults = Defaults
quota-defaults-text = These are <link>settings</link>. Exceptions for a person or a listing come first.
quota-default-listing = A listing
quota-default-account = All listings of an owner
quota-default-service = The store
quota-players = Share for files of players
quota-players-percent = { $percent } %
quota-unlimited = No limit
quota-name = Name
quota-used = Stored
quota-allowed = Allowed
quota-is-exception = exception
quota-exceptions = Exceptions
quota-no-exceptions = No exceptions. The defaults apply to everybody.
quota-note = Note
quota-note-hint = Why, for other operators.
quota-set = Set
quota-action = Action
quota-remove = Remove
quota-remove-text = The default applies to { $name } again. Nothing is deleted.
quota-removed = Exception removed
quota-new = Add or change an exception
quota-type = For
quota-target-person = Person
quota-target-listing = Listing
quota-target = Name
quota-target-hint = A username, or the name in the address of a listing.
quota-gib = Quota in GiB
quota-gib-hint = Empty for no limit.
quota-set-it = Save exception
quota-saved = Exception saved
quota-largest-people = People who store the most
quota-largest-listings = Listings that store the most
rule-quota-person = There is no such person.
rule-quota-listing = There is no such listing.
