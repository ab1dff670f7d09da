# Builds eines Projekts: Kanäle, Debug-Symbole und Deploy-Schlüssel.

column-platform = Plattform
column-size = Größe
column-uploaded = Hochgeladen

## Kanäle

channel = Kanal
channels = Kanäle
channels-text = Ein Kanal wechselt zu jedem neuen Build, sobald die Virenprüfung nichts gefunden hat. Willst du den Build selbst bestimmen, stelle den Kanal um oder setze ihn zurück.
channels-none = Noch hat kein Kanal einen Build.
channel-for-all = Für alle Spieler.
channel-for-beta = { $count ->
    [one] Für alle, die an der Beta teilnehmen ({ $count } Spieler).
   *[other] Für alle, die an der Beta teilnehmen ({ $count } Spieler).
}
channel-for-team = Für dich und deine Admins.
channel-expires = Läuft am { $date } ab.
channel-expired = Am { $date } abgelaufen.
channel-roll-back = Zurücksetzen …
channel-roll-back-text = Downloads aus <strong>{ $channel }</strong> liefern wieder den Build davor. Gelöscht wird nichts, und du kannst den Kanal jederzeit wieder umstellen.
channel-roll-back-none = Es gibt keinen früheren Build, auf den du zurücksetzen kannst.
channel-roll-back-confirm = { $channel } zurücksetzen
channel-is-back = { $channel } wurde zurückgesetzt: { $changes }
channel-rolled-back-many = { $count ->
    [one] { $channel } wurde auf { $count } System zurückgesetzt
   *[other] { $channel } wurde auf { $count } Systemen zurückgesetzt
}
channel-changes = { $system } { $from } → { $version }
channel-gains = { $system } erhält den ersten Build, { $version }
channel-stays = { $system } bleibt bei { $version }
channel-stays-first = { $system } bleibt bei { $version }, es gibt keinen früheren Build
channel-history = Verlauf
channel-history-of = Verlauf von { $channel }
channel-moved = { $has_person ->
    [yes] { $platform }: gewechselt zu { $version }, von { $person }
   *[no] { $platform }: gewechselt zu { $version }
}
channel-promoted = { $has_person ->
    [yes] { $platform }: umgestellt auf { $version }, von { $person }
   *[no] { $platform }: umgestellt auf { $version }
}
channel-rolled-back = { $has_person ->
    [yes] { $platform }: zurückgesetzt auf { $version }, von { $person }
   *[no] { $platform }: zurückgesetzt auf { $version }
}
channel-lost = { $has_person ->
    [yes] { $platform }: { $version } gelöscht, von { $person }
   *[no] { $platform }: { $version } gelöscht
}
channel-withdrawn = { $has_person ->
    [yes] { $platform }: nach einem Rückzug gewechselt zu { $version }, von { $person }
   *[no] { $platform }: nach einem Rückzug gewechselt zu { $version }
}
channel-restored = { $has_person ->
    [yes] { $platform }: zurück zum wiederhergestellten Build { $version }, von { $person }
   *[no] { $platform }: zurück zum wiederhergestellten Build { $version }
}
channel-changed = { $has_person ->
    [yes] { $platform }: geändert auf { $version }, von { $person }
   *[no] { $platform }: geändert auf { $version }
}
channel-nothing = nichts
channel-percent = Prozent der Geräte
channel-percent-hint = Unter 100 bekommt nur dieser Teil der Installationen, die slipway aktuell hält, den Build. Alle anderen bekommen, was der Kanal jetzt ausliefert.
channel-promote-percent = { $percent } % der Installationen, die slipway aktuell hält, bekommen diesen Build. Für alle anderen behält der Kanal seinen.
channel-is-staged = { $channel } liefert den Build an { $percent } % der Geräte aus
channel-is-unstaged = { $channel } liefert wieder an alle Geräte seinen eigenen Build aus
channel-staged-line = { $platform }: { $percent } % der Geräte bekommen { $version }
channel-staged-percent = Prozent der Geräte, die { $version } auf { $platform } bekommen
channel-staged-change = Ändern
channel-staged-all = Für alle freigeben
channel-staged-end = Zurückziehen
channel-event-staged = { $has_person ->
    [yes] { $platform }: { $version } für { $percent } % der Geräte, von { $person }
   *[no] { $platform }: { $version } für { $percent } % der Geräte
}
channel-event-unstaged = { $has_person ->
    [yes] { $platform }: { $version } wurde zurückgezogen, von { $person }
   *[no] { $platform }: { $version } wurde zurückgezogen
}
channel-promote-title = Kanal auf einen Build umstellen
channel-promote = Umstellen
channel-promote-none = Ein Kanal kann auf einen Build umgestellt werden, sobald dessen Virenprüfung nichts gefunden hat.
channel-expires-after = Läuft ab nach (Stunden)
channel-expires-hint = Danach bietet der Kanal keine Downloads an, bis du ihn wieder auf einen Build umstellst. 0: nie.
channel-promote-choose = Build wählen
channel-promote-all = { $version }, alle Systeme
channel-build-missing = Wähle einen Build, auf den der Kanal umgestellt wird.
channel-promote-question = { $channel } auf { $version } umstellen?
channel-promote-stable = Alle Spieler erhalten diese Builds aus <strong>{ $channel }</strong>:
channel-promote-other = <strong>{ $channel }</strong> liefert dann diese Builds:
channel-promote-failing = { $version } startet oft nicht auf { $systems }: Die Stabilität beim Start ist problematisch.
channel-promote-expires = { $count ->
    [one] Der Kanal läuft nach { $count } Stunde ab.
   *[other] Der Kanal läuft nach { $count } Stunden ab.
}
channel-promote-confirm = Auf { $version } umstellen
channel-delivers = { $channel } liefert jetzt { $version } für { $systems }.
channel-delivers-many = { $channel } liefert jetzt { $version } für { $count } von { $total } Systemen.

