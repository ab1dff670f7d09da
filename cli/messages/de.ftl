# Texte des Uploaders. Zahlen kommen als Text an, außer denen, die einen Plural bestimmen.

## Anzahlen, als Teil eines Satzes

count-files = { $count ->
    [one] { $count } Datei
   *[other] { $count } Dateien
}
count-builds = { $count ->
    [one] { $count } Build
   *[other] { $count } Builds
}
count-images = { $count ->
    [one] { $count } Bild
   *[other] { $count } Bilder
}
count-gallery-images = { $count ->
    [one] { $count } Galeriebild
   *[other] { $count } Galeriebilder
}
count-symbol-files = { $count ->
    [one] { $count } Symboldatei
   *[other] { $count } Symboldateien
}
count-minutes = { $count ->
    [one] { $count } Minute
   *[other] { $count } Minuten
}
count-hours = { $count ->
    [one] { $count } Stunde
   *[other] { $count } Stunden
}
count-days = { $count ->
    [one] { $count } Tag
   *[other] { $count } Tagen
}

## Rahmen der Meldungen

error = Fehler: { $message }
api-error = API-Fehler [{ $code }]: { $message }
hint = Tipp: { $hint }
warning = Warnung: { $message }
interrupted = abgebrochen
bug-hint = das ist ein Fehler in slipway; bitte melde ihn mit dem Befehl, den du ausgeführt hast
needs-subcommand = slipway { $command } braucht einen Unterbefehl

## Hilfe

help-about = slipway veröffentlicht Builds auf einem Slipway-Server und installiert Spiele.
help-group = { $count ->
    [one] { $count } Befehl von slipway { $group }.
   *[other] Die { $count } Befehle von slipway { $group }.
}
help-usage = Aufruf:
help-usage-command = <command> [Optionen]
help-flags-word = [Optionen]
help-commands = Befehle:
help-arguments = Argumente:
help-flags = Optionen:
help-global-flags = Optionen aller Befehle:
help-environment = Umgebungsvariablen:
help-exit-codes = Exit-Codes:
help-examples = Beispiele:
help-publish = Einen Ordner veröffentlichen:
help-more = slipway help <command> zeigt Einzelheiten zu einem Befehl.
help-required = erforderlich
help-default = Standard: { $value }
help-many = mehrfach möglich

env-access-token = Zugriffstoken deines Deploy-Schlüssels
env-secret-key = Geheimer Schlüssel deines Deploy-Schlüssels
env-api-url = Adresse des Servers, mit oder ohne /api/v1
env-upload-url = Adresse für Uploads; sonst die der API
env-proxy = Proxy, und Hosts, die ohne ihn erreicht werden
env-tmpdir = Ordner für temporäre Zips
env-timeout = Zeitlimit für einen Server, der nichts sendet (Standard: 600)
env-retry = Wartezeit vor dem ersten neuen Versuch; sie verdoppelt sich jedes Mal (Standard: 1)
env-language = Sprache der Ausgabe, zum Beispiel de_DE.UTF-8; --json ist immer englisch

exit-done = Erledigt
exit-usage = Lokaler Fehler; es wurde nichts gesendet
exit-refused = Der Server hat die Anfrage abgelehnt
exit-network = Der Server war nach fünf Versuchen nicht erreichbar
exit-not-clean = Die Virenprüfung war nicht in Ordnung
exit-interrupted = Abgebrochen; derselbe Befehl macht weiter

## Optionen mehrerer Befehle

flag-access = Zugriffstoken deines Deploy-Schlüssels, statt SVC_ACCESS_TOKEN
flag-secret = Geheimer Schlüssel deines Deploy-Schlüssels; andere Benutzer sehen ihn, nimm also besser SVC_SECRET_KEY
flag-secret-stdin = Liest den geheimen Schlüssel aus der ersten Zeile der Standardeingabe
flag-secret-file = Liest den geheimen Schlüssel aus einer Datei, die nur du lesen kannst
flag-url = Adresse des Servers, mit oder ohne /api/v1, statt SVC_API_URL
flag-upload = Adresse für Uploads, statt SVC_UPLOAD_URL; sonst die der API
flag-json = Gibt ein JSON-Objekt aus; alles andere geht an die Standardfehlerausgabe
flag-version = Gibt die Version von slipway aus
flag-help = Zeigt diese Hilfe
flag-os = windows, macos, linux, android, ios oder web
flag-arch = x86_64, x86, arm64, arm32, arm, universal, wasm32 oder wasm
flag-channel = stable, beta, dev oder ein eigener
flag-app = App des Projekts, zum Beispiel server; sonst die Haupt-App
flag-app-name = Anzeigename dieser App
flag-engine-version = Version der Engine, mit der der Build gemacht wurde
flag-coep = Für Browser-Builds: off spielt ohne Cross-Origin-Isolation, also ohne Threads
flag-symbols = Debug-Symbole zum Hochladen: eine .sym-Datei, ein Ordner oder ein .zip davon
flag-type = Art des Builds
flag-build-version = Version des Builds
flag-wait = Wartet auf die Virenprüfung; Exit-Code { $code }, wenn sie nicht in Ordnung ist
flag-wait-minutes = Wie lange auf die Prüfung gewartet wird

## Befehle

push = Veröffentlicht einen Ordner: registriert den Build, packt ihn und lädt ihn hoch
push-details-content = Unterordner, Ausführungsrechte und Links innerhalb des Ordners bleiben erhalten, und dieselben Dateien ergeben immer dasselbe Zip. Eine Datei .slipwayignore schließt Dateien aus, mit der Syntax einer .gitignore. Du kannst auch eine einzelne Datei oder ein vorhandenes .zip veröffentlichen.
push-details-resume = Registriert wird erst, wenn das Zip fertig ist. Derselbe Befehl setzt einen unterbrochenen Upload fort.
push-dir = Ordner, Datei oder .zip zum Veröffentlichen
push-version = Version des Builds, höchstens 32 Zeichen
push-title = Titel des Builds; sonst die Version
push-description = Was darin neu ist
push-executable = Programm, das das Spiel startet, als Pfad im Ordner
push-args = Argument, mit dem das Programm gestartet wird; für mehrere wiederholen, als --args=-x
push-ignore = Schließt Dateien aus, wie eine Zeile in .slipwayignore
push-wrap = Legt alles in einen Ordner mit diesem Namen
push-percent = Gibt zuerst für diesen Prozentsatz der Geräte frei, von 1 bis 100; der Kanal behält seinen Build
push-whole = Sendet die ganze Zip-Datei, auch wenn der Store das meiste davon hat
push-base = Ordner mit der Version, die der Store hat: Patches dagegen sind kleiner (braucht das Programm zstd)
push-dry-run = Zeigt, was gesendet würde, und sendet nichts
push-if-changed = Lädt nichts hoch, wenn die neueste Datei dieser Plattform und dieses Kanals denselben Inhalt hat

