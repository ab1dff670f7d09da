# Builds eines Projekts: Kanäle, Debug-Symbole und Deploy-Schlüssel.

column-platform = Plattform
column-size = Größe
column-uploaded = Hochgeladen

## Kanäle

channel = Kanal
channels = Kanäle
channels-text = Ein Kanal wechselt zu jedem neuen Build, sobald dessen Prüfung nichts gefunden hat. Willst du den Build selbst bestimmen, stelle den Kanal um oder setze ihn zurück.
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
channel-roll-back-text = Downloads aus <strong>{ $channel }</strong> liefern wieder den Build vor { $version }. Gelöscht wird nichts, und du kannst den Kanal jederzeit wieder auf { $version } umstellen.
channel-roll-back-confirm = { $channel } zurücksetzen
channel-is-back = { $channel } liefert wieder { $version }
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
channel-changed = { $has_person ->
    [yes] { $platform }: geändert auf { $version }, von { $person }
   *[no] { $platform }: geändert auf { $version }
}
channel-nothing = nichts
channel-promote-title = Kanal auf einen Build umstellen
channel-promote = Umstellen
channel-promote-none = Ein Kanal kann auf einen Build umgestellt werden, sobald dessen Prüfung nichts gefunden hat.
channel-expires-after = Läuft ab nach (Stunden)
channel-expires-hint = 0: nie
channel-delivers = { $channel } liefert jetzt { $version }

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

build-version = Build { $version }
build-file = Datei
build-zip = Zip-Datei
build-upload = Hochladen
build-upload-another = Weiteres Zip hochladen
build-uploaded = Hochgeladen. Die Datei wird geprüft.
build-uploaded-by = Hochgeladen mit
build-by-website = der Website
build-by-key = Deploy-Schlüssel { $key }
build-threat = Die Prüfung hat etwas gefunden: { $findings }. Die Datei wurde entfernt; lade ein sauberes Zip hoch.
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
build-health-all = Stabilität aller Builds
build-crashes = Absturzberichte dieses Builds
build-active-devices = Aktive Geräte
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
