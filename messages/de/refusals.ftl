# Warum etwas abgelehnt wurde. Die Meldungen der API sind für Programmierer, diese hier für alle.

## Die allgemeine Meldung eines Fehlers, nach seinem Namen in core/runtime/errors.ts

refusal-malformed = Dieses Formular konnte nicht gelesen werden. Lade die Seite neu und versuche es noch einmal.
refusal-request-timeout = Es hat zu lange gedauert, bis das Formular ankam. Sende es noch einmal.
refusal-forbidden = Dazu bist du nicht berechtigt.
refusal-cross-site-request = Dieses Formular kam nicht von dieser Website. Öffne die Seite neu und versuche es noch einmal.
refusal-wrong-token-kind = Das geht nur auf der Website, wenn du mit deinem Konto angemeldet bist.
refusal-not-found = Nicht gefunden.
refusal-method-not-allowed = Diese Adresse nimmt nur ein Formular entgegen. Öffne die Seite mit dem Formular.
refusal-conflict = Das passt nicht mehr zum aktuellen Stand. Lade die Seite neu und versuche es noch einmal.
refusal-body-too-large = Das ist zu groß. Kürze den Text oder wähle eine kleinere Datei.
refusal-unsupported-media-type = Dieses Formular konnte nicht gelesen werden. Lade die Seite neu und versuche es noch einmal.
refusal-too-many-requests = Zu viele Versuche. Warte eine Minute und versuche es noch einmal.
refusal-shutting-down = Der Store startet gerade neu. Sende das Formular noch einmal.
refusal-unavailable = Ein Teil des Stores ist gerade nicht verfügbar. Versuche es gleich noch einmal.
refusal-invalid-credentials = Benutzername, E-Mail-Adresse oder Passwort ist falsch.
refusal-step-up-required = Bestätige zuerst, dass du es bist.
refusal-second-step-required = Dieses Konto hat einen zweiten Faktor. Gib seinen Code ein.
refusal-second-step-failed = Dieser Code ist falsch oder wurde schon benutzt.
refusal-second-factor-required = Richte zuerst unter „Sicherheit“ einen zweiten Faktor ein.
refusal-email-not-verified = Bestätige zuerst deine E-Mail-Adresse.
refusal-developer-mode-required = Schalte zuerst den Entwicklermodus in deinem Konto ein.
refusal-developer-terms-not-accepted = Akzeptiere die Bedingungen für Entwickler, um fortzufahren.
refusal-developer-mode-in-use = Der Entwicklermodus lässt sich nicht ausschalten, solange dir ein Projekt gehört oder du bei einem mithilfst.
refusal-age-not-confirmed = Bestätige, dass du mindestens 18 Jahre alt bist.
refusal-registration-closed = Dieser Store nimmt keine neuen Konten an.
refusal-invitation-required = Zum Registrieren brauchst du hier eine gültige Einladung.
refusal-publishing-not-allowed = Die Betreiber dieses Stores entscheiden, wer veröffentlichen darf.
refusal-release-held = Deine erste Veröffentlichung wird geprüft.
refusal-adult-content-off = Dieser Store lässt keine Inhalte für Erwachsene zu.
refusal-paid-listings-off = Dieser Store hat nur kostenlose Einträge. Setze den Preis auf 0 und nimm kostenpflichtige Editionen aus dem Verkauf.
refusal-asset-type-off = Dieser Store nimmt keine Einträge dieser Art an. Wähle eine andere Art.
refusal-approval-closed = Über diese Anfrage wurde schon entschieden, oder sie ist abgelaufen. Dein Agent kann noch einmal fragen.
refusal-invalid-email-code = Der Code ist falsch oder abgelaufen. Fordere einen neuen an.
refusal-email-undo-expired = Dieser Link wurde schon benutzt oder ist abgelaufen.
refusal-reset-stop-expired = Dieser Link wurde schon benutzt oder ist abgelaufen.
refusal-reset-link-expired = Dieser Link wurde schon benutzt oder ist abgelaufen. Fordere einen neuen an.
refusal-download-requires-sign-in = Melde dich an, um das herunterzuladen. Wenn es etwas kostet, kaufe es zuerst.
refusal-download-requires-purchase = Kaufe dieses Spiel, um es herunterzuladen.
refusal-still-scanning = Diese Datei wird noch auf Viren geprüft. Versuche es in ein paar Minuten noch einmal.
refusal-build-withdrawn = Der Anbieter hat diese Version zurückgezogen. Wähle eine andere.
refusal-content-blocked = Die Moderation hat diese Datei blockiert. Sie kann nicht hochgeladen werden.
refusal-channel-not-accessible = Du hast keinen Zugriff auf den Kanal dieser Datei.
refusal-beta-requires-purchase = Die Beta ist für alle, die eine Edition dieses Spiels besitzen.
refusal-link-signing-failed = Der Download-Link konnte nicht erstellt werden. Versuche es noch einmal.
refusal-anonymous-downloads-not-confirmed = Setze das Häkchen, um zu bestätigen, dass du das verstanden hast.
refusal-anonymous-downloads-require-free = Downloads ohne Konto gibt es nur bei kostenlosen Projekten ohne aktive Editionen.
refusal-price-requires-sign-in = Schalte Downloads ohne Konto aus, bevor du einen Preis festlegst oder eine Edition hinzufügst.
refusal-price-out-of-range = Dieser Preis ist nicht erlaubt.
refusal-invalid-taxonomy = Ein Wert ist nicht in der Liste der erlaubten Werte.
refusal-invalid-similar = Ähnliche Titel müssen andere öffentliche Spiele sein.
refusal-copy-required = Dafür brauchst du ein Exemplar dieses Spiels.
refusal-own-game = Bei deinem eigenen Spiel geht das nicht.
refusal-owner-only = Das kann nur, wem das Projekt gehört.
refusal-listing-check-failed = Die Prüfung des Eintrags hat Fehler gefunden. Es wurde nichts gespeichert.
refusal-invalid-review = Die Rezension ist nicht gültig.
refusal-invalid-compat = Eine Angabe zur Engine ist nicht gültig.
refusal-invalid-license = Diese Lizenz ist nicht bekannt.
refusal-invalid-dependency = Eine Abhängigkeit ist nicht gültig.
refusal-invalid-parent = Dieser Eintrag kann nicht das Hauptprodukt sein.
refusal-invalid-mod-settings = Die Mod-Einstellungen sind nicht gültig.
refusal-invalid-press-kit = Die Pressemappe ist nicht gültig.
refusal-invalid-community-tag = Die vorgeschlagenen Tags sind nicht gültig.
refusal-not-played-enough = Spiele länger, bevor du Tags vorschlägst.
refusal-invalid-store-link = Ein Store-Link ist nicht gültig.
refusal-invalid-edition = Die Edition ist nicht gültig.
refusal-too-many-editions = Der Eintrag hat zu viele Editionen.
refusal-price-from-editions = Der Preis richtet sich nach der günstigsten aktiven Edition. Ändere stattdessen die Editionen.
refusal-invalid-media = Wähle ein Bild für Titelbild, Vorschaubild oder Galerie.
refusal-image-rejected = Das Bild wurde abgelehnt.
refusal-gallery-full = Die Galerie ist voll. Lösche zuerst ein Bild.
refusal-image-required = Ein öffentlicher Eintrag behält Titelbild und Vorschaubild. Ersetze das Bild stattdessen.
refusal-invalid-order = Die Reihenfolge muss jedes Bild der Galerie genau einmal nennen.
refusal-invalid-registration = Ein Feld des Builds fehlt oder ist zu lang.
refusal-file-missing = Wähle eine Datei.
refusal-upload-too-large = Die Datei ist zu groß.
refusal-build-not-specified = Wähle einen Build.
refusal-build-not-in-project = In diesem Projekt gibt es diesen Build nicht.
refusal-build-not-registered = In diesem Projekt gibt es diesen Build nicht. Lade die Seite neu und versuche es noch einmal.
refusal-invalid-upload = Wähle eine .zip-Datei, ihr System, ihren Prozessor und ihren Kanal.
refusal-checksum-mismatch = Die empfangene Datei passt nicht zur Prüfsumme. Sende sie noch einmal.
refusal-delta-base-gone = Ein Build, auf den sich der Upload bezieht, ist nicht mehr verfügbar. Lade die ganze Zip-Datei hoch.
refusal-file-not-recorded = Die Datei konnte nicht gespeichert werden. Versuche es noch einmal.
refusal-invalid-symbols = Das ist keine Breakpad-Symboldatei.
refusal-symbols-not-stored = Eine Symboldatei konnte nicht gespeichert werden. Versuche es noch einmal.
refusal-nothing-to-roll-back = Es gibt keinen früheren Build, zu dem du zurückkehren kannst.
refusal-invalid-channel = Der Name oder das Ablaufdatum des Kanals ist nicht gültig.
refusal-invalid-extstore-request = Prüfe die App-ID und den Schlüssel.
refusal-extstore-app-refused = Steam hat keine Seite für diese App, oder sie ist kein Spiel.
refusal-not-a-publisher-key = Das ist kein Publisher-Schlüssel für diese App.
refusal-extstore-app-taken = Diese App gehört zu einem anderen Eintrag, oder dieser Eintrag ist mit einer anderen App verknüpft.
refusal-extstore-unavailable = Steam hat nicht geantwortet oder den Web-API-Schlüssel abgelehnt. Versuche es in ein paar Minuten noch einmal.
refusal-extstore-not-linked = Dieser Eintrag ist nicht mit Steam verknüpft.
refusal-extstore-sign-in-off = Die Anmeldung über Steam ist für dieses Spiel ausgeschaltet.
refusal-account-link-refused = Steam hat dieses Konto nicht bestätigt. Beginne noch einmal in deinen Kontoeinstellungen.
refusal-bug-report-limit-reached = Heute sind keine weiteren Fehlermeldungen möglich. Versuche es morgen noch einmal.
refusal-disk-full = Der Store hat zu wenig freien Speicherplatz für Uploads. Versuche es später noch einmal.
refusal-uploads-busy = Zu viele Uploads gleichzeitig. Warte, bis einer beendet ist.
refusal-too-many-uploads = Zu viele Uploads für dieses Spiel. Warte und versuche es noch einmal.
refusal-upload-session-not-found = Dieser Upload ist abgelaufen. Beginne ihn noch einmal.