status = Zeigt einen Build, seine Dateien und die Ergebnisse der Virenprüfung
status-details = Exit-Code { $code }, wenn die neueste Datei einer Plattform abgelehnt wurde, mit --wait auch, wenn die Prüfung nicht rechtzeitig in Ordnung war.
status-build = Die ID, die build, addfiles und push ausgeben

yank = Zieht einen Build zurück: Niemand lädt oder installiert ihn mehr
yank-details = Kanäle kehren zum Build davor zurück, und Spieler, die ihn heruntergeladen haben, sehen den Grund. Eine Version steht für alle ihre Builds oder für die einer Plattform, eines Kanals oder einer App. Nichts wird gelöscht: --undo holt die Builds zurück.
yank-build = Version oder die ID eines Builds
yank-reason = Der Grund, für alle, die den Build haben; höchstens 500 Zeichen
yank-replacement = Was man stattdessen nehmen soll
yank-undo = Stellt zurückgezogene Builds wieder her

serve = Stellt einen Ordner so bereit, wie der Store Spiele im Browser zeigt, zum Ausprobieren
serve-details-headers = Dateien haben die Header, Medientypen und Adressen, die sie im Store haben: Cross-Origin-Isolation für Threads, eine Richtlinie, nach der das Spiel nur mit sich selbst, der API und --connect spricht, und .br- und .gz-Dateien mit ihrer Kodierung. Nur dieser Rechner erreicht es.
serve-details-end = Gibt die Adresse aus und läuft, bis es unterbrochen wird (Strg+C); das ist Exit-Code 0. Zuerst steht da, wovor der Store warnen würde, später jede Adresse, zu der es keine Datei gibt.
serve-dir = Ordner mit einer index.html oder mit einem Ordner, der sie enthält
serve-port = Port auf diesem Rechner; 0 nimmt einen freien
serve-connect = Ein Server, den die Seite des Spiels nennt, etwa wss://rooms.example
serve-not-folder = { $path } ist kein Ordner
serve-port-invalid = --port: „{ $text }“ ist kein Port; nimm eine Zahl von 0 bis 65535
serve-port-used = Port { $port } ist belegt
serve-cannot-listen = Port { $port } lässt sich nicht öffnen: { $reason }
serve-port-hint = wähle mit --port einen anderen, oder mit --port 0 irgendeinen freien
serve-coep-invalid = --coep: „{ $text }“ ist weder on noch off
serve-connect-invalid = --connect: „{ $text }“ ist kein Ursprung wie https://api.example oder wss://rooms.example:8443
serve-running = { $folder } wird bereitgestellt; Strg+C beendet es
serve-missing = 404 { $address }
serve-other-host = Nimm die Adresse, die ausgegeben wurde
serve-only-read = Dateien eines Spiels werden nur gelesen
serve-nothing = Hier ist nichts

info = Zeigt das Spiel, zu dem dein Deploy-Schlüssel gehört

builds-list = Listet die Builds deines Spiels auf, die neuesten zuerst
builds-list-version = Nur diese Version
builds-list-page = Seite, von 1 bis 10000
builds-list-page-size = Builds pro Seite, von 1 bis 100

symbols = Lädt Debug-Symbole eines Builds hoch, für lesbare Absturzberichte
symbols-details = Nimmt .sym-Dateien von Breakpad, wie dump_syms sie erstellt. Ein Ordner wird nach .sym-Dateien durchsucht, die in so vielen Uploads wie nötig gesendet werden.
symbols-path = Eine .sym-Datei, ein Ordner oder ein .zip mit mehreren
symbols-build = Der Build, zu dem sie gehören

media-size = PNG, JPEG, GIF oder WebP, 16:9, von { $min } bis { $max }, höchstens { $size } MB
media-list = Listet die Bilder deiner Seite auf
media-cover = Setzt das Titelbild deiner Seite
media-thumbnail = Setzt das Vorschaubild deiner Seite
media-slot-details = { $rule }. Es ersetzt das bisherige.
media-image = Das Bild
media-add = Fügt der Galerie Bilder hinzu
media-add-details = Je Bild: { $rule }. Eine Galerie fasst { $max }.
media-add-images = 1 bis { $max } Bilder
media-add-position = Position des ersten, von 0 bis { $max }; sonst am Ende
media-delete = Löscht ein Bild
media-delete-image = Die uid eines Galeriebildes, oder cover oder thumbnail
media-move = Verschiebt ein Galeriebild
media-move-to = Neue Position, von 0 bis { $max }
media-order = Ordnet die Galerie neu
media-order-images = Jedes Galeriebild einmal, in der neuen Reihenfolge

genbuild = Schreibt eine build.yml für den Anfang, in den aktuellen Ordner
genbuild-images = Ordner mit Bildern: eines namens cover, eines namens thumbnail, bis zu 20 weitere für die Galerie
genbuild-force = Ersetzt eine vorhandene build.yml
genbuild-title = Build ohne Titel
genbuild-description = Beschreibe diesen Build hier.

addchangelog = Fügt dem Änderungsprotokoll von build.yml im aktuellen Ordner einen Eintrag hinzu
addchangelog-title = Was neu ist, in einer Zeile
addchangelog-description = Was neu ist, ausführlich

build = Registriert den Build, den eine build.yml beschreibt, einmal je Plattform
build-details-output = Gibt SVC_GAMES_APP_ID und SVC_GAMES_BUILD_ID für deine Absturzberichte aus und lädt die Bilder hoch, die die Datei nennt und deine Seite noch nicht hat. Bilder werden nach ihrem Inhalt verglichen, und keines wird entfernt.
build-details-platforms = --os, --arch und --channel ersetzen die Plattformen der Datei.
build-asset = Die build.yml

setfiles = Schreibt eine addfiles.yml mit allen Dateien eines Ordners, in den aktuellen Ordner
setfiles-files = Der Ordner

addfiles = Packt die Dateien, die eine addfiles.yml nennt, und lädt sie hoch
addfiles-details = Nimmt den Build, der für diese Version und Plattform registriert ist, oder registriert einen. Namen im Zip beginnen bei root; ohne Angabe ist das der Ordner der Datei.
addfiles-asset = Die addfiles.yml

help = Zeigt die Hilfe eines Befehls, wie seine Option --help
help-command = Der Befehl, zum Beispiel push oder media add

completion = Gibt ein Skript zur Vervollständigung für deine Shell aus
completion-details = Lade es beim Start deiner Shell, zum Beispiel: slipway completion bash > ~/.local/share/bash-completion/completions/slipway
completion-shell = bash, zsh, fish oder powershell
completion-unknown = für „{ $shell }“ gibt es keine Vervollständigung
completion-unknown-hint = wähle eine von { $shells }

gendocs = Schreibt die Befehlsreferenz als Markdown
gendocs-dir = Wohin sie geschrieben wird
gendocs-title = Befehle des Uploaders
gendocs-about = Erstellt mit `slipway gendocs`. Eine Anleitung steht in [uploader.md](uploader.md).
gendocs-global-flags = Optionen aller Befehle
gendocs-environment = Umgebungsvariablen
gendocs-exit-codes = Exit-Codes
gendocs-flag = Option
gendocs-name = Name
gendocs-code = Code

