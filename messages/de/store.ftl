# Die Seiten, die auflisten, was es im Store gibt: Startseite, Suche und Entwickler.

## Titel

name-on-site = { $name } auf { $store }
home-title = { $store }: Spiele von den Menschen, die sie gemacht haben
home-title-tagline = { $store }: { $tagline }
home-description = Spiele, Tools, Mods und Assets von den Menschen, die sie gemacht haben. Jede Datei wird geprüft und zeigt, woher sie stammt und wie zuverlässig sie startet.
feed-new-title = Neu auf { $store }
feed-updated-title = Aktualisiert auf { $store }

## Startseite

home-heading = Spiele von den Menschen, die sie gemacht haben
home-text = Jede Datei wird geprüft, und schon vor dem Download siehst du, wie zuverlässig ein Spiel startet.
home-feeds = Atom-Feeds: <new>Neues</new>, <updated>Aktualisiertes</updated>
find-game = Spiel finden
publish-game = Spiel veröffentlichen
store-empty = Hier ist noch nichts
store-empty-text = Mach den Anfang: Du brauchst nur eine Seite, ein paar Bilder und eine ZIP-Datei.
mood-question = Worauf hast du Lust?
time-question = Und wie viel Zeit hast du?
time-any = { $mood }, beliebige Dauer
shelf-quick-plays = Für zwischendurch
shelf-quick-plays-text = Spiele für 15 Minuten, die zuverlässig starten.
shelf-quick-plays-on-system = Spiele für 15 Minuten, die unter { $system } zuverlässig starten.
shelf-hidden-gems = Geheimtipps
shelf-hidden-gems-text = Neu, und noch hat sie kaum jemand gespielt.
shelf-new = Gerade erschienen
shelf-new-text = In diesem Monat veröffentlicht.
shelf-updated = Kürzlich aktualisiert
shelf-updated-text = Spiele und Anwendungen mit einem neuen Build.
shelf-for-developers = Für Entwickler
shelf-for-developers-text = Tools, Mods, Plugins und Assets.
shelf-see-all = Alle ansehen<hidden>: { $title }</hidden>
own-continue = Weiterspielen
own-continue-text = Was du zuletzt gespielt hast, soweit deine Spiele es gemeldet haben.
own-updates = Updates in deiner Bibliothek
own-updates-text = Neue Builds der letzten 30 Tage.
own-played = Zuletzt gespielt: { $date }
own-new-version = Version { $version } seit { $date }
spotlight-popular = Gerade beliebt
spotlight-popular-text = Eines der meistgeladenen Spiele der letzten 30 Tage, jeden Tag ein anderes.
spotlight-new = Neu
spotlight-new-text = Eines der neuesten Spiele, jeden Tag ein anderes.

## Suche

search-title = „{ $q }“
browse-description = { $count ->
    [one] { $count } Eintrag auf { $store }.
   *[other] { $count } Einträge auf { $store }.
}
search-results = Ergebnisse
no-results = Keine Ergebnisse
no-results-text = Entferne einen Filter oder suche mit weniger Wörtern.
browse-everything = Alles ansehen
search-did-you-mean = Meintest du <link>{ $q }</link>?
search-hints = Stattdessen nach Filter oder Entwickler suchen:
search-all-filters = Alle: { $filters }
search-tag = Tag
skip-to-results = Zu den Ergebnissen springen
sort-label = Sortieren nach
sort-relevance = Beste Treffer
sort-recommended = Empfohlen
sort-newest = Neueste
sort-updated = Kürzlich aktualisiert
sort-popular = Beliebt
sort-top-rated = Am besten bewertet
sort-name = Name

## Filter

filters-title = Filter
filters-active = Aktive Filter
filters-clear = Filter zurücksetzen
filters-show = { $count ->
    [one] { $count } Eintrag zeigen
   *[other] { $count } Einträge zeigen
}
filters-more = Mehr
filters-apply = Anwenden
filter-platform = Plattform
filter-price = Preis
filter-playable = Spielen ohne Installation
playable-browser = Im Browser
filter-rating = Bewertung
filter-rating-value = { $percent } % oder mehr hat es gefallen
filter-players = Spieler
filter-arch = Prozessor
filter-engine = Engine
filter-engine-version = Engine-Version
filter-renderer = Renderer
filter-value = { $name }: { $value }
filter-chip = { $label }<hidden>, Filter entfernen</hidden>
filter-chip-excluded = Ohne { $label }<hidden>, Filter entfernen</hidden>
filter-exclude = Ohne<hidden> { $label }</hidden>
filter-stop-excluding = Ausgeschlossen<hidden>: { $label }, nicht mehr ausschließen</hidden>

## Entwickler

developer = Entwickler
developer-description = { $count ->
    [one] { $count } Eintrag von { $username } auf { $store }.
   *[other] { $count } Einträge von { $username } auf { $store }.
}
developer-image-alt = Bild von { $username }
developer-empty = Du hast noch nichts veröffentlicht.
follow-by-feed = Per Feed folgen
create-project = Projekt anlegen

## Vorschläge beim Tippen

suggestions-label = Vorschläge
suggestion-developer = Entwickler
suggestion-tag = Tag von { $count ->
    [one] { $count } Eintrag
   *[other] { $count } Einträgen
}
suggestion-engine = Engine von { $count ->
    [one] { $count } Eintrag
   *[other] { $count } Einträgen
}

## Ohne Netz

offline-title = Du bist offline
offline-text = Für diese Seite braucht { $store } eine Netzverbindung. Prüfe deine Verbindung und versuch es noch einmal.
offline-retry = Noch einmal versuchen
