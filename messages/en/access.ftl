# Who may sign up and publish: pages, mails and the console.

## Signing up

signup-closed = This store does not take new accounts.
signup-contact = <link>Contact the people who run this store</link> if you have questions.
signup-by-invitation = You need an invitation to sign up here. Open the link that the people who run this store sent you.
signup-invited = You were invited to this store.

## The right to publish

publishing-title = Publishing
publishing-allowed = You may make your listings public.
publishing-by-approval = The people who run this store decide who may publish. Until then your pages stay drafts, and you can prepare everything else.
publishing-by-invitation = Only people whom this store invited may publish. Your pages stay drafts.
publishing-not-allowed = In this store, publishing needs approval. <link>See how to get it</link>.
publishing-requested = Your request to publish waits for an answer. You will get a mail.
publishing-declined = Your request was declined: { $reason }
publishing-waiting = You asked on { $date }. You will get a mail with the answer.
publishing-text = Your request
publishing-text-hint = Who are you, and what do you want to publish? Links to your work help.
publishing-request = Send request
publishing-request-sent = Your request was sent

## The first release of a listing

release-needs-review = The people who run this store look at the first release of each listing before it becomes public.
release-waiting = Your first release waits for a review. You will get a mail with the answer.
release-declined = Your first release was declined: { $reason }
release-hand-in = Hand in for review
release-handed-in = Handed in. You will get a mail once it was reviewed.

## Console: invitations

console-invitations = Invitations
invitations-open = Everybody can sign up in this store. An invitation can give the right to publish.
invitations-invitation = People need an invitation to sign up in this store.
invitations-closed = Nobody can sign up in this store, not even with an invitation. You can change that in the settings.
invitations-made = Invitations so far
invitation-made = Send this link to the people whom you invite. It is shown only now.
invitation-link = Link
invitation-note = Note
invitation-note-hint = For you and other operators.
invitation-uses = How many people
invitation-days = Valid for days
invitation-may-publish = May publish
invitation-may-publish-hint = Without a further approval, where publishing needs one.
invitation-make = Make invitation
invitation-open = Open
invitation-used = Used up
invitation-expired = Expired
invitation-publishes = May publish
invitation-no-note = No note
# Variables: $uses (Number), $max (Number).
invitation-used-of = { $uses } of { $max }
invitation-end = End
invitation-end-text = The link stops working. Accounts that were made with it stay.
invitation-ended = The invitation was ended
invitation-column-note = Note
invitation-column-state = State
invitation-column-used = Used
invitation-column-people = People
invitation-column-expires = Valid until
invitation-column-action = Action

## Console: approvals

console-approvals = Approvals
# Variables: $count (Number).
approvals-releases = First releases ({ $count })
approvals-releases-caption = First releases
approvals-releases-on = The first release of each listing waits here until you publish or decline it.
approvals-releases-off = First releases are not reviewed. You can change that in the settings.
# Variables: $count (Number).
approvals-people = Requests to publish ({ $count })
approvals-people-open = Everybody may publish. You can change that in the settings.
approvals-people-approval = People ask here for the right to publish.
approvals-people-invited = Only people with an invitation may publish, and those whom you approve below.
# Variables: $count (Number).
approvals-approved = May publish ({ $count })
approvals-approved-caption = People who may publish
approvals-column-listing = Listing
approvals-column-kind = Type
approvals-column-person = Person
approvals-column-since = Waiting since
approvals-column-decided = Since
approvals-column-by = Approved by
approvals-by-invitation = Invitation
approvals-member-since = Member since
approvals-unverified = { $email } (not verified)
approvals-decide = Decide
approvals-reason = Answer
approvals-reason-hint = Mailed to the person. Needed to decline.
approvals-approve = Approve
approvals-decline = Decline
approvals-username = Username
approvals-username-hint = Give somebody the right to publish who did not ask, or take it back with Decline.
approvals-approved-one = { $name } may publish now
approvals-declined-one = { $name } may not publish
release-title = Review of { $game }
release-by = By { $person }, handed in on { $date }.
release-is-approved = This release was approved.
release-is-declined = This release was declined.
release-tagline = Tagline
release-tags = Tags
release-warnings = Content warnings
release-adult = Yes
release-description = Description
release-images = Images
# Variables: $name (String): the listing, $number (Number).
release-image = Image { $number } of { $name }
release-files = Files
release-column-file = File
release-column-version = Version
release-column-system = System
release-column-size = Size
release-column-scan = Scan
release-approved-one = { $name } is public now
release-declined-one = The release of { $name } was declined

## Settings

setting-registration = Signing up
setting-registration-open = Everybody
setting-registration-invitation = With an invitation
setting-registration-closed = Nobody
setting-publishing = Publishing
setting-publishing-open = Everybody with developer mode
setting-publishing-approval = People whom an operator approved
setting-publishing-invited = Invited people
setting-review-first-release = Review the first release of each listing
setting-review-first-release-hint = It becomes public when an operator approves it.

## Mails

mail-publishing-request-subject = { $username } wants to publish on { $store }
mail-publishing-request = { $username } asks for the right to publish on { $store }:
mail-publishing-request-open = Approve or decline: { $url }
mail-publishing-approved-subject = You may publish on { $store }
mail-publishing-approved = The people who run { $store } approved your request. You can make your listings public now.
mail-publishing-declined-subject = Your request to publish on { $store }
mail-publishing-declined = The people who run { $store } declined your request to publish:
mail-publishing-open = Your projects: { $url }
mail-release-held-subject = { $game } waits for a review on { $store }
mail-release-held = { $username } handed in the first release of { $game } on { $store }.
mail-release-held-open = Review it: { $url }
mail-release-approved-subject = { $game } is public on { $store }
mail-release-approved = The people who run { $store } approved the first release of { $game }. It is public now.
mail-release-approved-open = Open the page: { $url }
mail-release-declined-subject = The release of { $game } on { $store }
mail-release-declined = The people who run { $store } declined the first release of { $game }:
mail-release-declined-open = Change the project and hand it in again: { $url }

## Home page

shelf-picks = Editor’s picks
shelf-picks-text = Chosen by the people who run this store.

setting-group-home = Home page
setting-hero-title = Heading
setting-hero-text = Text below the heading
setting-hero-text-hint = For visitors who are not signed in.
setting-hero-image = Show a popular listing with a large image
setting-shelves = Shelves
setting-shelves-hint = In the order of the page. A shelf without listings is left out.
setting-shelves-editors-picks = Editor’s picks
setting-shelves-tonight = Quick plays
setting-shelves-unheard-of = Hidden gems
setting-shelves-new = Just launched
setting-shelves-recently-updated = Recently updated
setting-shelves-tools-and-assets = For developers
setting-no-value = None
setting-picks = Editor’s picks
setting-picks-hint = Up to 12 listings, each with a word about it. Listings that are not public are left out.
setting-picks-listing = Address or uid of the listing
setting-picks-note = Your word about it