## Die Befehlszeile

args-no-command = den Befehl „{ $command }“ gibt es nicht
args-did-you-mean = meintest du slipway { $command }?
args-list-commands = slipway --help listet die Befehle auf
args-no-value = --{ $flag } hat keinen Wert
args-needs-value = --{ $flag } braucht einen Wert: --{ $flag } { $value }
args-unknown-flag = unbekannte Option { $flag }
args-did-you-mean-flag = meintest du --{ $flag }?
args-list-flags = slipway --help listet die Optionen auf
args-list-command-flags = slipway { $command } --help listet die Optionen auf
args-needs-argument = slipway { $command } braucht { $argument }: { $meaning }
args-needs-flag = slipway { $command } braucht --{ $flag } { $value }
args-too-many = slipway { $command } kann mit „{ $argument }“ nichts anfangen
args-see-help = siehe slipway { $command } --help

## Einstellungen

settings-no-access = es ist kein Zugriffstoken gesetzt
settings-no-access-hint = setze SVC_ACCESS_TOKEN auf das Zugriffstoken deines Deploy-Schlüssels, oder verwende --access
settings-no-secret = es ist kein geheimer Schlüssel gesetzt
settings-no-secret-hint = setze SVC_SECRET_KEY auf den geheimen Schlüssel deines Deploy-Schlüssels, oder verwende --secret-stdin
settings-bad-access = das Zugriffstoken enthält Zeichen, die kein Schlüssel hat
settings-bad-secret = der geheime Schlüssel enthält Zeichen, die kein Schlüssel hat
settings-copy-again = kopiere den Wert noch einmal aus dem Dashboard
settings-address-hint = sie sieht aus wie https://games.example.com/api/v1
settings-not-address = { $name }: „{ $text }“ ist keine Adresse
settings-address-login = { $name }: lass Benutzername und Passwort in der Adresse weg
settings-address-query = { $name }: lass Abfrage und Fragment in der Adresse weg
settings-unencrypted = { $name }: { $address } würde den geheimen Schlüssel unverschlüsselt senden
settings-unencrypted-hint = verwende https; http ist nur für diesen Rechner
settings-path-hint = prüfe --url und --upload: die Adresse einer API endet auf { $path }, { $base } aber nicht
settings-secret-once = gib den geheimen Schlüssel nur einmal an: { $flags }
settings-or = { $first } oder { $second }
settings-secret-visible = --secret können alle Benutzer dieses Rechners sehen; verwende SVC_SECRET_KEY, --secret-stdin oder --secret-file
settings-long-line = die erste Zeile der Standardeingabe ist länger als { $max } Bytes
settings-file-unreadable = --secret-file: { $path } kann nicht gelesen werden ({ $code })
settings-file-large = --secret-file: { $path } ist keine kleine Datei
settings-file-public = --secret-file: andere können { $path } lesen
settings-file-public-hint = beschränke die Rechte: chmod 600 { $path }
settings-not-seconds = { $name }: „{ $text }“ ist keine Zahl von Sekunden bis 7200

## Der Server

api-not-json = der Server antwortete mit HTTP { $status } und { $content }
api-nothing = ohne Inhalt
api-web-page = einer Webseite
api-other-content = etwas, das kein JSON ist
api-content-start = { $kind }: { $start }
api-moved = { $base } leitet an { $host } weiter, und dorthin wird dein Schlüssel nicht gesendet; verwende --url (und --upload) mit der neuen Adresse
api-check-url = prüfe --url: es muss die Adresse eines Slipway-Servers sein, für den kein Proxy antwortet
api-withdrawn = der Anbieter hat diesen Build zurückgezogen: { $reason }
api-no-reason = der Server antwortete mit HTTP { $status } ohne Begründung
api-wait = { $message }; die nächste Anfrage nimmt der Server in etwa { $time } an

retry = { $message }; neuer Versuch in { $time } (Versuch { $attempt } von { $max })

network-redirects = der Server leitet mehr als { $max } Mal weiter
network-check-url = prüfe --url
network-redirect-hint = wenn { $host } richtig ist, gib es mit --url (und --upload) an
network-redirect-unknown-hint = wenn die neue Adresse richtig ist, gib sie mit --url (und --upload) an
network-redirect-scheme = der Server leitet an eine Adresse weiter, die weder http noch https ist
network-redirect-plain = der Server leitet an http ({ $host }) weiter, was den Upload nicht verschlüsseln würde
network-redirect-method = der Server leitet { $method }-Anfragen an { $address } weiter
network-no-answer = die Verbindung wurde ohne Antwort geschlossen
network-two-hours = die Anfrage dauerte länger als zwei Stunden
network-silent = der Server hat { $seconds } Sekunden lang nichts gesendet
network-connect-slow = die Verbindung kam in 30 Sekunden nicht zustande
network-tls-slow = der TLS-Handshake dauerte länger als { $time }
network-answer-large = die Antwort ist größer als 8 MiB
network-answer-large-hint = prüfe --url: ist das ein Slipway-Server?
network-answer-cut = die Verbindung wurde vor dem Ende der Antwort geschlossen
network-refused = die Verbindung wurde abgelehnt
network-refused-hint = läuft der Server, und stimmt die Adresse?
network-no-host = diesen Host gibt es nicht
network-no-host-hint = prüfe --url oder SVC_API_URL
network-unresolved = der Name des Hosts konnte nicht aufgelöst werden
network-unresolved-hint = prüfe das Netzwerk
network-reset = die Verbindung wurde zurückgesetzt
network-closed-sending = die Verbindung wurde beim Senden geschlossen
network-timed-out = Zeitüberschreitung der Verbindung
network-not-http = der Server spricht kein HTTP
network-not-tls = der Server spricht kein TLS
network-port-hint = prüfe den Port, und ob es http oder https ist
network-untrusted = { $host }: dem Zertifikat wird nicht vertraut ({ $code })
network-untrusted-hint = setze für eine eigene Zertifizierungsstelle NODE_EXTRA_CA_CERTS

proxy-not-address = HTTPS_PROXY ist nicht die Adresse eines http-Proxys
proxy-not-address-hint = sie sieht aus wie http://proxy.example.com:3128
proxy-login = HTTPS_PROXY: Benutzername oder Passwort enthält ein %, das nichts maskiert
proxy-login-hint = schreibe darin %25 für ein %
proxy-hint = prüfe HTTPS_PROXY und NO_PROXY
proxy-unreachable = der Proxy { $proxy } ist nicht erreichbar: { $reason }
proxy-refused = der Proxy { $proxy } verbindet nicht mit { $target } (HTTP { $status })
proxy-silent = keine Antwort

## Tipps zu Ablehnungen, nach Fehlercode