## Debug-Symbole

symbols-none = Noch keine Symbole. Mit Symbolen zeigen die Aufruflisten der Absturzberichte Funktionsnamen und Zeilen.
symbols-upload = Symbole hochladen
symbols-upload-text = Symbole werden mit dem Deploy-Schlüssel hochgeladen, hier oder mit dem Uploader: { $command }. <link>Deploy-Schlüssel erstellen</link>
symbols-uploaded = Symbole hochgeladen
symbols-table = Debug-Symbole
symbols-debug-id = Debug-ID
symbols-file = Eine .sym-Datei oder ein .zip mit mehreren
symbols-delete = Löschen
symbols-delete-all = Alle Symbole löschen …
symbols-delete-all-text = Neue Absturzberichte dieses Builds zeigen dann Module und Positionen statt Funktionsnamen. Bereits aufgelöste Aufruflisten bleiben.
symbols-delete-all-confirm = Alle Symbole löschen
checksum-of-file = SHA-256 der Datei
checksum-hint = Führe { $command } aus. Mit JavaScript wird das Feld für dich ausgefüllt.

## Deploy-Schlüssel

deploy-key = Deploy-Schlüssel
deploy-key-text = Für den <link>Uploader</link> auf deinem Build-Server. Mit ihm kann der Server Builds registrieren und Dateien, Symbole und Bilder hochladen. Die Seite bearbeiten, Kanäle umstellen oder Berichte lesen kann er nicht.
deploy-key-create = Deploy-Schlüssel erstellen
deploy-key-new = <strong>Kopiere beide Werte jetzt, sie werden nur einmal angezeigt.</strong> Speichere sie als Geheimnisse deines Build-Servers.
deploy-access-token = Zugriffstoken
deploy-secret-key = geheimer Schlüssel
deploy-key-created = erstellt am { $date }
deploy-key-replace = Deploy-Schlüssel ersetzen
deploy-key-replace-text = Der jetzige Schlüssel wird sofort ungültig. Uploads schlagen fehl, bis dein Build-Server den neuen hat.
deploy-key-revoke-open = Widerrufen …
deploy-key-revoke = Deploy-Schlüssel widerrufen
deploy-key-revoke-text = Build-Server können erst wieder hochladen, wenn du einen neuen Schlüssel erstellst.
deploy-key-revoked = Deploy-Schlüssel widerrufen

## Build