## Regeln für Felder

rule-fill-in = Fülle dieses Feld aus.
rule-choose-option = Wähle eine der Möglichkeiten.
rule-choose-answer = Wähle eine Antwort.
rule-choose-any = Wähle mindestens eine Möglichkeit.
rule-choose-at-most = Wähle höchstens { $max }. Es sind { $count }.
rule-unreadable = Dieses Formular konnte nicht gelesen werden.
rule-number = Gib eine Zahl ein.
rule-whole-number = Gib eine ganze Zahl von { $min } bis { $max } ein.
rule-min = Gib mindestens { $count } ein.
rule-max = Gib höchstens { $count } ein.
rule-date = Gib ein Datum ein.
rule-email = Gib eine E-Mail-Adresse ein, zum Beispiel name@example.com.
rule-characters = Manche dieser Zeichen sind hier nicht erlaubt.
rule-length = { $min } bis { $max } Zeichen.
rule-min-length = Verwende mindestens { $count } Zeichen.
rule-max-length = Verwende höchstens { $count } Zeichen.
rule-write-something = Schreibe 1 bis { $count } Zeichen.
rule-one-line = Schreibe eine Zeile ohne Steuerzeichen.
rule-control-characters = Entferne die Steuerzeichen.
rule-min-items = Wähle mindestens { $count }.
rule-max-items = Wähle höchstens { $count }.
rule-duplicates = Nenne alles nur einmal.
rule-not-accepted = Dieser Wert ist nicht erlaubt.
rule-https-link = Gib einen vollständigen Link ein, der mit https:// beginnt.
rule-link-characters = Ein Link enthält keine Leerzeichen, umgekehrten Schrägstriche oder Steuerzeichen.
rule-link-credentials = Lass Benutzername und Passwort im Link weg.
rule-link-host = „{ $host }“ ist kein öffentlicher Hostname.
rule-link-length = Verwende höchstens { $max } Zeichen. Dieser Link hat { $length }.
rule-link-port = Lass den Port im Link weg.
rule-link-bytes = Die Adresse ist zu lang. Verwende höchstens { $count } Bytes.
rule-public-link = Gib die http- oder https-Adresse einer öffentlichen Seite ein, höchstens { $count } Zeichen.
rule-store-host = „{ $host }“ gehört nicht zu diesem Store. Seine Links sind auf: { $hosts }.
rule-tag = „{ $value }“ kann kein Tag sein. Verwende höchstens { $max } Zeichen: Kleinbuchstaben, Ziffern und Bindestriche.
rule-tag-count = Gib { $min } bis { $max } verschiedene Tags ein oder keine. Es sind { $count }.
rule-slug = „{ $value }“ muss aus 1 bis 32 Kleinbuchstaben, Ziffern und Bindestrichen bestehen.
rule-range-order = Das Minimum { $min } liegt über dem Maximum { $max }. Ändere eines davon.
rule-parent = Gib einen Eintrag dieses Stores an oder Name und Link eines Titels, den es anderswo gibt.
rule-no-parent = Ein Eintrag dieser Art hat kein Hauptprodukt. Lass das Feld leer.
rule-own-parent = Ein Eintrag kann nicht sein eigenes Hauptprodukt sein. Wähle einen anderen.
rule-parent-type = Wähle ein Spiel oder eine Anwendung als Hauptprodukt.
rule-own-listing = Ein Eintrag kann nicht sich selbst nennen. Wähle einen anderen.
rule-similar-type = Ähnliche Titel sind Spiele. Wähle ein Spiel.
rule-dependency-from = Das können nur diese Arten von Einträgen: { $types }.
rule-dependency-to = Dieser Eintrag passt nicht zu dieser Art der Abhängigkeit. Möglich sind: { $types }.
rule-mods-only = Diese Einstellungen haben nur Mods und Plugins.
rule-path-backslash = Schreibe den Pfad mit / statt \.
rule-path-absolute = Beginne den Pfad im Ordner des Spiels, ohne / am Anfang.
rule-path-colon = Beginne den Pfad im Ordner des Spiels, ohne Laufwerksbuchstaben und Doppelpunkt.
rule-path-outside = Bleibe im Ordner des Spiels. Lass „..“ und andere Teile nur aus Punkten weg.
rule-no-listing = Unter dieser Adresse gibt es keinen öffentlichen Eintrag.
rule-no-listing-named = Unter der Adresse „{ $ref }“ gibt es keinen öffentlichen Eintrag.
rule-listing-address = Gib die Adresse eines Eintrags ein, zum Beispiel mein-spiel.
rule-set-flag = Wähle mindestens eine Möglichkeit: { $names }.
rule-edited = Seit dem letzten Import hier bearbeitet. Wähle „Überschreiben“, um deine Änderungen zu ersetzen.
rule-address-taken = Diese Adresse ist schon vergeben. Wähle eine andere.
rule-address-uid = Wähle einen Namen, der nicht wie eine ID aussieht.