hint-4020 = setze SVC_ACCESS_TOKEN, oder verwende --access
hint-4021 = setze SVC_SECRET_KEY, oder verwende --secret-stdin oder --secret-file
hint-4022 = prüfe SVC_ACCESS_TOKEN: ein neuer Schlüssel macht den vorigen ungültig
hint-4023 = erstelle im Dashboard einen neuen Deploy-Schlüssel und hinterlege beide Werte auf deinem Build-Server
hint-4024 = Zugriffstoken und geheimer Schlüssel müssen zum selben Deploy-Schlüssel gehören
hint-4025 = prüfe SVC_ACCESS_TOKEN und SVC_SECRET_KEY: sie müssen ein Deploy-Schlüssel dieses Spiels sein
hint-4026 = eine Version hat höchstens { $version } Zeichen, ein Titel { $title }, ein Änderungsprotokoll { $changelog } Einträge
hint-4037 = die Datei kam nicht an; vielleicht hat ein Proxy dazwischen das Formular gekürzt
hint-4038 = nenne den Build mit --build-id, oder registriere ihn zuerst mit slipway build
hint-4039 = registriere den Build zuerst mit slipway build, und prüfe --app
hint-4041 = prüfe --os, --arch und --channel; die Meldung nennt das Problem
hint-4043 = ein Zip darf bis zu { $max } haben: schließe Dateien mit .slipwayignore aus
hint-4044 = derselbe Befehl setzt den Upload fort
hint-4045 = die Upload-Sitzung ist abgelaufen; führe denselben Befehl noch einmal aus
hint-4046 = die Bytes haben sich auf der Platte oder unterwegs geändert; führe denselben Befehl noch einmal aus
hint-4049 = Symbole sind .sym-Dateien von Breakpad, die mit einer MODULE-Zeile beginnen, oder ein Zip davon
hint-4096 = wem das Spiel gehört, muss zuerst auf der Website die E-Mail-Adresse bestätigen
hint-4150 = ein Bild ist cover, thumbnail oder gallery
hint-4151 = die Größen stehen in docs/uploader.md; erlaubt sind PNG, JPEG, GIF und WebP
hint-4152 = entferne zuerst eines: slipway media delete <uid>
hint-4153 = ersetze es stattdessen: slipway media cover <image>
hint-4154 = slipway media list zeigt die uids; nenne jede davon einmal
hint-4166 = prüfe die Filter; slipway builds list --help zeigt sie
hint-4290 = zu viele Anfragen; warte und führe den Befehl noch einmal aus
hint-4291 = zu viele Uploads für dieses Spiel; warte und führe den Befehl noch einmal aus

## Regeln des Servers, nach ihren Gründen

rule-max-length = verwende höchstens { $count } Zeichen
rule-write-something = schreibe etwas, höchstens { $count } Zeichen
rule-one-line = schreibe eine Zeile ohne Steuerzeichen
rule-control-characters = entferne die Steuerzeichen
rule-not-in-list = erlaubt ist nur: { $allowed }
rule-list-length = höchstens { $max } Einträge; hier sind es { $count }
rule-channel = „{ $value }“ ist kein Name für einen Kanal; verwende höchstens 32 Kleinbuchstaben, Ziffern, - und _, und beginne mit einem Buchstaben oder einer Ziffer
rule-version = „{ $value }“ ist keine Version; schreibe Zahlen wie 4.2, 4.2.1 oder 4.3-beta2
rule-app = „{ $value }“ ist kein Name für eine App; verwende höchstens 32 Kleinbuchstaben, Ziffern und Bindestriche
rule-app-missing = gib mit app_name auch app an
rule-http-link = gib eine vollständige http- oder https-Adresse an
rule-symbols-module = die erste Zeile muss MODULE <os> <arch> <debug id> <name> sein
rule-symbols-system = unbekanntes System; erlaubt ist nur: { $allowed }
rule-symbols-debug-id = die Debug-ID besteht aus 32 Zeichen 0-9 und A-F, danach 1 bis 8 Hexadezimalziffern für das Alter
rule-symbols-name = Modulname oder Architektur ist zu lang oder hat Steuerzeichen

## Dateien

file-missing = { $path } gibt es nicht
file-forbidden = { $path } darf nicht gelesen werden
file-unreadable = { $path } kann nicht gelesen werden ({ $code })
file-unwritable = { $path } kann nicht geschrieben werden ({ $code })
file-no-permission = { $path } darf nicht gelesen oder geändert werden
file-no-permission-hint = prüfe, wem die Datei gehört, oder führe den Befehl als dieser Benutzer aus
file-not-folder = { $path } kann kein Ordner sein: ein Teil davon ist eine Datei
file-read-only = { $path } liegt auf einem Datenträger, auf den nicht geschrieben werden kann
file-read-only-hint = hänge den Datenträger beschreibbar ein, oder wähle einen anderen Ordner
disk-full = der Datenträger ist voll
file-disk-full = der Datenträger von { $path } ist voll
file-disk-full-hint = gib Platz frei, und führe denselben Befehl dann noch einmal aus
file-not-file = { $path } ist keine Datei
file-not-utf8 = { $path }: der Name ist kein gültiges UTF-8
file-rename-hint = benenne die Datei um
file-written = { $path } geschrieben
file-changed-uploading = { $path } hat sich während des Hochladens geändert
file-changed-uploading-hint = lass den Build fertig werden, und führe den Befehl dann noch einmal aus
file-changed-packing = { $path } hat sich während des Packens geändert
file-changed-packing-hint = lass den Build fertig werden, und versuche es dann noch einmal
file-link-outside = { $path } ist ein Link, der aus dem Ordner hinausführt, nach { $target }
file-link-outside-hint = kopiere sein Ziel in den Ordner, oder schließe den Link mit .slipwayignore aus
file-name-hint = benenne die Datei um, oder schließe sie mit .slipwayignore aus
file-name-characters = { $path }: Namen dürfen keine umgekehrten Schrägstriche oder Steuerzeichen haben
file-name-drive = { $path } wäre unter Windows ein Laufwerk
file-name-long = { $path }… ist länger als { $max } Bytes

temporary-unwritable = in { $path } kann nichts geschrieben werden ({ $code })
temporary-hint = setze TMPDIR auf einen anderen Ordner

nothing-to-upload = es gibt nichts hochzuladen
nothing-to-upload-hint = der Ordner ist leer, oder .slipwayignore schließt alles aus
exclude-hint = schließe Dateien aus, die Spieler nicht brauchen (.slipwayignore)

zip-too-large = das Zip ist größer als { $max }, die Grenze eines Uploads
zip-no-space = in { $path } ist nicht genug Platz für das Zip; nötig sind bis zu { $size }
zip-no-space-hint = schaffe dort Platz, oder setze TMPDIR auf einen anderen Ordner
zip-empty = { $path } ist leer
zip-file-too-large = { $path } ist größer als { $max }
zip-problem = { $path }: das Zip ist nicht in Ordnung ({ $problem })
zip-packing-failed = das Packen ist fehlgeschlagen: { $reason }
zip-file-failed = { $path } konnte nicht gepackt werden: { $reason }

