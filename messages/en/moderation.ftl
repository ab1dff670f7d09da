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
moderation-undone = Undone
moderation-see-decision = <link>See the statement of reasons</link>

## Mails

# Variables: $target (String): one of the targets above.
mail-statement-subject = Decision of the moderation team: { $target }
# Variables: $store (String): the name of the store. $action (String): what happened.
mail-statement = The moderation team of { $store } decided about this: { $target }. Result: { $action }.
mail-statement-ground = Ground: { $ground }
mail-statement-facts = Facts: { $facts }
mail-statement-more = You find this statement of reasons on { $url }
