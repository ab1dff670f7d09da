# The pages that operators write, such as the terms, and their acceptance.

## Names of the pages

policy-terms = Terms of use
policy-privacy = Privacy
policy-rules = Rules
policy-imprint = Imprint
policy-about = About

## A page and its versions

policy-version = Version { $version }
# Variables: $date: a day.
policy-from = in effect from { $date }
# Variables: $version (Number). $date: a day.
policy-version-from = Version { $version }, in effect from { $date }
policy-versions = Versions
# Variables: $version (Number). $date: a day.
policy-upcoming = <link>Version { $version }</link> takes effect on { $date }.
policy-not-yet = Version { $version } takes effect on { $date }.
policy-outdated = Version { $version } is not in effect. <link>Read the current version</link>.

## Editing, for operators

policies = Policies
policies-text = Pages of your store with versions and dates. They are linked in the footer once they are published. While there are terms, people accept them when they sign up, and again when you publish a new version.
policy-page = Page
policy-newest = Newest version
policy-effective = In effect from
policy-author = Published by
policy-link = Link
policy-none = Not published
policy-open = Open
policy-templates = Start from a template. It replaces the text in the form; have it checked by a lawyer before you publish.
policy-text = Text
policy-text-hint = Markdown. Every version stays readable and cannot be changed.
policy-summary = What changed
policy-summary-hint = A sentence or two for people who know the version before.
policy-effective-hint = Today, or up to a year ahead. Days begin at midnight UTC.
policy-effective-terms = Today, or up to a year ahead. Days begin at midnight UTC. Everyone sees an announcement from now on, and must accept the terms from this day to keep using the website.
policy-publish = Publish
# Variables: $version (Number).
policy-published = Version { $version } is published

## Refusals

# Variables: $placeholder (String): the words of a template in double brackets.
rule-policy-placeholder = Replace or remove “{ $placeholder }”.
# Variables: $first, $last (String): days.
rule-policy-date = Choose a day from { $first } to { $last }.
rule-policy-changed = Another version was published meanwhile. Open the page again to see it.
refusal-store-terms-not-accepted = Accept the terms of use to continue.
refusal-store-terms-required = Accept the terms of use before you go on.
rule-terms-changed = The terms of use have changed meanwhile. Read and accept the new version.

## Acceptance of the terms

signup-terms = I accept the <link>terms of use</link>.
signup-privacy = How your data is handled is on the page <link>Privacy</link>.
# Variables: $version (Number). $date: a day.
terms-announced = New terms of use take effect on { $date }. <link>Read and accept version { $version }</link>.
# Variables: $version (Number).
terms-waiting = The terms of use have changed. <link>Read and accept version { $version }</link>.
terms-accept-title = Accept the terms of use
# Variables: $version (Number). $date: a day.
terms-upcoming = Version { $version } of the terms of use takes effect on { $date }.
# Variables: $version (Number).
terms-required = To keep using the website with your account, accept version { $version } of the terms of use. Your programs, keys and downloads are not affected.
terms-read = <link>Open them on their own page</link>, with all earlier versions.
terms-accept = Accept
terms-leave = If you do not agree
terms-leave-text = You can sign out and decide later, export your data, or delete your account.
# Variables: $version (Number).
terms-accepted = You accepted version { $version } of the terms of use
terms-accepted-version = You accepted <link>version { $version } of the terms of use</link>.
terms-none = This store has no terms of use that need your acceptance.