yaml-invalid-hint = das ist kein gültiges YAML; prüfe Einrückungen und Anführungszeichen
yaml-too-large = { $path } ist größer als 1 MiB, die Grenze für solche Dateien
yaml-missing-hint = slipway genbuild und slipway setfiles schreiben solche Dateien
yaml-not-mapping = { $place }: { $key } muss aus Schlüsseln mit Werten bestehen
yaml-file-not-mapping = { $place }: die Datei muss aus Schlüsseln mit Werten bestehen
yaml-not-list = { $place }: { $key } muss eine Liste sein
yaml-unknown-key = { $place }: unbekannter Schlüssel „{ $key }“
yaml-unknown-key-suggestion = { $place }: unbekannter Schlüssel „{ $key }“; meintest du „{ $suggestion }“?
yaml-version = { $place }: version muss v1 sein
yaml-spec = { $place }: spec muss { $spec } sein
yaml-spec-hint = slipway { $spec } liest Dateien mit spec: { $spec }
yaml-asset-type = { $place }: asset_type heißt jetzt type
yaml-engine-version = { $where }engine_version: schreibe Zahlen wie 4.2, 4.2.1 oder 4.3-beta2
yaml-platform-os = { $place }: eine Plattform braucht ein os
yaml-platforms-or-os = { $place }: gib platforms oder os an, nicht beides
yaml-changelog = { $place }: höchstens { $max } Einträge; hier sind es { $count }
yaml-gallery = { $place }: eine Galerie hat höchstens { $max } Bilder; hier sind es { $count }
yaml-no-files = { $place }: files nennt keine Dateien
yaml-no-files-hint = slipway setfiles --files <dir> schreibt eine solche Liste
yaml-missing-field = { $place }: { $key } fehlt
yaml-missing-field-hint = ergänze asset.{ $key }, oder verwende --{ $key }
yaml-not-file-or-folder = { $path } ist weder eine Datei noch ein Ordner

image-too-large = { $path } hat { $size }; ein Bild für { $kind } hat höchstens { $max }
image-not-image = { $path } ist kein PNG-, JPEG-, GIF- oder WebP-Bild
images-none = (keines)
images-cover = Titelbild
images-thumbnail = Vorschaubild
images-gallery = Galerie
images-empty = (leer)

genbuild-exists = build.yml gibt es schon
genbuild-exists-hint = --force ersetzt sie
genbuild-two-images = { $folder } enthält mehr als ein { $kind }: { $names }
genbuild-many-images = { $folder } enthält { $count } Bilder; eine Galerie hat höchstens { $max }
addchangelog-full = build.yml hat { $max } Einträge im Änderungsprotokoll, die Grenze eines Builds
addchangelog-done = { $count ->
    [one] build.yml hat { $count } Eintrag im Änderungsprotokoll
   *[other] build.yml hat { $count } Einträge im Änderungsprotokoll
}
setfiles-empty = { $folder } enthält keine Dateien
setfiles-done = addfiles.yml geschrieben, { $files }

## Veröffentlichen

progress-packing = Packen
progress-hashing = Prüfsumme
progress-comparing = Vergleichen
progress-uploading = Hochladen
progress-symbols = Symbole
progress-figures = { $done } von { $total }
progress-left = noch { $time }

packed = gepackt: { $size }, { $files }, entpackt { $unpacked }
registered = { $version } registriert für { $platform }
# Variables: $game (String), $store (String): the name of the store.
publishing = { $game } wird auf { $store } veröffentlicht
# Variables: $sent (String), $total (String): sizes.
sent-delta = { $sent } von { $total } gesendet; den Rest hatte der Store schon
delta-refused = stattdessen wird die ganze Zip-Datei gesendet: { $reason }
delta-no-zstd = das Programm zstd ist nicht installiert; verglichen wird mit dem Store statt mit dem Ordner von --base
uploaded-staged = { $percent } % der Geräte bekommen ihn aus { $channel }, sobald er sauber ist
uploaded = { $file } hochgeladen für { $platform }
already-uploaded = der Build hat diesen Inhalt für { $platform } schon; es wurde nichts hochgeladen
unchanged = unverändert: Build { $build } hat denselben Inhalt
scan-clean = die Virenprüfung ist in Ordnung
scan-clean-available = die Virenprüfung ist in Ordnung; { $availability }
images-sent = { $images } gesendet; { $count } hatte die Seite schon
symbols-uploaded = { $files } hochgeladen

platform-any = jede Plattform
platform-channel = { $platform } auf { $channel }
platform-channel-app = { $platform } auf { $channel }, App { $app }

limit-entries = { $count ->
    [one] { $count } Datei mit Ordnern überschreitet die Grenze von { $max } Einträgen in einem Zip
   *[other] { $count } Dateien und Ordner überschreiten die Grenze von { $max } Einträgen in einem Zip
}
limit-unpacked = entpackt sind das { $size }; die Grenze ist { $max }
server-no-build-id = der Server hat den Build registriert, aber keine build_id geliefert
server-no-build-id-hint = slipway builds list zeigt die Builds deines Spiels
server-no-file-uid = der Server hat die Datei angenommen, aber keine file_uid geliefert
server-no-file-uid-hint = slipway builds list zeigt, was angekommen ist
server-no-file-uid-sent = alles wurde gesendet, aber der Server hat keine file_uid geliefert
server-no-percent = der Store kann einen Build nicht für einen Teil der Geräte freigeben
server-no-percent-hint = bitte den Betreiber um ein Upgrade, oder lass --percent weg, um für alle freizugeben
server-no-session = der Server hat keine Upload-Sitzung eröffnet
server-too-many-bytes = der Server nennt mehr Bytes, als die Datei hat
run-again-hint = führe denselben Befehl noch einmal aus
resume-hint = derselbe Befehl macht weiter
session-expired = die Upload-Sitzung ist abgelaufen; eine neue beginnt
session-busy = ein anderer Prozess lädt dieselbe Datei hoch; es wird auf seinen Teil gewartet
resume-changed = die Dateien haben sich seit dem unterbrochenen Upload geändert; er beginnt von vorn
resuming = der unterbrochene Upload wird bei { $done } von { $total } fortgesetzt

available-expired = der Kanal { $channel } ist abgelaufen; stelle ihn auf den Build um, um ihn wieder zu öffnen
available-staged = { $percent } % der Geräte bekommen ihn aus { $channel }
available-other = { $channel } hat einen anderen Build für { $platform }: Version { $version }
available-owner = wem das Spiel gehört und seine Admins können ihn herunterladen
available-stable = Spieler können ihn herunterladen
available-paid = Spieler, die ein Exemplar haben, können ihn herunterladen
available-beta = Spieler in der Beta können ihn herunterladen
available-stable-later = Spieler können ihn herunterladen, sobald die Seite öffentlich ist; jetzt ist sie { $visibility }
available-paid-later = Spieler, die ein Exemplar haben, können ihn herunterladen, sobald die Seite öffentlich ist; jetzt ist sie { $visibility }
available-beta-later = Spieler in der Beta können ihn herunterladen, sobald die Seite öffentlich ist; jetzt ist sie { $visibility }