build-about = Über diesen Build
build-version = Build { $version }
build-file = Datei
build-zip = Zip-Datei
build-upload = Hochladen
build-upload-another = Weiteres Zip hochladen
build-uploaded = Hochgeladen. Die Datei wird geprüft.
build-uploaded-by = Hochgeladen mit
build-by-website = der Website
build-by-key = Deploy-Schlüssel { $key }
build-threat = Die Virenprüfung hat etwas gefunden: { $findings }. Die Datei wurde entfernt; lade ein sauberes Zip hoch.
build-checksum = Prüfsumme
checksum-of-zip = SHA-256 des Zips
build-kind = Art
build-app = App
build-engine = Engine-Version
build-no-engine = nicht angegeben
build-registered-at = Registriert
build-id = Build-ID
build-id-hint = Build-ID, für Absturz- und Ereignisberichte
build-health = Stabilität beim Start
build-health-text = { $count ->
    [one] { $count } Gerät, { $started } gestartet, { $crashed } beim Start abgestürzt
   *[other] { $count } Geräte, { $started } gestartet, { $crashed } beim Start abgestürzt
}
build-health-signed = { $percent } dieser Geräte haben das Token eines Spielers gesendet.
build-health-all = Stabilität aller Builds
build-crashes = Absturzberichte dieses Builds
build-active-devices = Aktive Geräte
build-withdraw = Build zurückziehen
build-withdraw-text = Einen zurückgezogenen Build kann niemand herunterladen oder installieren, und seine Kanäle kehren zum Build davor zurück. Wer ihn hat, sieht deinen Grund. Du kannst ihn jederzeit wiederherstellen.
withdrawal-reason = Grund
withdrawal-reason-hint = Einfacher Text, den alle lesen können, die den Build haben.
withdrawal-replacement = Ersatz
withdrawal-replacement-none = Keiner
withdrawal-replacement-hint = Was Spieler stattdessen nehmen sollen.
build-withdraw-confirm = { $version } zurückziehen
build-withdrawn = Build zurückgezogen
build-withdrawal = Zurückgezogen
# Variables: $date: when it was withdrawn.
build-withdrawn-since = Dieser Build wurde am { $date } zurückgezogen. Niemand kann ihn herunterladen oder installieren.
build-withdrawal-change = Grund oder Ersatz ändern
build-withdrawal-save = Änderungen speichern
build-restore = Wiederherstellen …
build-restore-text = Spieler können den Build wieder herunterladen. Kanäle, die nur sein Rückzug bewegt hat, kehren zu ihm zurück.
build-restore-confirm = { $version } wiederherstellen
build-restored = Build wiederhergestellt
build-delete = Build löschen
build-delete-open = Löschen …
build-delete-text = Die Dateien und Absturzberichte des Builds werden endgültig gelöscht. Kanäle, die auf ihn zeigen, kehren zum Build davor zurück.
build-delete-confirm = { $version } löschen
build-deleted = Build gelöscht
symbols-deleted = Symbole gelöscht
symbols-file-deleted = Symboldatei gelöscht
bundle-check = Fremde Inhalte
bundle-check-text = Asset-Pakete anderer Entwickler in diesem Build und ihre Lizenzen. Gesperrt wird dadurch nichts.
packs-found = In diesem Build gefundene Asset-Pakete
packs-none = Keine Asset-Pakete gefunden
packs-none-text = Dateien ab 1 kB werden mit den Asset-Paketen dieses Stores verglichen. Das Ergebnis sehen nur du und deine Admins.
pack = Asset-Paket
pack-license = Lizenz
pack-files = Dateien
pack-examples = Beispiele
pack-unlicensed = nicht lizenziert
pack-attribution = Namensnennung nötig
pack-licensed = lizenziert
pack-owned = dein eigenes

## Liste der Builds

builds-all = Alle Builds
builds-none = Noch keine Builds
builds-none-text = Lade oben dein erstes Zip hoch, oder lass es deinen Build-Server mit einem Deploy-Schlüssel hochladen.
build-in-channel = Jetzt in { $channel }
build-no-file = Noch keine Datei. <link>Zip hochladen</link>
build-devices = { $count ->
    [one] { $count } Gerät in { $days } Tagen
   *[other] { $count } Geräte in { $days } Tagen
}

## Neuer Build

