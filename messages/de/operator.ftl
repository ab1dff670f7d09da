# Die Konsole für alle, die den Store betreiben.

console-sections = Konsole
console-overview = Übersicht
console-people = Personen
console-listings = Einträge
console-jobs = Aufgaben
console-mail = E-Mail
console-settings = Einstellungen

## Einstellungen

page-contents = Auf dieser Seite
console-settings-text = Änderungen gelten innerhalb einer Sekunde für den ganzen Store. Ein leeres Feld bedeutet die Voreinstellung.
console-save = Änderungen speichern
console-saved = Einstellungen gespeichert
setting-group-identity = Auftritt
setting-group-access = Was der Store zulässt
setting-group-security = Sicherheit
setting-require-mfa = Wer einen zweiten Faktor haben muss
setting-require-mfa-hint = Diese Leute richten einen Passkey oder eine Authenticator-App ein, bevor es weitergeht. Schlüssel und Apps funktionieren weiter.
setting-require-mfa-off = Niemand
setting-require-mfa-operators = Betreiber und Moderatoren
setting-require-mfa-developers = Diese und Entwickler
setting-require-mfa-everyone = Alle
setting-second-factor-reset-wait = Stunden, bis ein zweiter Faktor zurückgesetzt wird
setting-second-factor-reset-wait-hint = Nachdem der Betrieb es veranlasst hat. Die Person erhält sofort eine E-Mail und kann es stoppen.
setting-security-event-days = Tage, die Sicherheitsereignisse aufbewahrt werden
setting-session-idle-days = Tage, bis eine unbenutzte Sitzung endet
setting-session-idle-days-hint = Nach so vielen Tagen ohne Besuch melden sich alle neu an.
setting-operator-idle-hours = Stunden, bis eine unbenutzte Sitzung von Betreibern und Moderatoren endet
setting-operator-idle-hours-hint = Kürzer, weil ihre Sitzungen den ganzen Store ändern können.
setting-group-limits = Grenzen
setting-gifts-per-day = Exemplare, die eine Person pro Tag verschenken kann
setting-gifts-per-day-hint = Geschenke erscheinen in den Bibliotheken anderer. Dies begrenzt, wie viel Fremde dort ablegen können.
setting-account-requests-per-minute = Anfragen eines Kontos pro Minute
setting-account-requests-per-minute-hint = An alle privaten Routen zusammen, die keine eigene Grenze haben. Eine Seite der Website stellt mehrere.
setting-account-uploads = Gleichzeitige Uploads eines Kontos
setting-account-uploads-hint = Ein Eintrag hat mit seinem Deploy-Schlüssel ebenso viele.
setting-service-uploads = Uploads, die jeder Prozess gleichzeitig empfängt
setting-group-prices = Preise und Gebühren
setting-store-name = Name des Stores
setting-store-name-hint = In der Kopfzeile, in Mails, Feeds und Linkvorschauen.
setting-powered-by = Software in der Fußzeile und in Feeds nennen
setting-adult-content = Inhalte für Erwachsene
setting-adult-content-hint = Solange das aus ist, sehen nur die Eigentümer ihre Einträge mit Inhalten für Erwachsene.
setting-paid-listings = Preise
setting-paid-listings-hint = Solange das aus ist, bleiben Preise von früher, aber niemand kann einen Preis setzen.
setting-asset-types = Arten neuer Einträge
setting-asset-types-hint = Einträge anderer Arten bleiben.
setting-asset-types-game = Spiel
setting-asset-types-application = Anwendung
setting-asset-types-tool = Tool
setting-asset-types-mod = Mod
setting-asset-types-plugin = Plugin
setting-asset-types-game-asset = Spiel-Asset
setting-asset-types-dev-asset = Entwickler-Asset
brand-preview = Vorschau
brand-preview-button = Herunterladen
setting-group-branding = Gestaltung
setting-tagline = Slogan
setting-tagline-hint = Worum es im Store geht, in einem Satz. Suchmaschinen und Linkvorschauen zeigen ihn.
setting-contact = Kontakt
setting-contact-hint = Eine E-Mail-Adresse oder die https-Adresse einer Seite. Auf jeder Seite verlinkt.
setting-accent-color = Akzentfarbe
setting-accent-color-hint = Für Schaltflächen und Markierungen, zum Beispiel #1b6f5c. Text in dieser Farbe muss lesbar sein: mit einem Kontrast von mindestens 4,5:1 zum hellen Hintergrund.
setting-accent-color-dark = Akzentfarbe im dunklen Design
setting-accent-color-dark-hint = Ist das Feld leer, wird die Akzentfarbe aufgehellt.
setting-footer-links = Links in der Fußzeile
setting-footer-links-hint = Bis zu 12. Adressen beginnen mit https://, mailto: oder /. Speichere, um weitere leere Zeilen zu erhalten.
setting-footer-links-label = Beschriftung
setting-footer-links-url = Adresse
setting-announcement = Ankündigung
setting-announcement-hint = Ein Balken über jeder Seite, den man schließen kann.
setting-announcement-text = Text
setting-announcement-url = Link
setting-announcement-starts-on = Erster Tag
setting-announcement-ends-on = Letzter Tag
# The label of a field in a row of a list, for screen readers.
setting-row = { $field }, Zeile { $row }
setting-min-price-cents = Niedrigster Preis in Cent
setting-max-price-cents = Höchster Preis in Cent
setting-sale-fee-fixed-cents = Feste Verkaufsgebühr in Cent
setting-sale-fee-percent = Verkaufsgebühr in Prozent des Preises
setting-editions-max = Editionen pro Eintrag
setting-editions-max-hint = Wie viele ein Eintrag haben darf.
setting-refund-window-hours = Rückgabefrist in Stunden
setting-refund-window-hours-hint = Wie lange ein Kauf zurückgegeben werden kann.
# Variables: $variable (String): the name of an environment variable.
setting-is-fixed = Durch die Umgebungsvariable { $variable } festgelegt. Ändere sie dort und starte den Store neu.
setting-is-default = Voreinstellung
setting-is-on = An
setting-is-off = Aus
setting-is-empty = Leer
setting-changes = Änderungen
setting-changes-none = Noch hat niemand eine Einstellung geändert.
setting-change-setting = Einstellung
setting-change-before = Vorher
setting-change-after = Nachher
setting-change-person = Geändert von
setting-change-time = Zeit
console-nobody = Kommandozeile oder gelöschtes Konto

