# The page of a project, its press kit, links and editions.

## Page

editor-save = Save changes
editor-saved = Changes saved
editor-preview = Preview text
editor-preview-close = Close
editor-preview-empty = The description is empty.
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

## Images

images-added = Images added
image-moved = Image moved
image-alt = What the image shows
image-alt-hint = For people who cannot see it, and as its caption. If you add several images, describe each in the gallery afterwards.
image-alt-of = What it shows<hidden>: image { $number }</hidden>
image-alt-save = Save text
image-alt-saved = Text of the image saved
image-removed = Image removed
image-none = No image yet.
image-remove = Remove
image-earlier = Earlier
image-later = Later
image-upload = Upload
image-cover = Cover
image-cover-text = The large image at the top of your page and in link previews.
image-cover-alt = The cover of { $name }
image-thumbnail = Thumbnail
image-thumbnail-text = Shown in lists and on shelves.
image-thumbnail-alt = The thumbnail of { $name }
image-gallery = Gallery ({ $count } of { $max })
image-gallery-text = A public page needs at least { $min }. Drag to reorder, or use the buttons.
image-gallery-alt = Gallery image { $number }
image-drop = Drop an image here or choose a file
image-drop-several = Drop images here or choose files
# Variables: $min, $max (String): sizes such as 960 × 540. $bytes (String): such as 5.0 MiB.
image-rules = PNG, JPEG, GIF or WebP; 16:9, { $min } to { $max } pixels, up to { $bytes }
# Variables: $width, $height (String): in pixels.
image-size = { $width } × { $height }
image-pixels = { $width } × { $height } pixels
image-not-image = It is not a PNG, JPEG, GIF or WebP image.
image-damaged = It is damaged, cut short or too large to open. Export it again.
image-not-profile-image = It is not a PNG, JPEG or WebP image.
# Variables: $size, $min, $max, $example (String): such as 960 × 540 pixels.
image-too-small = It is { $size } and has to be at least { $min }.
image-too-wide = It is { $size } and may be at most { $max }.
image-wrong-ratio = It is { $size }. The width and height have to be 16:9, such as { $example }.
# Variables: $size, $max (String): such as 5.0 MiB.
image-too-many-bytes = It has { $size } and may have at most { $max }.
image-over-bytes = It has more than { $max }.
image-megapixels = It is { $size }. At most { $max } million pixels are allowed.
image-missing = Choose an image.
image-count = { $count ->
    [one] Choose { $count } image.
   *[other] Choose 1 to { $count } images.
}
image-send-again = The image could not be stored just now. Send it again.
# Variables: $number (Number): of the image. $file (String): its name. $problems (String): sentences.
image-numbered = Image { $number }: { $problems }
image-named = { $file }: { $problems }
image-failed = The upload failed with status { $status }. Try again.
image-unreachable = The server could not be reached. Check your connection and try again.
crop-open = Crop…
crop-title = Crop image
crop-text = Drag the image or use the sliders. The bright part is uploaded.
crop-canvas = The image with the part that is uploaded
crop-width = Width
crop-x = Horizontal position
crop-y = Vertical position
crop-result = Result: { $size }
crop-upload = Upload this part

## Trailers

