# The pages that list what the store has: home, search and developers.

## Titles

# Variables: $name (String): a listing or a developer.
name-on-site = { $name } on { $store }
home-title = { $store }: games from the people who made them
# Variables: $store, $tagline (String): what the operators wrote about the store.
home-title-tagline = { $store }: { $tagline }
home-description = Games, tools, mods and assets from the people who made them. Every file is scanned and shows where it came from and how reliably it starts.
feed-new-title = New on { $store }
feed-updated-title = Updated on { $store }

## Home

home-heading = Games from the people who made them
home-text = Every file is scanned, and you see how reliably a game starts before you download it.
home-feeds = Atom feeds: <new>new</new>, <updated>updated</updated>
find-game = Find a game
publish-game = Publish a game
store-empty = Nothing here yet
store-empty-text = Be the first: all it takes is a page, a few images and a ZIP file.
mood-question = What are you in the mood for?
time-question = And how much time do you have?
# Variables: $mood (String): such as "Cozy".
time-any = { $mood }, any length
shelf-quick-plays = Quick plays
shelf-quick-plays-text = Games for 15 minutes that start reliably.
# Variables: $system (String): the operating system of the visitor.
shelf-quick-plays-on-system = Games for 15 minutes that start reliably on { $system }.
shelf-hidden-gems = Hidden gems
shelf-hidden-gems-text = New, and hardly anyone has played them yet.
shelf-new = Just launched
shelf-new-text = Released this month.
shelf-updated = Recently updated
shelf-updated-text = Games and applications with a new build.
shelf-for-developers = For developers
shelf-for-developers-text = Tools, mods, plugins and assets.
shelf-see-all = See all<hidden> of { $title }</hidden>
own-continue = Continue playing
own-continue-text = What you played last, as far as your games reported it.
own-updates = Updates in your library
own-updates-text = New builds of the last 30 days.
# Variables: $date (String): a day.
own-played = Last played { $date }
own-new-version = Version { $version } since { $date }
spotlight-popular = Popular this month
spotlight-popular-text = One of the most downloaded games of the last 30 days, another one each day.
spotlight-new = New
spotlight-new-text = One of the newest games, another one each day.

## Search

search-title = “{ $q }”
browse-description = { $count ->
    [one] { $count } listing on { $store }.
   *[other] { $count } listings on { $store }.
}
search-results = Results
no-results = No results
no-results-text = Remove a filter, or search for fewer words.
browse-everything = Browse everything
search-did-you-mean = Did you mean <link>{ $q }</link>?
search-hints = Search by filter or developer instead:
# Several filters at once. Variables: $filters (String): their names, such as "Linux + Cozy".
search-all-filters = All: { $filters }
search-tag = Tag
skip-to-results = Skip to results
sort-label = Sort by
sort-relevance = Best match
sort-recommended = Recommended
sort-newest = Newest
sort-updated = Recently updated
sort-popular = Popular
sort-top-rated = Top rated
sort-name = Name

## Filters

filters-title = Filters
filters-active = Active filters
filters-clear = Clear filters
filters-show = { $count ->
    [one] Show { $count } listing
   *[other] Show { $count } listings
}
filters-more = More
filters-apply = Apply
filter-platform = Platform
filter-price = Price
filter-playable = Play without installing
playable-browser = In the browser
filter-rating = Rating
# Variables: $percent (Number): the least share of players, such as 80.
filter-rating-value = { $percent }% or more enjoyed it
filter-players = Players
filter-arch = Processor
filter-engine = Engine
filter-engine-version = Engine version
filter-renderer = Renderer
# A filter that was typed, such as "Engine: godot".
filter-value = { $name }: { $value }
# A link that removes a filter. What is hidden is read to people who do not see the page.
filter-chip = { $label }<hidden>, remove filter</hidden>
filter-chip-excluded = Without { $label }<hidden>, remove filter</hidden>
filter-exclude = Exclude<hidden> { $label }</hidden>
filter-stop-excluding = Excluded<hidden>: { $label }, stop excluding</hidden>

## Developers

developer = Developer
developer-description = { $count ->
    [one] { $count } listing by { $username } on { $store }.
   *[other] { $count } listings by { $username } on { $store }.
}
developer-image-alt = Image of { $username }
developer-empty = You have not published anything yet.
follow-by-feed = Follow by feed
create-project = Create a project

## Suggestions while typing

suggestions-label = Suggestions
suggestion-developer = Developer
suggestion-tag = Tag of { $count ->
    [one] { $count } listing
   *[other] { $count } listings
}
suggestion-engine = Engine of { $count ->
    [one] { $count } listing
   *[other] { $count } listings
}

## Without network

offline-title = You are offline
offline-text = { $store } needs a network connection to show this page. Check yours, then try again.
offline-retry = Try again