## Regeln für Konten

rule-username = { $min } bis { $max } Buchstaben, Ziffern und Bindestriche, mit einem Buchstaben oder einer Ziffer am Anfang und am Ende.
rule-username-reserved = Dieser Name ist reserviert.
rule-username-taken = Dieser Benutzername ist schon vergeben.
rule-not-your-username = Das ist nicht dein Benutzername.
rule-own-projects = Es wurde nichts gelöscht: Dir gehören Projekte.
rule-password-wrong = Dieses Passwort ist falsch.
rule-email-same = Das ist schon die Adresse deines Kontos.
rule-gifts-per-day = Du kannst { $count ->
    [one] { $count } Exemplar
   *[other] { $count } Exemplare
} am Tag verschenken. Versuche es morgen wieder.
rule-email-taken = Für diese E-Mail-Adresse gibt es schon ein Konto.
rule-not-email = Das ist keine E-Mail-Adresse.
rule-password-own-name = Das Passwort muss mehr sein als dein Benutzername, deine E-Mail-Adresse oder der Name des Stores.
rule-password-common = Dieses Passwort ist zu verbreitet. Wähle ein anderes.
rule-password-breached = Dieses Passwort ist durch ein Datenleck öffentlich geworden. Wähle ein anderes, hier und überall, wo du es benutzt.
rule-already-verified = Diese E-Mail-Adresse ist schon bestätigt.
rule-code-wait = { $count ->
    [one] Gerade wurde ein Code gesendet. Versuche es in { $count } Sekunde noch einmal.
   *[other] Gerade wurde ein Code gesendet. Versuche es in { $count } Sekunden noch einmal.
}
rule-code-wrong = Dieser Code ist falsch. Sieh in der neuesten E-Mail nach und gib ihre sechs Ziffern ein.
rule-code-expired = Dieser Code ist abgelaufen. Fordere einen neuen an.
rule-code-missing = Für dich liegt kein Code vor. Fordere einen an und warte auf die E-Mail.
rule-code-attempts = Es wurden zu viele falsche Codes eingegeben. Fordere einen neuen an.
rule-second-step-wrong = Dieser Code ist falsch oder wurde schon benutzt. Warte auf den nächsten.
rule-passkey-wrong = Dieser Passkey wurde nicht angenommen. Versuche es noch einmal.
rule-passkeys = Ein Konto kann höchstens { $count } Passkeys haben, jedes Gerät nur einmal.
rule-sign-in-expired = Diese Anmeldung hat zu lange gedauert. Beginne von vorn.
rule-totp-on = Eine Authenticator-App ist schon eingerichtet. Entferne sie zuerst.
rule-totp-off = Richte zuerst einen zweiten Faktor ein.
rule-player-keys = Ein Konto kann höchstens { $count } Spieler-Schlüssel haben. Lösche zuerst einen.
rule-agent-keys = Ein Konto kann höchstens { $count } Agenten-Schlüssel haben. Lösche zuerst einen.
rule-device-code-unknown = Kein Gerät wartet mit diesem Code. Prüfe ihn, oder beginne auf dem Gerät noch einmal.
rule-launch-object = Gib das Programm an, das den Build startet.
rule-launch-args = Gib höchstens { $count } Argumente mit je höchstens { $max } Zeichen ein.
rule-launch-program = Gib den Pfad des Programms im Build ein.
rule-launch-path = Gib einen Pfad unter dem Ordner des Builds ein, zum Beispiel bin/game.
rule-stage-without-head = Dieser Kanal hat auf diesem System noch keinen anderen Build. Gib diesen Build für alle frei.
rule-not-staged = Dieser Kanal liefert diesen Build nicht an einen Teil der Geräte aus.
rule-app-request-expired = Diese Anfrage ist abgelaufen. Beginne noch einmal in der App.
rule-linked-elsewhere = Dieses Konto ist schon mit einer anderen Person verknüpft, oder du hast schon ein anderes verknüpft. Hebe zuerst jene Verknüpfung auf.
rule-link-expired = Dieser Link ist abgelaufen. Fordere einen neuen an.