## Logo und Symbol

brand-images = Logo und Symbol
brand-images-text = Sie ändern sich innerhalb einer Sekunde auf allen Seiten.
brand-image-saved = Bild gespeichert
brand-image-removed = Bild entfernt
brand-logo = Logo
brand-logo-alt = Das Logo des Stores
brand-logo-none = Die Seiten zeigen neben dem Namen des Stores das voreingestellte Logo.
brand-logo-file = Logodatei
brand-logo-hint = SVG, PNG oder WebP mit höchstens { $bytes }. Ein Logo, das mehr als doppelt so breit wie hoch ist, steht anstelle des Namens.
brand-logo-remove = Logo entfernen
brand-favicon = Symbol
brand-favicon-alt = Das Symbol des Stores
brand-favicon-none = Browser-Tabs und Startbildschirme zeigen das voreingestellte Symbol.
brand-favicon-file = Symboldatei
brand-favicon-hint = SVG, oder PNG oder WebP mit mindestens 512 × 512 Pixeln, mit höchstens { $bytes }. Am besten quadratisch.
brand-favicon-remove = Symbol entfernen
# Variables: $hash (String): the beginning of the SHA-256 of the image.
setting-is-image = Bild { $hash }

## Mailserver

setting-group-mail = E-Mail
setting-mail-from = Absender von Mails
setting-mail-from-hint = Zum Beispiel Harbor <no-reply@harbor.example>. Ist das Feld leer, tragen Mails den Namen des Stores und keine brauchbare Adresse.
setting-is-set = Gesetzt
mail-server-environment = In der Umgebung gesetzt
mail-server-settings = Gesetzt; die Adresse wird nicht angezeigt
mail-server-none = Keiner
mail-server-outbox = Ohne Mailserver werden Mails nicht verschickt. Sie landen als Dateien im Ordner outbox der Daten des Dienstes.
mail-server-address = Adresse des Mailservers
mail-server-address-hint = Zum Beispiel smtps://name:passwort@mail.example:465. Sie wird verschlüsselt gespeichert und nie wieder angezeigt.
mail-server-save = Mailserver speichern
mail-server-saved = Mailserver gespeichert. Sende eine Testmail, um zu sehen, ob er funktioniert.
mail-server-remove = Mailserver entfernen
mail-server-removed = Mailserver entfernt

