# Stabilität, Downloads und Abstürze eines Projekts.

## Namen von Spalten und Diagrammen

column-build = Build
column-system = System
column-version = Version
column-when = Zeitpunkt
column-status = Status
column-module = Modul
per-day = pro Tag
per-week = pro Woche
last-months = Letzte { $months } Monate
last-days = { $days ->
    [one] Letzter Tag
   *[other] Letzte { $days } Tage
}
reopen = Wieder öffnen

## Stabilität

health-over-time = Starts und Geräte im Zeitverlauf
health-builds = Nach Build
health-by-build = Stabilität beim Start nach Build
health-devices = Geräte
health-active-per-day = Aktiv pro Tag
health-launches = Starts
health-median-session = Mittlere Sitzung
health-no-builds = Noch keine Builds.
health-launches-text = { $started } gestartet, { $crashed } beim Start abgestürzt
health-active-devices = Aktive Geräte nach Version
health-other-versions = Andere Versionen
health-devices-peak = Höchstens { $peak } pro Tag, heute { $today }
health-launches-and-crashes = Starts und Abstürze
health-started = Gestartet
health-crashed = Abgestürzt
health-sessions = Sitzungen
health-new-devices = Neue Geräte
health-first-launches = Erste Starts
health-custom-events = Eigene Ereignisse
health-event = Ereignis
health-warning = <strong>{ $version }</strong> für { $platform } startet schlechter als { $previous }: { $band }, vorher { $previous_band }.
health-bands = Gemessen an den Geräten der letzten { $days } Tage. Ausgezeichnet: mindestens { $excellent_started } % gestartet, höchstens { $excellent_crashed } % vorher abgestürzt. Gut: mindestens { $healthy_started } % gestartet, höchstens { $healthy_crashed } % vorher abgestürzt. Durchwachsen: mindestens { $mixed_started } % gestartet, höchstens { $mixed_crashed } % vorher abgestürzt. Builds mit weniger als { $devices } Geräten werden nicht bewertet.
health-no-events = Noch keine Ereignisse
health-no-events-text = { $count ->
    [one] Lass dein Spiel { $event } mit seiner Build-ID senden, sobald es gestartet ist. Ab { $count } Gerät zeigt deine Seite, wie zuverlässig es startet.
   *[other] Lass dein Spiel { $event } mit seiner Build-ID senden, sobald es gestartet ist. Ab { $count } Geräten zeigt deine Seite, wie zuverlässig es startet.
}
health-find-build-id = Build-ID finden

## Downloads

downloads-over-time = Im Zeitverlauf
downloads-breakdown = Aufschlüsselung
downloads-breakdown-text = { $range }. Die Summen oben enthalten keine abgelehnten Versuche.
downloads-none = Keine Downloads in den letzten { $days } Tagen
downloads-none-text = Hier wird jeder Versuch gezählt, auch abgelehnte. IP-Adressen werden nicht gespeichert.
downloads-countries = Länder
downloads-sources = Quellen
downloads-clients = Programme
downloads-access = Berechtigung
downloads-outcomes = Ergebnisse
figure-downloads = { $count ->
    [one] <strong>{ $count }</strong> Download
   *[other] <strong>{ $count }</strong> Downloads
}
figure-people = <strong>{ $count }</strong> Personen mit Konto
figure-anonymous = <strong>{ $count }</strong> ohne Konto
figure-copies = <strong>{ $count }</strong> neue Exemplare
country-unknown = Unbekannt
download-agents = Agent
download-anonymous = Anonym
download-asset-library = Asset-Bibliothek im Editor
download-browsers = Browser
download-by-owner = Eigenes Team
download-developer-agents = Agenten von Entwicklern
download-grant = Geschenktes Exemplar
download-ok = Heruntergeladen
download-other = Andere
download-other-editors = Andere Editoren
download-player-agents = Agenten von Spielern
download-purchase = Kauf
download-purchase-required = Kauf erforderlich
download-scanning = Wird noch geprüft
download-sign-in-required = Anmeldung erforderlich
download-store-editor = Editor dieses Stores
download-unavailable = Nicht verfügbar
download-website = Website
download-withdrawn = Version zurückgezogen

## Abstürze

crash-none = Keine Absturzberichte
crash-none-text = Spiele senden Absturzberichte mit den IDs des Eintrags und des Builds an { $url }. Mit Debug-Symbolen zeigen die Aufruflisten Funktionsnamen und Zeilen.
crash-one-build = Abstürze eines Builds. <link>Alle Builds anzeigen</link>
crash-groups-text = Berichte mit derselben Aufrufliste werden zu einem Absturz zusammengefasst.
crash-newest-reports = Neueste Berichte
crash-times = { $count ->
    [one] <strong>{ $count }</strong>-mal
   *[other] <strong>{ $count }</strong>-mal
}
crash-versions = in { $versions } · zuletzt { $date }
crash-untitled = Absturz ohne Titel
crash-reports = Absturzberichte
crash-reports-short = Berichte
crash-player-message = Nachricht des Spielers
crash-attachments = Anhänge
crash-no-attachments = keine
crash-dump = Dump
crash-log = Protokoll
crash-stack = Aufrufliste
crash-no-symbols = ohne Symbole
crash-uncertain = unsicher
crash-summary = Zusammenfassung
crash-affected-builds = Betroffene Builds
crash-reported = Gemeldet
crash-first-seen = Zuerst gemeldet
crash-last-seen = Zuletzt gemeldet
crash-reason = Ursache
crash-address = Adresse
crash-note = Hinweis
crash-severity = Schwere
severity-fatal = Fatal
severity-error = Fehler
severity-warning = Warnung
severity-info = Info
crash-stack-title = Aufrufliste
crash-stack-sample = Aus einem <link>Beispielbericht</link>.
crash-modules = Module
crash-symbols = Symbole
crash-has-symbols = ja
crash-lacks-symbols = nein
crash-metadata = Metadaten
crash-report = Absturzbericht
crash-links-expire = Diese Links gelten eine Stunde lang.
crash-resolved-in = Gelöst in Version
crash-is-resolved-in = gelöst in { $version }
crash-resolve-hint = Meldet ein späterer Build den Absturz erneut, wird er wieder geöffnet.
crash-resolve = Als gelöst markieren
crash-resolved = Absturz als gelöst markiert
crash-reopened = Absturz wieder geöffnet

signed-events = Signierte Ereignisse
signed-events-text = Ein Spiel, das mit seinen Ereignissen das Token der spielenden Person sendet, belegt, dass jemand wirklich spielt. Verlangst du das, kann niemand die Stabilität mit erfundenen Geräten verändern.
signed-events-on = Die Stabilität zählt nur Geräte mit signierten Ereignissen.
signed-events-off = Die Stabilität zählt alle Geräte.
signed-events-count-signed = Nur signierte Ereignisse zählen
signed-events-count-all = Alle Ereignisse zählen
signed-events-changed = Gespeichert. Die Stabilität wird in wenigen Minuten aktualisiert.