## Regeln für Spieler

rule-buy-to-review = Dieses Spiel kostet jetzt etwas. Kaufe es, um es zu rezensieren.
rule-play-longer = { $count ->
    [one] Spiele mindestens { $count } Minute, bevor du Tags vorschlägst.
   *[other] Spiele mindestens { $count } Minuten, bevor du Tags vorschlägst.
}
rule-suggest-tags = Schlage höchstens { $max } Tags vor. Du hast { $count } genannt.
rule-listing-changed = Der Eintrag hat sich gerade geändert. Versuche es noch einmal.
rule-bug-reporter-off = Fehlermeldungen sind für dieses Spiel ausgeschaltet.
rule-describe-bug = Beschreibe, was schiefgegangen ist.
rule-not-released = Dieser Eintrag ist noch nicht erschienen. Exemplare kann nur vergeben, wem er gehört.
rule-search-busy = Die Suche ist gerade ausgelastet. Versuche es gleich noch einmal.
rule-log-size = Gib höchstens { $size } ein, am besten das Ende.

## Regeln für Projekte

rule-address = Verwende 1 bis { $count } Kleinbuchstaben und Ziffern, dazwischen einzelne Bindestriche.
rule-name-of-service = „{ $name }“ verwendet der Store selbst. Wähle einen anderen Namen.
rule-price = Gib 0 für kostenlos ein oder einen Preis von { $min } bis { $max }.
rule-price-order = Der höchste Preis muss mindestens so hoch sein wie der niedrigste.
rule-setting-fixed = { $variable } ist in der Umgebung des Dienstes gesetzt. Ändere es dort.
rule-color-contrast = Der Kontrast zum { $theme ->
    [dark] dunklen
   *[light] hellen
} Hintergrund beträgt nur { $ratio }:1. Wähle eine { $theme ->
    [dark] hellere
   *[light] dunklere
} Farbe: Text braucht mindestens { $min }:1.
rule-color = Gib eine Farbe wie #1b6f5c ein.
rule-store-link = Gib eine Adresse ein, die mit https://, mailto: oder / beginnt.
rule-contact = Gib eine E-Mail-Adresse ein oder eine Adresse, die mit https:// beginnt.
rule-day-order = Der letzte Tag darf nicht vor dem ersten liegen.
rule-pick-unknown = Es gibt keinen Eintrag „{ $ref }“. Nimm seine UID oder den letzten Teil seiner Adresse.
rule-operator-unverified = Bestätige zuerst die Adresse dieser Person.
rule-other-username = Das ist nicht der Benutzername des Kontos.
rule-delete-operator = Diese Person betreibt den Store mit. Nimm ihr zuerst dieses Recht.
rule-person-owns-listings = Diese Person besitzt Einträge. Lösche sie mit, oder lass die Person sie zuerst löschen.
rule-last-operator = Niemand sonst kann den Store betreiben. Gib zuerst einer anderen Person dieses Recht.
rule-own-second-factor = Bitte jemand anderen aus dem Betrieb, deinen eigenen zweiten Faktor zurückzusetzen.
rule-no-second-factor = Diese Person hat keinen zweiten Faktor, der sich zurücksetzen ließe.
rule-operator-scopes = Nur wer den Store betreibt, kann einen Schlüssel mit diesen Berechtigungen erstellen.
rule-operator-key-project = Ein Schlüssel mit Berechtigungen zum Betrieb gilt für den ganzen Store. Wähle kein Projekt.
rule-mail-queued = Diese E-Mail wartet schon auf den Versand.
rule-mail-single-use = Diese E-Mail kann einen Code oder einen Link enthalten, der nur einmal gilt. Die Person kann einen neuen anfordern.
rule-press-email = Verwende eine Adresse wie press@example.com.
rule-line-link = Schreibe die Zeile so: Bezeichnung | https://…
rule-line-quote = Schreibe die Zeile so: Zitat | Quelle | https://… (der Link ist optional).
rule-line-credit = Schreibe die Zeile so: Name | Aufgabe.
rule-version = „{ $value }“ ist keine Version. Schreibe Zahlen wie 4.2, 4.2.1 oder 4.3-beta2, oder lass das Feld leer.
rule-language-code = „{ $value }“ ist kein Sprachcode wie de oder pt-BR.
rule-translation = Übersetze die Kurzbeschreibung, die Beschreibung oder beides.
rule-language-twice = { $code } steht zweimal in der Liste. Nenne jede Sprache nur einmal.
rule-named-twice = Das ist zweimal genannt. Lass eines weg.
rule-list-length = Verwende höchstens { $max }. Es sind { $count }.
rule-edition = Eine andere Edition heißt schon { $slug }. Wähle einen anderen Namen.
rule-editions = Ein Eintrag hat höchstens { $count } Editionen. Nimm zuerst eine aus dem Angebot.
rule-no-edition = Diese Edition gibt es bei diesem Eintrag nicht. Wähle eine andere.
rule-bundle-seller = Ein Paket enthält nur deine anderen Einträge. Gib die Adresse von einem ein.
rule-bundle-self = Dieser Eintrag ist schon Teil des Pakets. Gib andere Einträge ein.
rule-bundle-count = Nenne 1 bis { $max } andere Einträge.
rule-adds-errors = { $count ->
    [one] Damit hätte die öffentliche Seite { $count } neuen Fehler. Es wurde nichts gespeichert.
   *[other] Damit hätte die öffentliche Seite { $count } neue Fehler. Es wurde nichts gespeichert.
}
rule-listing-errors = { $count ->
    [one] Die Prüfung des Eintrags hat { $count } Fehler gefunden.
   *[other] Die Prüfung des Eintrags hat { $count } Fehler gefunden.
}
rule-no-suggestion = Dieses Tag hat niemand vorgeschlagen.
rule-no-user = Dieses Konto gibt es nicht.
rule-owner-is-admin = Wem der Eintrag gehört, verwaltet ihn schon.
rule-admins = Ein Eintrag hat höchstens { $count } Admins und Einladungen.
rule-owner-unverified = Wem das Projekt gehört, muss erst die eigene E-Mail-Adresse bestätigen. Dann kann die Seite öffentlich sein.
rule-owner-email = Wem das Projekt gehört, muss zuerst die eigene E-Mail-Adresse bestätigen.
rule-has-children = Zu diesem Eintrag gehören Mods oder Tools. Er muss deshalb ein Spiel oder eine Anwendung bleiben.
rule-app = „{ $value }“ ist kein Name für eine App. Verwende höchstens 32 Kleinbuchstaben, Ziffern und Bindestriche.
rule-app-missing = Nenne auch die App.
rule-http-link = Gib einen vollständigen Link ein, der mit http:// oder https:// beginnt.
rule-symbols-module = Die erste Zeile muss aus MODULE, dem System, dem Prozessor, der Debug-ID und dem Namen bestehen.
rule-symbols-system = Das System ist unbekannt. Erlaubt ist nur: { $allowed }.
rule-symbols-debug-id = Die Debug-ID besteht aus 32 Zeichen 0-9 und A-F, danach 1 bis 8 Hexadezimalziffern für das Alter.
rule-symbols-name = Der Name des Moduls oder der Prozessor ist zu lang oder hat Steuerzeichen.
rule-symbols-file = Wähle eine .sym-Datei oder eine .zip-Datei mit .sym-Dateien.
rule-symbols-zip = Die Zip-Datei muss 1 bis { $max } .sym-Dateien enthalten und sonst nichts.
rule-no-clean-file = Noch keine Datei dieses Builds hat die Virenprüfung bestanden. Warte die Prüfung ab oder lade eine Datei hoch.
rule-webhook-url = Gib eine https-Adresse mit einem öffentlichen Host ein.
rule-webhook-port = Diesen Port verwendet der Store selbst. Wähle einen anderen.
rule-no-crash-group = Diese Absturzgruppe gibt es in diesem Projekt nicht. Lade die Seite neu und versuche es noch einmal.
rule-channel-missing = Gib den Namen eines Kanals ein.
rule-channel = „{ $value }“ ist kein Name für einen Kanal. Verwende höchstens 32 Kleinbuchstaben, Ziffern, - und _, und beginne mit einem Buchstaben oder einer Ziffer.
rule-not-zip = Wähle eine .zip-Datei.
rule-checksum = Gib die SHA-256-Prüfsumme der Datei ein: 64 Ziffern 0-9 und Buchstaben a-f.
rule-file-not-stored = Die Datei konnte nicht gespeichert werden. Versuche es gleich noch einmal.
rule-upload-sessions = { $count ->
    [one] Ein Projekt kann höchstens { $count } offenen Upload haben. Schließe ihn zuerst ab.
   *[other] Ein Projekt kann höchstens { $count } offene Uploads haben. Schließe zuerst einen ab.
}
rule-zip-damaged = Die Zip-Datei ist beschädigt oder nicht erlaubt aufgebaut. Erstelle sie neu.
rule-zip-entries = Die Zip-Datei enthält { $count } Dateien und Ordner. Erlaubt sind höchstens { $max }.
rule-zip-unpacked = Die Zip-Datei ist ausgepackt { $size } groß. Erlaubt sind höchstens { $max }.
rule-zip-encrypted = „{ $path }“ in der Zip-Datei ist verschlüsselt. Erstelle sie ohne Passwort.
rule-zip-compression = „{ $path }“ in der Zip-Datei ist so komprimiert, dass es sich nicht prüfen lässt. Verwende Deflate.
rule-zip-name = Der Name „{ $path }“ in der Zip-Datei lässt sich nicht auf jedem System auspacken. Ändere ihn.
rule-zip-twice = Die Zip-Datei enthält „{ $path }“ mehrmals oder eine Datei, wo ein Ordner sein muss. Erstelle sie neu.
rule-zip-link = „{ $path }“ ist eine Verknüpfung, die aus der Zip-Datei hinausführt. Entferne sie.
rule-zip-case-link = „{ $path }“ und eine Verknüpfung in der Zip-Datei haben auf Datenträgern ohne Groß- und Kleinschreibung denselben Namen. Benenne eine davon um.
rule-app-id = Gib die Nummer einer App ein oder den Link ihrer Seite im externen Store.
rule-app-no-page = Der externe Store hat keine Seite für diese App.
rule-app-not-game = Der externe Store führt diese App nicht als Spiel.
rule-publisher-key = Gib den Schlüssel mit 32 Zeichen ein: 0-9 und A-F.
rule-publisher-key-missing = Gib den Publisher-Schlüssel ein. Für diesen Eintrag ist keiner gespeichert.
rule-linked-app-changed = Die verknüpfte App hat sich gerade geändert. Versuche es noch einmal.
rule-sign-in-on = Die Anmeldung ist schon eingeschaltet. Ersetze stattdessen den Web-API-Schlüssel.
rule-auth-key-lost = Der Store hat diesen Schlüssel verloren. Erzeuge einen neuen und setze auch den Web-API-Schlüssel neu.