scan-waiting = warte auf die Virenprüfung
scan-still = die Prüfung läuft seit { $time }
scan-gone = die Datei gibt es nicht mehr
scan-gone-hint = sie oder ihr Build wurde gelöscht
scan-no-details = der Scanner nannte keine Einzelheiten
scan-infected = { $file } ist infiziert und wurde entfernt: { $details }
scan-error = { $file } konnte nicht geprüft werden und wurde entfernt: { $details }
scan-scanning = { $file } wird noch geprüft
scan-other = { $file } ist { $scan }
scan-withdrawn = { $file } hat die Prüfung bestanden, aber der Build ist zurückgezogen
scan-withdrawn-hint = slipway yank <build_id> --undo stellt ihn wieder her
scan-infected-hint = wenn das ein Fehlalarm ist, finde die genannte Datei und erstelle sie neu
scan-error-hint = lade sie noch einmal hoch; schlägt es wieder fehl, liegt es am Zip
scan-scanning-hint = slipway status <build_id> --wait wartet weiter
wait-minutes-invalid = --wait-minutes: „{ $text }“ ist keine Zahl von Minuten bis 1440

symbols-kind = { $path } ist weder eine .sym-Datei noch ein Ordner noch ein .zip
symbols-upload-size = { $path } hat { $size }; ein Upload von Symbolen hat höchstens { $max }
symbols-file-size = { $path } hat { $size }; eine Symboldatei hat höchstens { $max }
symbols-none = { $path } enthält keine .sym-Dateien
symbols-none-hint = erstelle sie mit dump_syms, und gib dann ihren Ordner an

push-args-alone = --args braucht --executable
push-percent-invalid = --percent: „{ $text }“ ist keine ganze Zahl von 1 bis 100
push-percent-alone = --percent: { $channel } hat keinen Build für { $platform }, den die anderen Geräte behalten könnten
push-percent-alone-hint = lass --percent weg, um den ersten Build für alle freizugeben
push-wrap-invalid = --wrap: gib den Namen eines einzelnen Ordners an
push-wrap-zip = --wrap geht nicht mit einem .zip, das unverändert gesendet wird
push-skipped = { $path } ist weder Datei noch Ordner noch Link und wird ausgelassen
push-base-not-folder = --base: { $path } ist kein Ordner
push-base-hint = nenne den Ordner mit der Version, die der Store hat, oder lass --base weg
push-not-file = { $path } ist weder ein Ordner noch eine Datei
dry-register = würde { $version } registrieren für { $platform }
dry-pack = würde packen: { $files }, { $size }:
dry-pack-ignored = würde packen: { $files }, { $size }; { $ignored } ausgelassen:
dry-send = würde { $path } senden, { $size }
dry-symbols = { $count ->
    [one] würde { $count } Upload mit Symbolen senden
   *[other] würde { $count } Uploads mit Symbolen senden
}
dry-nothing = es wurde nichts gesendet

build-symbols-platform = Symbole gehören zu einer Plattform
build-symbols-platform-hint = nenne sie mit --os
build-os-several = --arch und --channel brauchen ein os, und { $path } nennt mehrere
build-os-none = --arch und --channel brauchen ein os, und { $path } nennt keines
build-os-hint = ergänze --os

whole-number = --{ $flag }: gib eine ganze Zahl von { $min } bis { $max } an, nicht „{ $text }“

media-too-many = füge 1 bis { $max } Bilder auf einmal hinzu, nicht { $count }
media-not-image = „{ $image }“ ist weder eine uid noch cover noch thumbnail
media-uids-hint = slipway media list zeigt die uids
media-not-in-gallery = { $uid } ist nicht in der Galerie
media-twice = ein Bild ist zweimal genannt
media-not-uid = „{ $text }“ ist nicht die uid eines Bildes
media-list-hint = slipway media list zeigt sie

## Antworten

builds-page = Seite { $page } von { $pages }, insgesamt { $builds }
builds-none = keine Builds
builds-version = VERSION
builds-platform = PLATTFORM
builds-channel = KANAL
builds-app = APP
builds-scan = PRÜFUNG
builds-symbols = SYMBOLE
builds-build = BUILD
builds-no-file = keine Datei

status-not-id = „{ $text }“ ist keine Build-ID
status-not-id-hint = slipway builds list zeigt sie
status-label-build = Build
status-label-version = Version
status-label-symbols = Symbole
status-label-files = Dateien
status-no-files = noch keine
status-earlier = (ein früherer Upload)

yank-undo-alone = --undo geht nicht zusammen mit --reason oder --replacement
yank-no-reason = --reason: gib an, warum der Build zurückgezogen wird
yank-no-reason-hint = alle, die den Build haben, können es lesen
yank-no-build = es gibt keinen Build der Version { $version }
yank-no-replacement = kein Build des Ersatzes gehört zur selben App wie { $platform }
yank-withdrawn = zurückgezogen: { $version } für { $platform }: { $build }
yank-restored = wiederhergestellt: { $version } für { $platform }: { $build }

info-store = Store
info-page = Seite
info-uid = Spiel-UID
info-visibility = Sichtbarkeit
info-builds = Builds
info-images = Bilder
info-channels = Kanäle
info-storage = Speicherplatz
info-storage-of = { $used } von { $limit }
info-cover = Titelbild
info-no-cover = kein Titelbild
info-thumbnail = Vorschaubild
info-no-thumbnail = kein Vorschaubild
info-no-channels = noch keine
info-ready = die Seite kann öffentlich werden
info-not-ready = bevor die Seite öffentlich werden kann:
info-recommended = empfohlen:

## Warnungen zu einem Build

warn-not-executable = Spieler können { $files } nicht starten: setze das Ausführungsrecht (chmod +x) vor dem Veröffentlichen
warn-no-program = hier startet nichts auf { $os }: Spieler brauchen { $program }
warn-program-windows = eine .exe
warn-program-linux = eine Datei mit Ausführungsrecht
warn-program-macos = eine .app mit Ausführungsrecht, ein .dmg oder ein .pkg
warn-program-android = ein .apk
warn-program-ios = ein .ipa
warn-web-index = im Browser lässt sich das nicht spielen: lege eine index.html auf die oberste Ebene oder in den einzigen Ordner
warn-web-index-other = im Browser lässt sich das nicht spielen: es braucht eine index.html auf der obersten Ebene oder im einzigen Ordner; es gibt { $path }
warn-web-files = im Browser lässt sich das nicht spielen: es hat { $count } Dateien, der Store spielt bis zu { $max }
warn-web-size = im Browser lässt sich das nicht spielen: entpackt sind es { $size }, der Store spielt bis zu { $max }
warn-web-file-size = im Browser lässt sich das nicht spielen: { $path } ist größer als { $max }
warn-web-paths = diese Pfade führen im Browser aus dem Build hinaus; mach sie relativ: { $files }
warn-web-case = diese Verweise haben andere Groß- und Kleinbuchstaben als die Dateien: { $files }
warn-wrapper = Editoren entfernen beim Installieren den obersten Ordner eines Pakets: lege alles in einen Ordner, zum Beispiel mit --wrap mein-paket
warn-too-large = { $size } vor dem Komprimieren; ein Zip über { $max } wird abgelehnt
warn-more = { $path } (und { $more } weitere)
warn-private = { $path } sieht privat aus und würde mit dem Build veröffentlicht
warn-system-file = { $path } stammt von einem Dateimanager; schließe es mit .slipwayignore aus
warn-dangling = { $path } ist ein Link auf etwas, das nicht zum Build gehört; für Spieler führt er ins Leere
warn-collision = { $first } und { $second } sind unter Windows und macOS derselbe Name: eines davon ginge verloren
warn-windows-name = { $path } ist ein Name, den Windows nicht erlaubt
warn-windows-path = { $path } ist ein so langer Pfad, dass Windows ihn vielleicht nicht entpackt
warn-windows-link = { $path } ist ein Link; die meisten Windows-Rechner können keine Links entpacken