## Meldungen: Mail und Webhook

setting-group-reports = Meldungen
setting-reports-email = Adresse für neue Meldungen
setting-reports-email-hint = Sie bekommt eine Mail über neue Meldungen, höchstens alle 10 Minuten. Leer für keine.
setting-reports-webhook-url = Webhook für neue Meldungen
setting-reports-webhook-url-hint = Eine https-Adresse, die zu jeder neuen Meldung eine signierte Nachricht bekommt, oder der Webhook eines Chatdienstes. Leer für keine.
reports-webhook = Webhook für Meldungen
reports-webhook-link = Webhook testen, Signaturschlüssel und Zustellungen ansehen
# Variables: $link: leads to the settings.
reports-webhook-text = Jede neue Meldung wird an eine Adresse von dir gesendet, ohne die meldende Person und ihren Text. Die Adresse änderst du in den <link>Einstellungen</link>.
reports-webhook-address = Adresse
reports-webhook-signature = Signatur
reports-webhook-test = Test senden
reports-webhook-tested = Der Webhook hat den Test angenommen
reports-webhook-test-failed = Der Webhook hat den Test nicht angenommen: { $error }
reports-webhook-key-replace = Alles, was ab jetzt gesendet wird, ist mit dem neuen Schlüssel signiert. Trage ihn auch in deinem Programm ein.
reports-webhook-nothing = Noch nichts gesendet
reports-webhook-nothing-text = Solange eine Adresse gesetzt ist, wird jede neue Meldung dorthin gesendet und hier aufgeführt.
attention-deliveries = { $count ->
    [one] <link>{ $count } Meldung</link> konnte nicht an den Webhook gesendet werden.
   *[other] <link>{ $count } Meldungen</link> konnten nicht an den Webhook gesendet werden.
}

## Dateien und Prüfungen

console-files = Dateien und Prüfungen
files-search = Name der Datei oder des Eintrags, oder SHA-256
files-none = Keine Dateien
stored-file-file = Datei
stored-file-size = Größe
stored-file-last-scan = Letzte Prüfung
stored-file-not-scanned = Noch nicht
stored-file-scan-again = Erneut prüfen
stored-file-scan-sent = Die Datei wird erneut geprüft
stored-file-state-waiting = Wartet
stored-file-state-scanning = Wird geprüft
stored-file-state-clean = Sauber
stored-file-state-rejected = Abgelehnt
stored-file-state-error = Prüfung fehlgeschlagen
stored-file-state-quarantined = In Quarantäne
stored-file-state-withdrawn = Zurückgezogen
scanner-engine = Virenscanner
scanner-last = Letztes Ergebnis
scanner-queue = Warteschlange
# Variables: $waiting, $scanning (Number): files; $minutes (Number): how long the oldest has waited.
scanner-queue-counts =
    { $waiting } warten, { $scanning } werden geprüft{ $minutes ->
        [0] { "" }
       *[other] ; die älteste seit { $minutes } Min.
    }

## Übersicht

