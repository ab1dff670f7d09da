# Der Rahmen jeder Seite und Teile, die viele Seiten haben.

## Kopf- und Fußzeile

skip-to-content = Zum Inhalt springen
search-label = Store durchsuchen
search-placeholder = Spiele, Tools und Mods finden
search-button = Suchen
nav-main = Hauptmenü
nav-more = Mehr
nav-browse = Stöbern
nav-home = Startseite
nav-library = Bibliothek
nav-dashboard = Dashboard
nav-public-page = Deine öffentliche Seite
nav-settings = Einstellungen
nav-keys = Schlüssel
nav-operator = Betrieb
sign-in = Anmelden
sign-up = Registrieren
sign-out = Abmelden
footer-promise = Jede Datei wird geprüft und zeigt, woher sie stammt und wie zuverlässig sie startet.
powered-by = Läuft mit { $product }
footer-new = Neuerscheinungen
footer-feed = Feed
footer-publish = Veröffentlichen
footer-uploader = Uploader
footer-contact = Kontakt
announcement = Ankündigung
announcement-close = Ankündigung schließen
drill = Übung
drill-text = <strong>Übung:</strong> Das ist eine wiederhergestellte Kopie des Stores. Sie verschickt keine E-Mails und speichert keine Dateien, und was du hier änderst, geht verloren.
theme-label = Farbschema
theme-text = Automatisch folgt deinem System. Die Wahl gilt überall, wo du angemeldet bist.
theme-auto = Automatisch
theme-light = Hell
theme-dark = Dunkel
language-label = Sprache
# Variablen: $title (String): worum es auf der Seite geht.
title-on-site = { $title } · { $store }
browse-the-store = Im Store stöbern

## Meldungen und Fehler

close-message = Meldung schließen
error-forbidden = Diese Seite ist für dich nicht zugänglich
error-not-found = Seite nicht gefunden
error-not-found-text = Die Seite ist vielleicht umgezogen, existiert nicht oder ist für dich nicht sichtbar. Prüfe die Adresse oder durchsuche den Store.
error-too-large = Das ist zu groß
error-too-many = Zu viele Anfragen
error-internal = Etwas ist schiefgegangen
error-internal-text = Der Fehler wurde aufgezeichnet. Bitte versuche es noch einmal. Wenn du uns schreibst, gib die Nummer unten an.
error-unavailable = Vorübergehend nicht verfügbar
error-unavailable-text = Ein Teil des Dienstes ist gerade nicht verfügbar. Bitte versuche es gleich noch einmal.
error-refused = Das hat nicht geklappt
optional = optional
needed-to-publish = zum Veröffentlichen nötig
form-problems = Noch wurde nichts gespeichert. Bitte korrigiere:
unsaved-mark = nicht gespeichert
unsaved-changes = { $count ->
    [one] { $count } nicht gespeicherte Änderung
   *[other] { $count } nicht gespeicherte Änderungen
}

## Listen

pager-label = Seiten
pager-previous = Zurück
pager-next = Weiter
pager-position = Seite { $page } von { $last }
nothing-yet = Noch nichts.

## Diagramme

chart-total = { $name }: { $total }
chart-summary = { $title }, nach Tagen. { $totals }. Die Tabelle darunter enthält alle Zahlen.
chart-summary-weeks = { $title }, nach Wochen. { $totals }. Die Tabelle darunter enthält alle Zahlen.
chart-top = { $top } { $unit }
chart-numbers = Zahlen
chart-range = Zeitraum der Diagramme
chart-csv = CSV<hidden>, { $title }</hidden>
chart-day = Tag
chart-week = Woche ab

## Geheime Werte

copy = Kopieren
copied = Kopiert
copy-named = Kopieren<hidden>: { $name }</hidden>
secret-hidden = verborgen
secret-reveal = Anzeigen
secret-replace = Ersetzen …
secret-replace-confirm = { $name } ersetzen
secret-copied = Kopiert

## Bezeichnungen

any-system = alle Systeme
any-system-label = Alle Systeme
platform = { $system } { $arch }
channel-beta = Beta
price-free = Kostenlos
price-paid = Kostenpflichtig
duration-seconds = { $seconds } s
duration-minutes = { $minutes } Min.
duration-hours = { $hours } Std. { $minutes } Min.
play-time = { $duration } gespielt
player-range = { $min } bis { $max } Spieler

band-excellent = ausgezeichnet
band-healthy = gut
band-mixed = durchwachsen
band-problematic = problematisch
band-unrated = ohne Bewertung

scan-clean = geprüft
scan-scanning = wird geprüft
scan-infected = Bedrohung gefunden
scan-error = Prüfung fehlgeschlagen
scan-quarantined = in Quarantäne
scan-withdrawn = zurückgezogen
# Variables: $version, $replacement: versions; $platform: a system.
withdrawn-download = Der Anbieter hat Version <strong>{ $version }</strong> für { $platform } zurückgezogen, die du heruntergeladen hast.
withdrawn-replacement = Nimm stattdessen Version <strong>{ $replacement }</strong>.

state-ok = in Ordnung
state-open = offen
state-fixed = behoben
state-resolved = gelöst
state-closed = geschlossen
state-regressed = wieder aufgetreten
state-delivered = zugestellt
state-pending = ausstehend
state-failed = fehlgeschlagen
state-failing = schlägt fehl
state-disabled = deaktiviert

## Zahlen mit Substantiven

count-check = { $count ->
    [one] { $count } Prüfung
   *[other] { $count } Prüfungen
}
count-copy = { $count ->
    [one] { $count } Exemplar
   *[other] { $count } Exemplare
}
count-crash = { $count ->
    [one] { $count } Absturz
   *[other] { $count } Abstürze
}
count-delivery = { $count ->
    [one] { $count } Zustellung
   *[other] { $count } Zustellungen
}
count-device = { $count ->
    [one] { $count } Gerät
   *[other] { $count } Geräte
}
count-download = { $count ->
    [one] { $count } Download
   *[other] { $count } Downloads
}
count-field = { $count ->
    [one] { $count } Feld
   *[other] { $count } Felder
}
count-hour = { $count ->
    [one] { $count } Stunde
   *[other] { $count } Stunden
}
count-issue = { $count ->
    [one] { $count } Problem
   *[other] { $count } Probleme
}
count-listing = { $count ->
    [one] { $count } Eintrag
   *[other] { $count } Einträge
}
count-player = { $count ->
    [one] { $count } Spieler
   *[other] { $count } Spieler
}
count-review = { $count ->
    [one] { $count } Rezension
   *[other] { $count } Rezensionen
}
count-screenshot = { $count ->
    [one] { $count } Screenshot
   *[other] { $count } Screenshots
}
count-suggestion = { $count ->
    [one] { $count } Vorschlag
   *[other] { $count } Vorschläge
}
count-symbol-file = { $count ->
    [one] { $count } Symboldatei
   *[other] { $count } Symboldateien
}
count-time = { $count ->
    [one] { $count }-mal
   *[other] { $count }-mal
}