## Installierte Spiele

games-name = Entwickler und Spiel, wie in der Adresse der Seite, oder diese Adresse
games-installed-name = Das Spiel wie in der Adresse der Seite, diese Adresse oder der Ordner, in dem es installiert ist
games-channel = Der Kanal, dessen Builds installiert werden
games-dir = In diesen Ordner installieren statt in den für Spiele
games-install = Ein Spiel installieren
games-install-details = Die Dateien für dieses System werden geladen, mit der vom Store signierten Liste verglichen und je Version in einem Ordner unter SLIPWAY_GAMES abgelegt. Spiele, die Geld kosten oder ein Konto brauchen, werden nach slipway login oder mit einem Schlüssel des Spielers in SLIPWAY_PLAYER_KEY installiert.
games-bad-name = { $name } ist kein Spiel
games-bad-name-hint = schreib Entwickler/Spiel oder die Adresse der Seite des Spiels
games-no-build = es gibt keinen Build von { $name } für { $platform } im Kanal { $channel }; es gibt Builds für { $others }
games-any-platform = jedes System
games-installed = in { $folder } ist schon ein Spiel installiert
games-installed-hint = nimm slipway update oder wähle mit --dir einen anderen Ordner
games-done = { $name } { $version } ist installiert in { $folder }. Starte es mit slipway launch { $name }.
games-update = Installierte Spiele aktualisieren
games-update-details = Nur geänderte Dateien werden geladen. Die vorige Version bleibt für slipway rollback. Dateien, die du hinzugefügt hast, bleiben; geänderte bleiben unter anderem Namen.
games-all = Alle installierten Spiele aktualisieren
games-which = nenne ein Spiel oder nimm --all
games-failed = { $game }: { $message }
games-sum = { $updated } aktualisiert, { $current } aktuell.
games-sum-failed = { $updated } aktualisiert, { $current } aktuell, { $failed } gescheitert.
games-gone = das Spiel ist nicht mehr in diesem Ordner
games-gone-hint = verbinde den Datenträger, auf dem es ist, oder entferne den Eintrag mit slipway uninstall und dem Ordner
games-forgotten = { $folder } ist von der Liste der Spiele entfernt. Im Ordner hat sich nichts geändert.
games-ambiguous = mehrere Spiele heißen { $name }: in { $folders }
games-ambiguous-hint = nenne stattdessen den Ordner, etwa { $folder }
games-owned = Stattdessen die Spiele deiner Bibliothek zeigen; dafür brauchst du slipway login
games-is-installed = installiert
games-none-owned = Deine Bibliothek ist leer.
games-none = Es sind keine Spiele installiert.
games-current = { $name } { $version } ist aktuell.
games-withdrawn = der installierte Build von { $name } wurde zurückgezogen: { $reason }
games-kept = deine geänderte Datei heißt jetzt { $path }
games-unremoved = das Spiel ist bereit, aber alte Dateien lassen sich nicht entfernen: { $reason }
games-updated = { $name } von { $from } auf { $version } aktualisiert ({ $size } geladen).
games-patched = { $name } von { $from } auf { $version } aktualisiert ({ $size } geladen, { $saved } durch einen Patch gespart).
games-verify = Alle Dateien eines installierten Spiels prüfen
games-verifying = { $name } wird geprüft
games-missing = fehlt: { $path }
games-changed = geändert: { $path }
games-repair-it = slipway repair { $name } lädt die Dateien des Builds neu.
games-verified = { $count ->
    [one] Die { $count } Datei von { $name } ist wie installiert.
   *[other] Alle { $count } Dateien von { $name } sind wie installiert.
}
games-no-record = die Aufzeichnung der installierten Version fehlt
games-no-record-hint = entferne das Spiel mit slipway uninstall und installiere es neu
games-repair = Fehlende und beschädigte Dateien eines installierten Spiels neu laden
games-repaired = { $count ->
    [one] { $count } Datei von { $name } repariert.
   *[other] { $count } Dateien von { $name } repariert.
}
games-update-it = falls der Store den installierten Build nicht mehr ausliefert, hilft slipway update { $name }
games-list = Installierte Spiele auflisten
games-launch = Ein installiertes Spiel starten
games-launch-details = Argumente nach -- bekommt das Spiel. Der Exit-Code ist der des Spiels.
games-args = Argumente für das Spiel
games-no-program = nirgends steht, wie { $name } gestartet wird, und nichts darin sieht nach einem Programm aus
games-cannot-start = { $program } lässt sich nicht starten: { $reason }
games-ended-by = { $name } wurde durch { $signal } beendet
games-rollback = Zur vorigen Version eines installierten Spiels zurückkehren
games-rollback-details = Die nächste Aktualisierung geht wieder vorwärts.
games-no-previous = von { $name } ist keine frühere Version hier
games-back = { $name } ist wieder bei { $version }.
games-back-withdrawn = der Build von { $name }, zu dem du zurückkehrst, wurde zurückgezogen: { $reason }
games-unrestored = { $path } wurde seitdem geändert, und der Store hat die Datei nicht mehr; sie bleibt, wie sie ist
games-uninstall = Ein installiertes Spiel entfernen
games-uninstall-details = Dateien, die du hinzugefügt oder geändert hast, etwa Spielstände, kommen in den Ordner „kept“ im Ordner des Spiels. Ein Ordner, den es nicht mehr gibt oder dessen Aufzeichnung beschädigt ist, wird nur aus der Liste entfernt.
games-everything = Auch Dateien entfernen, die du hinzugefügt oder geändert hast
games-removed = { $name } ist entfernt.
games-kept-files = { $count ->
    [one] { $count } Datei von dir liegt in { $folder }
   *[other] { $count } Dateien von dir liegen in { $folder }
}
games-shortcut = Das Spiel ins Menü des Desktops aufnehmen
games-no-shortcuts = Verknüpfungen gibt es nur unter Linux
watch = Installierte Spiele aktuell halten
watch-details = Sucht beim Start und dann jede Stunde nach Aktualisierungen, bis es unterbrochen wird. Ein Spiel, das gerade läuft, wird später aktualisiert.
watch-every = Wie oft gesucht wird
watch-bad-minutes = --every ist eine Zahl von Minuten bis { $max }
daemon = Spiele für einen Launcher installieren und aktualisieren
daemon-details = Liest JSON-RPC-2.0-Anfragen von der Standardeingabe, eine je Zeile, und antwortet auf der Standardausgabe. Die Methoden stehen in docs/launchers.md.
daemon-stdio = Standardein- und -ausgabe nehmen; anderes gibt es nicht
daemon-needs-stdio = nimm slipway daemon --stdio
daemon-not-json = diese Zeile ist kein JSON
daemon-not-request = eine Anfrage braucht eine Methode, und params ist ein Objekt
daemon-by-name = params ist ein Objekt mit Namen
daemon-no-method = es gibt keine Methode { $method }
daemon-bad-name = name ist ein Text, der das Spiel nennt, für Methoden, die eines brauchen
daemon-bad-arguments = arguments ist eine Liste von Texten
daemon-bad-param = es gibt keinen Parameter { $name } von dieser Art
client-downloading = { $name } { $version } wird geladen
client-unpacking = { $name } { $version } wird entpackt
client-busy = ein anderes slipway arbeitet an { $folder }
client-busy-hint = warte, bis es fertig ist, oder schließe das Spiel
client-unsafe-path = der Build hat eine Datei, die hier nicht geschrieben werden kann: { $path }
client-same-name = der Build hat zwei Dateien, die auf diesem Datenträger gleich heißen: { $path } und { $other }
client-bad-manifest = die Dateiliste ist nicht die, die der Store signiert hat: { $reason }
client-bad-manifest-hint = versuch es noch einmal; bleibt es dabei, ändert jemand zwischen dir und dem Store die Antworten
client-no-manifest = sie ist nicht lesbar
client-no-keys = der Store schickt keine Schlüssel, mit denen sich die Dateiliste prüfen lässt
client-wrong-signature = ihre Signatur ist falsch
client-wrong-entries = ihre Einträge sind nicht vollständig
client-other-store = sie ist von einem anderen Store ({ $issuer }) als die installierte Version ({ $before })
client-other-game = sie ist von einem anderen Spiel
client-other-build = sie ist von einem anderen Build
client-other-platform = sie ist für ein anderes System, einen anderen Prozessor oder ein anderes Programm
client-new-format = das braucht eine neuere Version von slipway
client-new-format-hint = lade slipway neu vom Store
client-damaged = geladen wurde nicht die Datei, die der Store signiert hat: { $path }
client-damaged-hint = versuch es noch einmal; bleibt es dabei, sag es den Betreibern des Stores
client-refused = der Download ist gescheitert: der Server antwortet mit HTTP { $status }
client-no-ranges = der Download ist gescheitert: der Server schickt keine Teile von Dateien
client-refused-hint = versuch es später noch einmal; bleibt es dabei, sag es den Betreibern des Stores
client-too-long = der Server hat mehr geschickt als verlangt
client-bad-record = { $path } ist nicht lesbar
client-bad-record-hint = installiere das Spiel neu in einen anderen Ordner
client-not-installed = { $name } ist nicht installiert
client-not-installed-hint = slipway list zeigt, was installiert ist
client-foreign-folder = in { $folder } sind Dateien, die nicht zu einem Spiel von slipway gehören
client-foreign-folder-hint = wähle mit --dir einen leeren Ordner oder einen, den es noch nicht gibt
client-disk-full = auf dem Datenträger sind { $free } frei, das Spiel braucht { $needed }
client-disk-full-hint = schaff Platz oder installiere mit --dir woanders
client-no-zstd = der Store hat einen Patch, der Node.js 24.6 oder neuer braucht; geänderte Dateien werden ganz geladen
client-patch-unusable = der Patch funktioniert nicht; geänderte Dateien werden ganz geladen
settings-bad-player-key = SLIPWAY_PLAYER_KEY enthält ein Zeichen, das kein Schlüssel hat
env-player-key = Dein Schlüssel, für Spiele, die ein Konto brauchen
env-games = Wo Spiele installiert werden
exit-damaged = Dateien eines installierten Spiels sind beschädigt, oder ein Download ist nicht, was der Store signiert hat