# Variables: $count, $max (Number): of trailers.
trailers-of-project = Trailers ({ $count } of { $max })
trailers-of-project-text = Videos on your page, above the description. A video that you upload is public once it is scanned for viruses.
trailer-numbered = Trailer { $number }
trailer-no-poster = No poster
trailer-add-file = Upload a video
trailer-add-outside = Link a video
trailer-video = Video
# Variables: $size (String): such as 5.0 MiB.
trailer-video-hint = MP4 or WebM, up to { $size }. Browsers play H.264 and VP9 best.
trailer-replace-video = Replace the video
trailer-title = Title
trailer-poster = Poster
# Variables: $min, $max (String): sizes such as 960 × 540. $bytes (String): such as 5.0 MiB.
trailer-poster-hint = The image before the video plays: 16:9, { $min } to { $max } pixels, up to { $bytes }. Without one, the cover is shown.
trailer-captions-file = Captions
trailer-captions-hint = A WebVTT file, up to { $size }. Add one per language.
trailer-language = Language of the captions
trailer-language-hint = A language code, such as de or pt-BR
trailer-url = Address of the video
# Variables: $hosts (String): of PeerTube.
trailer-url-hint = A video on YouTube, Vimeo or PeerTube ({ $hosts }). Visitors load nothing from there until they start it.
trailer-upload = Upload video
trailer-add = Add video
trailer-edit = Edit
trailer-save = Save changes
trailer-remove-poster = Remove poster
trailer-remove-captions = Remove<hidden> captions: { $language }</hidden>
trailer-remove-text = The video, its poster and its captions are deleted. This cannot be undone.
trailer-scanning = Visitors see it after the scan.
trailer-added = Video uploaded. It is on your page after the scan.
trailer-outside-added = Video added
trailer-saved = Trailer saved
trailer-moved = Trailer moved
trailer-removed = Trailer removed
trailer-poster-removed = Poster removed
trailer-captions-removed = Captions removed
# Variables: $size, $max (String): such as 5.0 MiB.
trailer-too-large = The video has { $size } and may have at most { $max }.
# Variables: $done, $size (String): such as 5.0 MiB.
trailer-progress = { $done } of { $size }
trailer-checking = Checking the files…

## Relations

parent-title = Parent
parent-game = Game or application on this store
parent-game-hint = Find it by its name, or enter its address, such as my-game.
parent-game-hint-required = Find it by its name, or enter its address, such as my-game. Required to publish, unless the parent is hosted elsewhere.
parent-external = Or hosted elsewhere
parent-external-hint = Its name
parent-link = Link to it
similar-title = Similar titles
similar-text = Your page is suggested to players of these titles.
similar-label = Similar titles, up to { $max }
similar-hint = <noscript>One address per line, such as my-game.</noscript> Most similar first.
uses-title = Dependencies
uses-label = Other listings
uses-supports = Supports
uses-kind = Kind { $number }
uses-listing = Listing { $number }
uses-placeholder = name or address of a listing
uses-hint = Uses: an asset pack or plugin. Supports: what a mod is for. Made with: a tool. Empty rows are ignored.
engines-title = Engine versions
engines-text = For mods, plugins and assets: the engine versions they work with.
engines-label = Supported versions
engines-hint = A maximum such as 4.3 includes all its patch releases. Leave a bound empty for no limit.
engines-engine = Engine { $number }
engines-min = Minimum version { $number }
engines-max = Maximum version { $number }
engines-renderer = Renderer { $number }
engines-system = System { $number }
engines-engine-example = engine
engines-min-example = from
engines-max-example = to
engines-renderer-example = renderer
mod-title = Installation
mod-folder = Folder
mod-folder-hint = Inside the game folder, such as mods/my-mod.
mod-loader-label = Mod loader
mod-loader-hint = Its short name, if one is needed.
mod-instructions = Instructions
mod-instructions-hint = Markdown.
picker-list = Listings
picker-search = Find a listing
picker-none = No listing found
picker-found-one = 1 listing found
# Variables: $count (String): 0 or 2 and more.
picker-found = { $count } listings found
# Variables: $name (String): of a listing.
picker-chosen = { $name } chosen
picker-earlier = Earlier
picker-earlier-named = Earlier { $name }
picker-remove = Remove
picker-remove-named = Remove { $name }

## Translations

translation-add = Add a language
translation-language = Language code
translation-code-example = de or pt-BR
translation-tagline = Tagline
translation-description = Description

## What the store allows

adult-content-off = This store does not allow adult content.
paid-listings-off = This store has only free listings. Prices that you set before stay until you change them.
paid-listings-off-hint = This store has only free listings. Enter 0.
listing-withheld = This store does not allow adult content. Only its owner can open this page, and nobody else finds it.

## Labels that moderators decided

# Variables: $values (String): what they set, such as Gore.
label-locked-added = The moderation team set: { $values }. Only they can change that.
# Variables: $values (String): what they removed.
label-locked-removed = The moderation team removed: { $values }. Only they can add it again.
label-locked-why = <link>Read the statement of reasons</link>; you can appeal there.
label-locked-why-owner = The owner has the statement of reasons and can appeal.
