# The page of a project, its press kit, links and editions.

## Page

editor-save = Save changes
editor-saved = Changes saved
editor-unchanged = Nothing has changed
editor-text = Text
editor-discovery = Discovery
editor-discovery-text = Search, shelves and the labels on your page use these fields.
not-specified = Not specified
# Variables: $label (String): the name of a list, such as Genres. $min, $max (Number): of entries.
label-up-to = { $label }, up to { $max }
label-range = { $label }, { $min } to { $max }
# Variables: $label (String): the name of a list. $number (Number): the row of the list.
label-numbered = { $label } { $number }
# Variables: $flag (String): such as Subtitles. $label (String): the row that it belongs to.
flag-of-row = { $flag }<hidden>, { $label }</hidden>
https-only = https only

## Links

store-links = Other stores
store-links-text = Where else players can get it. Leave a field empty to remove its link.
store-link-hint = An https link on { $hosts }
store-link-hint-others = An https link on { $hosts } and others
store-links-save = Save links
store-links-saved = Links saved

## Press kit

kit = Press kit
kit-audience = For journalists and creators
kit-page-hidden = The press page appears once your page is public or open by link.
kit-page-shown = Shown on <link>the press page</link> with your images and facts, and in the press zip.
kit-release-date = Release date
kit-release-date-hint = Any wording, such as “Spring 2027”.
kit-contact = Press contact
kit-website = Website
kit-trailer = Trailer
kit-history = History
kit-features = Features
kit-awards = Awards
kit-links = Links
kit-quotes = Quotes
kit-team = Team
kit-line-hint = One per line.
kit-links-hint = One per line: Label | https://…
kit-quotes-hint = One per line: Quote | Source | https://… (optional link)
kit-team-hint = One per line: Name | Role
kit-save = Save press kit
kit-saved = Press kit saved

## Editions

edition = Edition
edition-list = Editions
edition-list-text = Sell several editions at different prices. The listing shows the price of the cheapest edition on sale.
edition-add = Add edition
edition-new = New edition
edition-new-of = New edition of { $project }
edition-details = Edition details
edition-name = Name
edition-slug = Short name
edition-slug-hint = Lowercase letters, digits and dashes.
edition-kind = Kind
edition-price = Price
edition-price-dollars = Price in US dollars
edition-position = Position in the list
edition-contents = Contents
edition-bundle = Bundled listings
edition-bundle-hint = For bundles only: your other listings, one address per line, up to { $max }.
edition-active = On sale
edition-on-sale = on sale
edition-off-sale = off sale
edition-save = Save edition
edition-saved = Edition saved
edition-retire-title = Retire edition
edition-retire = Retire…
edition-retire-text = The edition is no longer sold. Players who own it keep it.
edition-retire-confirm = Retire { $name }
edition-retired = Edition retired

## Settings

settings-general = Type, address and license
settings-save = Save settings
settings-saved = Settings saved
visibility-title = Visibility
visibility-label = Who can open the page
visibility-save = Save visibility
visibility-saved = Visibility saved
visibility-published = Published. Everyone can open the page now.
price-of-editions = The price is that of the cheapest edition on sale: <strong>{ $price }</strong>.
price-hint = Enter 0 for free.
price-save = Save price
price-saved = Price saved
anonymous-title = Anonymous downloads
anonymous-text = For free projects: anyone can download without an account. Every download is counted.
anonymous-on = on
anonymous-off = off
anonymous-confirm = I understand that an anonymous download grants no license and adds nothing to a library, and that I cannot revoke it.
anonymous-turn-on = Turn on anonymous downloads
anonymous-turn-off = Turn off anonymous downloads
anonymous-off-text = People will need an account to download. Files that were already downloaded stay with the people who have them.
anonymous-is-on = Anonymous downloads are on
anonymous-is-off = Anonymous downloads are off