## Trailer

rule-not-video = Das ist kein MP4- oder WebM-Video.
rule-no-video-track = Die Datei hat keine Videospur.
rule-video-damaged = Das Video ist beschädigt oder unvollständig. Exportiere es noch einmal.
rule-video-missing = Wähle ein Video.
rule-file-bytes = Die Datei hat mehr als { $max }.
rule-file-empty = Die Datei ist leer.
rule-gallery-free = Die Galerie fasst { $max } Bilder und hat noch Platz für { $count }. Lösche zuerst welche.
rule-order-changed = Die Liste hat sich inzwischen geändert. Lade die Seite neu und versuche es noch einmal.
rule-not-captions = Die Untertitel sind keine WebVTT-Datei. Das ist UTF-8-Text, der mit WEBVTT beginnt.
rule-captions-line = Zeile { $line } der Untertitel ist keine Zeitangabe wie 00:01.000 --> 00:04.000.
rule-captions-empty = Die Untertitel haben keinen Text.
rule-captions-missing = Wähle eine Datei mit Untertiteln für diese Sprache.
rule-captions-count = { $count ->
    [one] Ein Trailer hat Untertitel in höchstens { $count } Sprache. Entferne erst eine.
   *[other] Ein Trailer hat Untertitel in höchstens { $count } Sprachen. Entferne erst eine.
}
rule-outside-video = Das ist nicht die Adresse eines Videos auf YouTube, Vimeo oder einem dieser PeerTube-Server: { $hosts }.
rule-outside-files = Ein verlinktes Video hat hier keine Dateien. Entferne es und lade das Video hoch.
rule-trailers = { $count ->
    [one] Ein Eintrag hat höchstens { $count } Trailer. Entferne erst einen.
   *[other] Ein Eintrag hat höchstens { $count } Trailer. Entferne erst einen.
}
rule-trailer-unchanged = Wähle, was sich ändern soll.