console-attention = Darum solltest du dich kümmern
attention-none = Alles funktioniert
attention-mark = Prüfen
attention-failing = Die Prüfung { $check } des Dienstes schlägt fehl.
attention-degraded = Die Prüfung { $check } des Dienstes ist eingeschränkt: Der Store funktioniert, aber langsamer.
attention-jobs = { $count ->
    [one] <link>{ $count } Aufgabe</link> ist nach allen Versuchen gescheitert.
   *[other] <link>{ $count } Aufgaben</link> sind nach allen Versuchen gescheitert.
}
attention-reports = { $count ->
    [one] <link>{ $count } Ziel</link> wurde gemeldet und wartet auf eine Entscheidung.
   *[other] <link>{ $count } Ziele</link> wurden gemeldet und warten auf eine Entscheidung.
}
attention-appeals = { $count ->
    [one] <link>{ $count } Widerspruch</link> wartet auf eine Entscheidung.
   *[other] <link>{ $count } Widersprüche</link> warten auf eine Entscheidung.
}
attention-releases = { $count ->
    [one] <link>{ $count } erste Veröffentlichung</link> wartet auf eine Prüfung.
   *[other] <link>{ $count } erste Veröffentlichungen</link> warten auf eine Prüfung.
}
attention-publishers = { $count ->
    [one] <link>{ $count } Person</link> möchte veröffentlichen.
   *[other] <link>{ $count } Personen</link> möchten veröffentlichen.
}
attention-orders = { $count ->
    [one] <link>{ $count } Bestellung</link> braucht einen Betreiber: eine Überweisung bestätigen, Geld zurücksenden, eine gescheiterte Erstattung, eine Reklamation oder ein Problem.
   *[other] <link>{ $count } Bestellungen</link> brauchen einen Betreiber: Überweisungen bestätigen, Geld zurücksenden, gescheiterte Erstattungen, Reklamationen oder Probleme.
}
attention-no-mail = Niemand erhält Mails, weil <link>kein Mailserver eingerichtet ist</link>. Mails werden als Dateien abgelegt.
attention-mail = { $count ->
    [one] <link>{ $count } Mail</link> der letzten { $days } Tage konnte nicht zugestellt werden. Der Mailserver antwortete:
   *[other] <link>{ $count } Mails</link> der letzten { $days } Tage konnten nicht zugestellt werden. Die letzte Antwort des Mailservers:
}
attention-bounces = { $count ->
    [one] <link>{ $count } E-Mail</link> war in den letzten { $days } Tagen unzustellbar.
   *[other] <link>{ $count } E-Mails</link> waren in den letzten { $days } Tagen unzustellbar.
}
attention-disk-uploads = Der Speicher ist fast voll, deshalb werden Uploads abgelehnt: { $free } von { $total } sind frei. Sieh dir den <link>Speicherplatz nach Eintrag</link> an.
attention-disk = Der Speicher ist fast voll: { $free } von { $total } sind frei. Sieh dir den <link>Speicherplatz nach Eintrag</link> an.
attention-certificate = { $count ->
    [0] Das Zertifikat des Stores läuft innerhalb eines Tages ab.
    [one] Das Zertifikat des Stores läuft in { $count } Tag ab.
   *[other] Das Zertifikat des Stores läuft in { $count } Tagen ab.
}
attention-certificate-ended = Das Zertifikat des Stores ist abgelaufen.
attention-storage-other-catalog = Es werden keine gespeicherten Dateien entfernt, weil der Objektspeicher als der eines anderen Stores markiert ist. Prüfe S3_URL und DATA_DIR. Bestätige nur, wenn seine Dateien zu diesem Store gehören.
attention-storage-older-database = Es werden keine gespeicherten Dateien entfernt, weil eine andere Kopie dieses Stores den Objektspeicher benutzt hat, seit diese Datenbank gesichert wurde. Bestätige nicht, wenn dies eine Kopie neben dem laufenden Store ist. Bestätige, wenn sie ihn ersetzt.
attention-storage-restored-database = Es werden keine gespeicherten Dateien entfernt, weil die Datenbank wiederhergestellt, verschoben oder durch ihren Standby ersetzt wurde. Bestätige, wenn es die Datenbank des laufenden Stores ist. Bestätige nicht, wenn dies eine Kopie daneben ist.
attention-storage-unknown-objects = Es werden keine gespeicherten Dateien entfernt, weil die meisten davon in dieser Datenbank unbekannt sind. Prüfe DATABASE_URL und den Objektspeicher. Bestätige nur, wenn die Dateien zu diesem Store gehören.
attention-storage-sweep = Das Aufräumen { $name } würde { $orphans } von { $objects } gespeicherten Dateien entfernen und hat deshalb keine entfernt. Prüfe sie mit { $command }. Bestätige, wenn sie in den Papierkorb dürfen.
storage-confirm = Bestätigen
storage-confirmed = Bestätigt. Das nächste Aufräumen entfernt wieder Dateien.
attention-update = Neuere Versionen sind verfügbar:
console-disk = <strong>{ $free }</strong> von { $total } frei
console-people-count = { $count ->
    [one] <strong>{ $count }</strong> Konto
   *[other] <strong>{ $count }</strong> Konten
}
console-listings-count = { $count ->
    [one] <strong>{ $count }</strong> öffentlicher Eintrag
   *[other] <strong>{ $count }</strong> öffentliche Einträge
}
console-decisions-count = { $count ->
    [one] <strong>{ $count }</strong> Entscheidung der Moderation in { $days } Tagen
   *[other] <strong>{ $count }</strong> Entscheidungen der Moderation in { $days } Tagen
}
console-figures = Die letzten { $days } Tage
console-sign-ups = Registrierungen
console-downloads = Downloads
console-sign-ins = Anmeldungen
console-play-sessions = Spielsitzungen, die Spiele gemeldet haben
console-backups = Backups
console-backups-none = Diesem Store ist kein Backup bekannt. In { $file } steht, wie du mit einem Befehl eines machst. Backups, die du auf andere Weise machst, sind hier nicht bekannt.
console-backups-last = Das letzte Backup endete { $at }, in { $target }. In { $file } steht, wie du es wiederherstellst.
attention-backup = { $count ->
    [one] Das letzte <link>Backup</link> ist { $count } Tag alt.
   *[other] Das letzte <link>Backup</link> ist { $count } Tage alt.
}
attention-damaged = { $count ->
    [one] { $count } gespeichertes Objekt ist beschädigt oder fehlt und konnte nicht repariert werden. { $command } nennt es.
   *[other] { $count } gespeicherte Objekte sind beschädigt oder fehlen und konnten nicht repariert werden. { $command } nennt sie.
}
console-new-listings = Neue öffentliche Einträge
console-storage = Speicherplatz nach Eintrag
console-listing = Eintrag
console-owner = Eigentümer
console-size = Größe
console-state = Zustand
console-any-state = Jeder Zustand
console-created = Erstellt
console-search-none = Versuche es mit dem Anfang eines anderen Namens.