## Anmeldung bei einem Store

login = Bei einem Store anmelden
login-store = Die Adresse des Stores; ohne sie der, von dem dieses Programm ist
login-details = Für Spiele, die ein Konto brauchen oder dir gehören. Es zeigt einen Code, den du auf der Website des Stores eingibst. Die Anmeldung darf deine Bibliothek und Bestellungen lesen und laden, was du laden darfst. Kaufen oder ändern kann sie nichts. Sie liegt in einer Datei, die nur du lesen kannst, und gilt nur für diesen Store.
login-open = Öffne { $address } und gib diesen Code ein: { $code }
login-open-complete = Oder öffne diese Adresse, die den Code schon enthält: { $address }
login-done = Bei { $store } als { $username } angemeldet
login-denied = der Zugriff wurde auf der Website abgelehnt
login-expired = der Code ist abgelaufen, bevor er eingegeben wurde
login-again = starte slipway login noch einmal
login-ended = Deine Anmeldung bei { $store } ist beendet. Melde dich mit slipway login wieder an.
login-not-offered = dieser Store meldet keine Programme an
login-not-offered-hint = setze SLIPWAY_PLAYER_KEY auf einen Schlüssel aus deinen Kontoeinstellungen
login-bad-answer = der Store beantwortet die Anmeldung mit HTTP { $status }
login-bad-answer-hint = es geht ohne Anmeldung weiter; falls sie nicht wieder funktioniert, führe slipway logout und dann slipway login aus
login-file-public = andere können die Anmeldung in { $path } lesen
login-key-wins = SLIPWAY_PLAYER_KEY ist gesetzt. Befehle verwenden diesen Schlüssel statt der Anmeldung.
login-buy = kaufe es auf der Seite des Spiels und versuche es dann noch einmal
login-needed = melde dich mit slipway login an
login-verify = öffne den Link in der Mail, die dir der Store geschickt hat, oder fordere in deinen Einstellungen auf der Website eine neue an
login-join-beta = tritt der Beta auf der Seite des Spiels bei; andere Kanäle sind für die, die es entwickeln
login-not-shown = prüfe den Namen, den Kanal und das System; Inhalte für Erwachsene sehen nur Konten, die sie eingeschaltet haben
login-maybe-needed = wenn es ein Konto braucht, melde dich zuerst mit slipway login an
logout = Von einem Store abmelden
logout-details = Beendet die Anmeldung von slipway login im Store und entfernt sie hier. Installierte Spiele bleiben.
logout-done = Von { $store } abgemeldet ({ $username })
logout-none = Du bist bei { $store } nicht angemeldet.
logout-not-revoked = Der Store konnte die Anmeldung nicht beenden: { $message }. Hier ist sie entfernt. Beende sie in deinen Kontoeinstellungen unter Schlüssel.
env-config = Der Ordner der Anmeldungen; sonst slipway im Ordner für Einstellungen dieses Systems