## Moderation

rule-suspended = Dein Konto ist gesperrt: { $statement }
rule-suspended-until = Dein Konto ist bis { $date } gesperrt: { $statement }
rule-publishing-suspended = Du kannst zurzeit nichts veröffentlichen: { $statement }
rule-publishing-suspended-until = Du kannst bis { $date } nichts veröffentlichen: { $statement }
rule-listing-hidden = Die Moderation hat dieses Projekt aus Suche und Listen ausgeblendet. Die Begründung steht in deinen Einstellungen.
rule-review-removed = Die Moderation hat deine Rezension entfernt. Die Begründung steht in deinen Einstellungen.
rule-label-locked = Das hat die Moderation festgelegt: { $values }. Die Begründung steht in deinen Einstellungen; dort kannst du widersprechen.
rule-labels-missing = Gib an, welche Kennzeichnung du berichtigst.
refusal-appeal-not-possible = Dieser Entscheidung wurde schon widersprochen, oder sie ist zu alt für einen Widerspruch.
rule-appeal-text = Schreibe, warum die Entscheidung falsch ist.
rule-appeal-reasons = Begründe deine Entscheidung.
rule-appeal-own-decision = Du hast die Entscheidung getroffen, um die es geht. Über den Widerspruch muss jemand anderes entscheiden.
rule-moderation-facts = Nenne den Sachverhalt, auf dem die Entscheidung beruht.
rule-moderation-ground = Wähle das Gesetz oder die Regel, auf der die Entscheidung beruht.
rule-moderation-no-change = Darüber wurde schon entschieden. Lade die Seite neu.
rule-moderation-own = Das betrifft dich selbst. Bitte jemand anderen, zu entscheiden.
rule-moderation-team = Über Mitglieder der Moderation entscheiden nur die Betreiber.
refusal-report-open = Du hast das schon gemeldet. Wir beantworten diese Meldung.
rule-report-text = Beschreibe, was nicht stimmt.
rule-report-url = Das müssen Adressen sein, die mit http:// oder https:// beginnen.
rule-report-copyright = Eine Urheberrechtsmeldung nennt das Werk und wem die Rechte gehören, und du unterschreibst mit deinem Namen.
rule-report-contact = Für eine Urheberrechtsmeldung brauchen wir eine E-Mail-Adresse, an die wir antworten können.
rule-reports-webhook-missing = Setze zuerst die Adresse des Webhooks.
rule-sweep-hash = Schreibe Hashes aus 64 hexadezimalen Ziffern, einen pro Zeile.
rule-sweep-empty-file = Darunter ist der Hash einer leeren Datei, die in den meisten Builds vorkommt.
rule-sweep-matches = Das trifft auf mehr als { $count } Einträge zu. Verwende weniger Hashes.
rule-sweep-subject = Gib entweder Hashes oder eine Regel an.
rule-sweep-rule = Die Regel lässt sich nicht übersetzen.
rule-sweep-running = Der Suchlauf läuft noch. Warte, bis er alle Dateien geprüft hat.
refusal-suspended = Dieses Konto ist gesperrt.
refusal-ground-and-facts-required = Eine Entscheidung braucht einen Grund und den Sachverhalt.