## Einträge

listings-search = Name eines Eintrags oder seines Eigentümers
listings-none = Kein Eintrag gefunden
listing-history = Verlauf
listing-history-of = Verlauf<hidden> von { $name }</hidden>
history-text = Veröffentlichungen, Prüfungen, Entscheidungen der Moderation und Einträge des Protokolls, die neuesten zuerst. Zeiten in UTC.
history-when = Wann
history-event = Was
history-details = Einzelheiten
history-who = Wer
history-created = Angelegt
history-published = Zum ersten Mal öffentlich
history-deleted = Gelöscht
history-upload = Neuer Build
history-promote = Build freigegeben
history-rollback = Zurückgesetzt
history-delete = Build gelöscht
history-withdraw = Build zurückgezogen
history-restore = Build wiederhergestellt
history-review-requested = Erste Veröffentlichung beantragt
history-review-approved = Erste Veröffentlichung genehmigt
history-review-declined = Erste Veröffentlichung abgelehnt
history-price = Preis geändert
history-visibility = Sichtbarkeit geändert
listing-decisions = Entscheidungen
listing-deleted = Gelöscht

## Personen

people-search = Benutzername oder E-Mail-Adresse
people-none = Niemand gefunden
person-developer = Entwicklung
person-operator = Betrieb
person-sessions = Sitzungen
person-joined = Dabei seit
person-verify = Adresse bestätigen
person-verified = Die Adresse ist bestätigt
person-make-operator = Zum Betrieb hinzufügen
person-make-operator-text = { $username } sieht dann die ganze Konsole und kann alle Einstellungen ändern.
person-operator-made = Diese Person kann den Store jetzt betreiben
person-remove-operator = Aus dem Betrieb entfernen
person-remove-operator-text = { $username } kann diese Konsole dann nicht mehr öffnen. Das Konto bleibt.
person-operator-removed = Diese Person betreibt den Store nicht mehr
person-second-factor = Zweiter Faktor
person-second-factor-on = Eingerichtet
person-second-factor-off = Keiner
person-reset-due = Wird am { $time } UTC zurückgesetzt
person-reset = Zweiten Faktor zurücksetzen
person-reset-text = { $username } erhält sofort eine E-Mail und kann es stoppen. Nach der Wartezeit werden Passkeys, Authenticator-App und Wiederherstellungscodes entfernt. Wer das Passwort hat, kann sich dann anmelden. Prüfe vorher, wer darum bittet.
person-reset-requested = Die Person erhält eine E-Mail und kann das Zurücksetzen stoppen
person-reset-stop = Zurücksetzen stoppen
person-reset-stopped = Der zweite Faktor bleibt
person-moderator = Moderation
person-suspended = Gesperrt
person-publishing-suspended = Für Veröffentlichungen gesperrt
person-make-moderator = Zur Moderation hinzufügen
person-make-moderator-text = { $username } sieht dann alle Meldungen und kann über Inhalte und Personen entscheiden.
person-moderator-made = Diese Person moderiert jetzt
person-remove-moderator = Aus der Moderation entfernen
person-remove-moderator-text = { $username } sieht dann keine Meldungen mehr. Das Konto bleibt.
person-moderator-removed = Diese Person moderiert nicht mehr
person-suspension = Sperre
person-suspend = Sperren
person-suspend-text = { $username } erhält Grund und Nachricht per Mail und kann widersprechen.
person-is-suspended = Die Person ist gesperrt
person-suspended-until = Bis
person-suspended-for-good = Auf Dauer
person-lift = Sperre aufheben
person-lifted = Die Sperre ist aufgehoben
person-data = Persönliche Daten
person-data-text = Der Export ist eine JSON-Datei mit allem, was zu diesem Konto gespeichert ist. Gib sie nur der Person selbst.
person-export = Daten exportieren
person-delete = Konto löschen
person-delete-text = Löscht das Konto mit Sitzungen, Schlüsseln, Exemplaren, Spielzeit, Rezensionen und Tags. Fehlerberichte bleiben ohne den Namen. Das lässt sich nicht rückgängig machen.
person-delete-username = Tippe zur Bestätigung { $username } ein.
person-delete-listings = { $count ->
    [one] Auch den Eintrag dieser Person löschen, mit allem darin
   *[other] Auch die { $count } Einträge dieser Person löschen, mit allem darin
}
person-deleted = Das Konto ist gelöscht
person-sessions-none = Diese Person ist nirgends angemeldet.
person-sessions-end = Alle Sitzungen beenden
person-sessions-end-text = { $username } muss sich überall neu anmelden. Schlüssel und verbundene Apps funktionieren weiter.
person-sessions-ended = Die Sitzungen sind beendet