build-new = Neuer Build
build-new-text = Jedes Zip wird untersucht und geprüft, bevor es jemand herunterladen kann.
build-channel-hint = stable: alle Spieler. beta: alle, die an der Beta teilnehmen. dev oder ein eigener Name: du und deine Admins.
processor-usual = Üblich für das System
processor-none = Keiner
build-processor = Prozessor
build-title = Titel
build-changelog = Änderungen
build-changelog-hint = Eine Änderung pro Zeile.
build-engine-hint = Die Kompatibilität von Mods wird mit diesem Build verglichen.
build-more-fields = Titel, Änderungen, Engine-Version, Threads im Browser
build-launch = So wird er gestartet
build-launch-text = Für slipway und Launcher. Ohne diese Angabe gilt eine slipway.yml im Build, und sonst wird das wahrscheinlichste Programm gestartet.
build-launch-program = Programm
build-launch-program-hint = Sein Pfad im Build, zum Beispiel bin/game.x86_64. Wenn der Build keine solche Datei hat, zählt die Angabe nicht.
build-launch-args = Argumente
build-launch-args-hint = Eines pro Zeile.
build-launch-folder = Arbeitsordner
build-launch-folder-hint = Der Ordner, in dem es gestartet wird; ohne Angabe der oberste des Builds.
build-launch-save = Speichern
build-launch-saved = Gespeichert. Das gilt ab jetzt für Installationen und Updates.
build-isolation = Threads im Browser
build-isolation-hint = Nur für Browser-Builds. Threads brauchen eine isolierte Seite, und die kann keine Dateien anderer Websites laden, die das nicht erlauben.
build-isolation-default = Wie bisher; an für einen neuen Build
build-isolation-on = An: die Seite ist isoliert
build-isolation-off = Aus: die Seite ist nicht isoliert
build-isolation-save = Speichern
build-isolation-saved = Gespeichert. Es gilt für alle, die das Spiel ab jetzt öffnen.
build-play = Im Browser spielen
build-play-this = Diesen Build spielen
build-playable = Lässt sich im Browser spielen.
build-not-playable = Nicht im Browser spielbar
build-play-warnings = Er lässt sich spielen, aber manche Dateien werden vielleicht nicht geladen:
build-register = Build registrieren
build-registered = Build registriert. Lade als Nächstes sein Zip hoch.
upload-file-hint = Höchstens { $size }. Einen unterbrochenen Upload kannst du fortsetzen: Wähle dieselbe Datei noch einmal.
upload-without-script = Ohne JavaScript registrierst du den Build hier und lädst sein Zip auf der Seite des Builds hoch, oder du nimmst den <link>Uploader</link>.
upload-confirm = Ein Build für stable erreicht alle Spieler. <link>Bestätige, dass du es bist</link>, und klicke dann noch einmal auf „Hochladen“.
upload-pause = Anhalten
upload-resume = Fortsetzen
upload-discard = Verwerfen
upload-offer = Der Upload von { $file } (Version { $version }, { $system }) wurde bei { $percent } % unterbrochen.
upload-choose-again = Wähle { $file } und klicke auf „Hochladen“, um dort weiterzumachen.
upload-not-zip = { $file } ist keine Zip-Datei. Wähle eine .zip-Datei.
upload-too-large = { $file } hat { $size }. Erlaubt sind höchstens { $max }.
upload-reading = Datei wird gelesen, { $percent } %
upload-paused = Angehalten. Klicke auf „Hochladen“, um weiterzumachen.
upload-lost = Die Verbindung wurde unterbrochen. Klicke auf „Hochladen“, um dort weiterzumachen.
upload-failed = Der Upload ist mit Status { $status } fehlgeschlagen
upload-waiting = Warten auf die Verbindung
upload-progress = { $done } von { $size }, { $speed }/s
upload-remaining = { $progress }, noch etwa { $time }
upload-scanning = Hochgeladen. Die Datei wird geprüft …
upload-scanned = Hochgeladen und geprüft. Es wurde nichts gefunden.
# Variables: $first, $second (String): paths of files in a zip.
upload-collision = „{ $first }“ und „{ $second }“ sind auf Windows und macOS derselbe Name, eine der beiden Dateien geht dort verloren. Benenne eine um und lade das Zip noch einmal hoch.
upload-open-build = Build öffnen
upload-refused = Die Virenprüfung hat die Datei abgelehnt: { $findings }. Lade ein sauberes Zip hoch.