## Who may sign up and publish

rule-invitation-missing = Zum Registrieren brauchst du hier eine Einladung.
rule-invitation-unknown = Diese Einladung gibt es nicht. Prüfe, ob der Link vollständig ist.
rule-invitation-used = Diese Einladung ist aufgebraucht. Bitte um eine neue.
rule-invitation-expired = Diese Einladung ist abgelaufen. Bitte um eine neue.
rule-publishing-approval = Ein Betreiber dieses Stores muss zustimmen, bevor du veröffentlichen kannst. Frage in deinen Einstellungen unter „Veröffentlichen“ danach.
rule-publishing-invited = Nur wer von diesem Store eingeladen wurde, darf veröffentlichen.
rule-publishing-allowed = Du darfst schon veröffentlichen.
rule-publishing-requested = Deine Anfrage ist noch offen. Du bekommst eine Mail.
rule-release-waiting = Deine erste Veröffentlichung wird geprüft. Du bekommst eine Mail.
rule-release-decided = Über diese Veröffentlichung wurde schon entschieden.
rule-release-changed = Der Eintrag hat sich geändert, seit du ihn geöffnet hast. Sieh ihn dir noch einmal an.

## Logo und Symbol des Stores

rule-brand-image-type = Das ist kein SVG-, PNG- oder WebP-Bild.
rule-svg-unreadable = Das ist kein lesbares SVG-Bild. Exportiere es noch einmal.
rule-svg-no-size = Das Bild hat weder eine viewBox noch eine Breite und Höhe. Exportiere es mit einer dieser Angaben.
rule-svg-too-complex = Das Bild hat zu viele Teile. Vereinfache es.
rule-svg-declarations = Das Bild deklariert Entitäten. Exportiere es als einfaches SVG.

## E-Mail

rule-mail-server = Gib eine Adresse wie smtps://name:passwort@mail.example:465 ein.
rule-mail-recipient = Gib eine E-Mail-Adresse ein.
rule-mail-sender = Gib eine E-Mail-Adresse ein, oder einen Namen und eine Adresse in spitzen Klammern.

rule-file-bytes-removed = Die Bytes dieser Datei wurden nach der Prüfung entfernt. Sie muss noch einmal hochgeladen werden.
rule-file-quarantined = Diese Datei ist in Quarantäne. Stelle sie zuerst wieder her.
rule-not-replacement = Wähle einen anderen Build desselben Programms, der nicht zurückgezogen ist.

refusal-save-changed = Der Spielstand wurde inzwischen geändert. Lade ihn neu.
refusal-too-many-saves = Alle Plätze für Spielstände dieses Spiels sind belegt. Lösche erst einen.
refusal-player-not-shared = Dieses Spiel darf nicht wissen, wer du bist. Du kannst es auf seiner Seite erlauben.