## Aufgaben

console-jobs-text = Aufgaben, die nach allen Versuchen gescheitert sind. Behebe zuerst die Ursache und wiederhole sie dann.
job-name = Aufgabe
job-error = Fehler
job-no-error = Keine Meldung
job-attempts = Versuche
job-failed-at = Gescheitert
job-replay = Wiederholen
job-replay-all = Alle wiederholen
jobs-none = Keine gescheiterten Aufgaben
jobs-none-text = Eine Aufgabe erscheint hier, wenn ihr letzter Versuch gescheitert ist.
jobs-replayed = { $count ->
    [one] { $count } Aufgabe wird wiederholt
   *[other] { $count } Aufgaben werden wiederholt
}

## E-Mails

console-mail-text = Die E-Mails der letzten { $days } Tage, ohne ihren Text. Unzustellbar ist eine E-Mail, die der Mailserver endgültig abgelehnt hat.
mail-time = Zeit
mail-kind = E-Mail
mail-recipient = An
mail-state-queued = Wartet
mail-state-sent = Gesendet
mail-state-failed = Gescheitert
mail-state-bounced = Unzustellbar
mail-bounces = { $count ->
    [one] { $count } E-Mail unzustellbar
   *[other] { $count } E-Mails unzustellbar
}
mail-resend = Erneut senden
mail-resent = Die E-Mail wartet wieder auf den Versand
mail-none = Keine E-Mails
mail-none-text = Hier erscheint jede E-Mail, die der Store verschickt.
