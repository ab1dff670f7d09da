# Entscheidungen der Moderation und Meldungen.

## Worum es geht

moderation-target-listing = Eintrag „{ $name }“
moderation-target-file = Datei „{ $name }“
moderation-target-build = Build „{ $name }“
moderation-target-review = Rezension zu „{ $name }“
moderation-target-tag = Community-Tag „{ $name }“
moderation-target-image = Bild von „{ $name }“
moderation-target-bug-message = Fehlerbericht zu „{ $name }“
moderation-target-person = Konto { $name }

## Was geschah

moderation-action-dismiss = Meldung zurückgewiesen
moderation-action-warn = Verwarnung
moderation-action-label = Kennzeichnung berichtigt
moderation-action-hide = Aus Suche und Listen ausgeblendet
moderation-action-take-down = Vom Netz genommen
moderation-action-quarantine = In Quarantäne
moderation-action-remove = Entfernt
moderation-action-suspend = Konto gesperrt
moderation-action-restore = Wiederhergestellt

## Gründe

moderation-ground-law-copyright = Gesetz: Urheberrecht
moderation-ground-law-privacy = Gesetz: Datenschutz
moderation-ground-law-illegal = Gesetz: rechtswidriger Inhalt
moderation-ground-rule-malware = Regel: Schadsoftware
moderation-ground-rule-hate = Regel: Hass oder Belästigung
moderation-ground-rule-spam = Regel: Spam oder Täuschung
moderation-ground-rule-false-label = Regel: falsche oder fehlende Kennzeichnung
moderation-ground-rule-adult = Regel: Inhalte für Erwachsene
moderation-ground-rule-other = Regel: sonstiges
moderation-ground-no-violation = Kein Verstoß festgestellt

## Entscheidungen über die lesende Person

moderation-decisions = Entscheidungen der Moderation
moderation-no-decisions = Keine Entscheidung der Moderation betrifft dich.
moderation-decided = Entschieden
moderation-ground = Grund
moderation-facts = Sachverhalt
moderation-origin = Anlass
moderation-origin-report = Meldungen. Menschen haben darüber entschieden.
moderation-origin-sweep = Eine Suche nach bekannten Inhalten. Menschen haben darüber entschieden.
moderation-origin-own = Die Moderation ist selbst darauf gestoßen. Menschen haben darüber entschieden.
moderation-redress = Du kannst auch vor Gericht gehen, in der EU auch zu einer zertifizierten Stelle für außergerichtliche Streitbeilegung.
moderation-undone = Aufgehoben
moderation-ended = Beendet
moderation-see-decision = <link>Zur Begründung</link>

## Mails

mail-statement-subject = Entscheidung der Moderation: { $target }
mail-statement = Die Moderation von { $store } hat hierüber entschieden: { $target }. Ergebnis: { $action }.
moderation-suspended-from = Gesperrt für
moderation-suspended-for = Dauer der Sperre
moderation-for-good = Unbefristet
moderation-for-days = { $days ->
    [one] { $days } Tag
   *[other] { $days } Tage
}
mail-statement-label = { $label }: { $value }
mail-statement-ground = Grund: { $ground }
mail-statement-facts = Sachverhalt: { $facts }
mail-statement-more = Diese Begründung findest du auf { $url }
mail-statement-appeal = Hältst du diese Entscheidung für falsch, kannst du innerhalb von 180 Tagen einmal widersprechen, auch ohne dich anzumelden: { $url }
mail-appeal-subject = Entscheidung über deinen Widerspruch: { $target }
mail-appeal = Die Moderation von { $store } hat über deinen Widerspruch entschieden. Er betrifft: { $target }. Erste Entscheidung: { $action }.

## Meldungen

report = Melden
report-listing = Eintrag melden
report-file = Datei melden
report-review = Rezension melden
report-tag = Community-Tag melden
report-bug-message = Fehlerbericht melden
report-person = Person melden
report-intro = Meldungen gehen an die Moderation. Wer gemeldet hat, erfährt die andere Seite nicht.
report-kind = Was stimmt nicht?
report-choose = Auswählen
report-kind-illegal = Rechtswidriger Inhalt
report-kind-malware = Schadsoftware
report-kind-copyright = Urheberrecht
report-kind-privacy = Datenschutz
report-kind-hate = Hass oder Belästigung
report-kind-spam = Spam oder Täuschung
report-kind-false-label = Falsche oder fehlende Kennzeichnung, etwa als Inhalt für Erwachsene
report-kind-other = Etwas anderes
report-text = Beschreibung
report-text-hint = Beschreibe, was nicht stimmt und wo genau.
report-urls = Links
report-urls-hint = Adressen von Belegen, eine pro Zeile, höchstens { $count }.
report-email = E-Mail-Adresse
report-email-hint = Wir teilen dir unsere Entscheidung mit. Bei Urheberrechtsmeldungen nötig; sonst schreiben wir an dein Konto, wenn du angemeldet bist.
report-copyright = Für Urheberrechtsmeldungen
report-work = Das kopierte Werk
report-holder = Wem die Rechte gehören
report-signature = Dein voller Name als Unterschrift
report-good-faith = Ich versichere nach bestem Wissen, dass diese Meldung richtig und vollständig ist.
report-send = Meldung senden
report-received = Deine Meldung
report-state-open = Deine Meldung ist angekommen. Wir sehen sie uns an.
report-state-no-action = Wir haben deine Meldung geprüft und keinen Verstoß festgestellt.
report-state-action-taken = Wir haben deine Meldung geprüft und gehandelt.
report-about = Betrifft
report-sent-at = Gesendet
report-keep-address = Bewahre die Adresse dieser Seite auf, um hier die Entscheidung zu sehen.

mail-report-subject = Deine Meldung ist angekommen: { $target }
mail-report = Danke für deine Meldung an { $store }. Sie betrifft: { $target }.
mail-report-next = Die Moderation sieht sie sich an und entscheidet. Die Entscheidung bekommst du per Mail.
mail-report-state = Den Stand siehst du auf { $url }
mail-new-reports-subject =
    { $count ->
        [one] Eine neue Meldung in { $store }
       *[other] { $count } neue Meldungen in { $store }
    }
mail-new-reports = Sie warten auf eine Entscheidung: { $url }
mail-new-reports-more = Und { $count } weitere.
mail-new-report = { $target }: { $kind }
mail-report-decided-subject = Entscheidung über deine Meldung: { $target }
mail-report-decided = Die Moderation von { $store } hat über deine Meldung entschieden. Sie betrifft: { $target }.
mail-report-action-taken = Wir haben einen Verstoß festgestellt und gehandelt.
mail-report-no-action = Wir haben keinen Verstoß festgestellt.

## Die Liste der Moderation

moderation = Moderation
moderation-queue = Alle offenen Meldungen
moderation-open-reports = Offene Meldungen
moderation-queue-empty = Keine offenen Meldungen
moderation-queue-empty-text = Neue Meldungen erscheinen hier.
moderation-target = Betrifft
moderation-reports = Meldungen
moderation-newest = Neueste
moderation-assigned = Zugewiesen an
moderation-assigned-to = Zugewiesen an { $username }
moderation-take = Mir zuweisen
moderation-give-back = Zurückgeben
moderation-open-page = Seite öffnen
moderation-snapshot = Stand bei der Meldung
moderation-reporter-record =
    { $reports ->
        [0] Die erste Meldung dieser Person
        [one] Eine frühere Meldung dieser Person, davon berechtigt: { $upheld }
       *[other] { $reports } frühere Meldungen dieser Person, davon berechtigt: { $upheld }
    }
moderation-subject-record = { $username } hat bisher { $warnings ->
    [one] { $warnings } Verwarnung
   *[other] { $warnings } Verwarnungen
} und { $restrictions ->
    [one] { $restrictions } Einschränkung
   *[other] { $restrictions } Einschränkungen
}.
moderation-decide = Entscheiden
moderation-action = Maßnahme
moderation-statement = Nachricht an die betroffene Person
moderation-statement-hint = Sie bekommt sie per Mail und im Dashboard. Ohne sie bekommt sie den Sachverhalt.
moderation-do-dismiss = Meldungen zurückweisen
moderation-do-warn = Verwarnen
moderation-do-label = Kennzeichnung berichtigen
moderation-labels = Kennzeichnung zum Berichtigen
moderation-labels-none = Keine
moderation-adult = Inhalte für Erwachsene
moderation-adult-no = Nein
moderation-adult-yes = Ja
moderation-tags-hint = Eins pro Zeile.
moderation-do-hide = Aus Suche und Listen ausblenden
moderation-do-take-down = Vom Netz nehmen
moderation-do-quarantine = In Quarantäne nehmen
moderation-do-remove = Entfernen
moderation-do-suspend = Person sperren
moderation-do-restore = Wiederherstellen
moderation-scope = Sperren für
moderation-scope-publishing = Veröffentlichen
moderation-scope-everything = Alles
moderation-days = Tage
moderation-days-hint = Leer: auf Dauer.
moderation-log = Frühere Entscheidungen
moderation-gone = Das Ziel wurde gelöscht. Es gibt nichts zu entscheiden.
moderation-gone-open = Das Ziel wurde gelöscht. Offene Meldungen lassen sich nur noch zurückweisen.
moderation-decision-stored = Entscheidung gespeichert.

## Die Seite eines Ziels

moderate = Moderieren
moderation-find = Name, Benutzername oder Adresse einer Seite
moderation-find-none = Nichts gefunden
target-belongs = Gehört zu
target-record = Bisher
target-since = seit { $date }
target-until = bis { $date }
target-restorable-until = vom Besitzer, wiederherstellbar bis { $date }
target-active = Aktiv
target-not-shown = Nicht sichtbar
target-suspended-publishing = Fürs Veröffentlichen gesperrt
target-suspended-everything = Für alles gesperrt
target-listing-deleted = Eintrag gelöscht
target-listing-taken-down = Eintrag vom Netz genommen
target-no-open-reports = Niemand wartet auf eine Entscheidung.
target-decided-reports = Entschiedene Meldungen
target-decided-by-others = Das betrifft dich. Bitte jemand anderen aus der Moderation, darüber zu entscheiden.
target-decided-by-operators = Das betrifft jemanden aus der Moderation. Darüber entscheiden nur die Betreiber.
parts-listings = Einträge
parts-builds = Builds
parts-files = Dateien
parts-images = Bilder
parts-all = Alle { $count } anzeigen
image-slot-cover = Titelbild
image-slot-thumbnail = Vorschaubild
image-slot-gallery = Galeriebild
image-slot-avatar = Profilbild
image-slot-banner = Banner
snapshot-name = Name
snapshot-price = Preis
snapshot-files = Dateien
snapshot-uploaded = Hochgeladen
snapshot-findings = Funde
snapshot-entries = Inhalt
snapshot-author = Verfasst von
snapshot-text = Text
snapshot-enjoyed = Hat gefallen
snapshot-quality = Qualität
snapshot-reply = Antwort des Entwicklers
snapshot-bio = Über
snapshot-message = Nachricht

## Das Protokoll der Entscheidungen

decision-log = Alle Entscheidungen
decisions-none = Noch keine Entscheidungen
decisions-none-text = Jede Entscheidung der Moderation erscheint hier.
decisions-no-match = Keine Entscheidung passt dazu
decision-person = Betroffene Person
decision-any-action = Jede Maßnahme
decision-any-ground = Jeder Grund
decision-state-in-force = In Kraft
decision-state-appealed = Mit Widerspruch
decision-appeal-waiting = Widerspruch offen
decision-appeal-upheld = Trotz Widerspruch bestätigt
decision-appeal-reversed = Nach Widerspruch aufgehoben
decision-open-appeal = Widerspruch öffnen
decision-no-statement = Niemand hat eine Nachricht zu dieser Entscheidung bekommen.

## Suchläufe: gespeicherte Inhalte nach Hash finden

sweeps = Suchläufe
sweeps-text = Finde alle gespeicherten Dateien mit bestimmtem Inhalt, sieh dir die Treffer an und nimm sie mit einer Entscheidung in Quarantäne. Ihre Hashes sind danach für neue Uploads blockiert.
sweep = Suchlauf
sweep-start = Suchlauf starten
sweep-new = Neuer Suchlauf
sweep-hashes = SHA-256-Hashes
sweep-hashes-hint = Von ganzen Dateien oder von Dateien darin, einer pro Zeile, höchstens { $count }.
sweep-start-rule = Suchlauf mit Regel starten
sweep-rule = YARA-Regel
sweep-rule-hint = Prüft im Hintergrund alle verfügbaren Dateien. Dateien über 16 MiB werden in Teilen geprüft.
sweep-by-rule = Mit Regel
sweep-progress = Fortschritt
sweep-progress-text = { $scanned } von { $files } Dateien geprüft
sweep-failed-text = { $count ->
    [one] Eine Datei konnte nicht geprüft werden.
   *[other] { $count } Dateien konnten nicht geprüft werden.
}
sweep-reload = Neu laden
sweep-started = Gestartet
sweep-by = Von
sweep-state = Stand
sweep-state-running = Läuft
sweep-state-ready = Bereit zur Entscheidung
sweep-state-quarantined = In Quarantäne
sweep-files = Gefundene Dateien
sweep-none = Noch keine Suchläufe
sweep-none-text = Hier erscheinen die Suchläufe des Teams.
sweep-all = Alle Suchläufe
sweep-by-hash = { $count ->
    [one] Ein Hash
   *[other] { $count } Hashes
}
sweep-matches = Treffer
sweep-no-matches = Keine Treffer
sweep-no-matches-text = Keine gespeicherte Datei hat diesen Inhalt. Du kannst die Hashes trotzdem blockieren.
sweep-listing = Eintrag im Katalog
sweep-version = Version
sweep-publisher = Herausgeber
sweep-file = Datei
sweep-entry = Datei im Archiv
sweep-whole-file = Die ganze Datei
sweep-scan = Stand
sweep-scan-scanning = Wird geprüft
sweep-scan-clean = Verfügbar
sweep-scan-infected = Abgelehnt
sweep-scan-error = Nicht geprüft
sweep-scan-quarantined = In Quarantäne
sweep-scan-withdrawn = Zurückgezogen
sweep-quarantine = Alle Treffer in Quarantäne nehmen
sweep-quarantine-text = Jede gefundene Datei kommt in Quarantäne, wer sie veröffentlicht hat, bekommt eine Begründung, und Uploads mit diesem Inhalt werden ab dann abgelehnt.
sweep-quarantined = Dateien in Quarantäne: { $files }. Blockierte Hashes: { $hashes }.

blocked-hashes = Blockierte Hashes
blocked-hashes-text = Uploads mit diesem Inhalt werden abgelehnt.
blocked-hashes-none = Keine blockierten Hashes
blocked-hashes-none-text = Hashes werden blockiert, wenn die Treffer eines Suchlaufs in Quarantäne kommen.
blocked-hash = Hash
blocked-at = Blockiert
blocked-by = Von
unblock = Freigeben
unblocked = Uploads mit diesem Inhalt sind wieder erlaubt.
## Widersprüche

appeal = Widerspruch
appeals = Offene Widersprüche
appeals-empty = Keine offenen Widersprüche
appeals-empty-text = Neue Widersprüche erscheinen hier.
appeal-title = Einer Entscheidung widersprechen
appeal-intro = Du kannst einmal widersprechen. Gibt es in der Moderation noch jemanden, entscheidet diese Person. Das Ergebnis bekommst du per Mail.
appeal-text = Warum ist die Entscheidung falsch?
appeal-text-hint = Höchstens 4000 Zeichen.
appeal-send = Widerspruch senden
appeal-sent = Widerspruch gesendet. Die Entscheidung bekommst du per Mail.
appeal-possible = Du kannst bis { $date } <link>widersprechen</link>.
appeal-yours = Dein Widerspruch
appeal-filed = Gesendet
appeal-outcome = Ergebnis
appeal-reasons = Begründung
appeal-reasons-hint = Die betroffene Person bekommt sie per Mail und im Dashboard.
appeal-is-decided = Über diesen Widerspruch wurde schon entschieden.
appeal-waiting = Wartet auf eine Entscheidung
appeal-upheld = Die Entscheidung bleibt bestehen
appeal-reversed = Die Entscheidung ist aufgehoben
appeal-do-uphold = Bestätigen: Die Entscheidung bleibt
appeal-do-reverse = Aufheben: Die Entscheidung wird rückgängig gemacht
appeal-decided-by = Entschieden von
appeal-own-decision = Dieser Widerspruch richtet sich gegen deine eigene Entscheidung. Darüber entscheidet jemand anderes: { $names }.
appeal-other-deciders = Über diesen Widerspruch darfst du nicht entscheiden. Diese Personen dürfen es: { $names }.
appeal-nobody = Über diesen Widerspruch darf niemand aus der Moderation entscheiden. Wer den Store betreibt, muss jemanden hinzufügen.
appeal-first-decision = Entscheidung
appeal-see-target = Meldungen und frühere Entscheidungen

## Wie moderiert wird, für alle

transparency-intro = Die Moderation von { $store } prüft Meldungen und entscheidet nach dem Gesetz und den Regeln des Stores. Wer von einer Entscheidung betroffen ist, bekommt eine Begründung.
transparency-report-title = Etwas melden
transparency-report = Einträge, Dateien, Rezensionen, Community-Tags, Fehlerberichte und Profile haben einen Link „Melden“. Du brauchst kein Konto. Mit einer E-Mail-Adresse bekommst du eine Bestätigung und die Entscheidung.
transparency-appeal-title = Widerspruch
transparency-appeal = Betrifft dich eine Entscheidung, kannst du innerhalb von 180 Tagen einmal widersprechen: mit dem Link in der Mail oder <link>in deinen Einstellungen</link>. Gibt es noch jemanden in der Moderation, entscheidet diese Person.
transparency-figures = Zahlen
transparency-file = Auch <link>als JSON</link>. Die Jahre richten sich nach UTC.
transparency-count = Anzahl
transparency-kind = Gemeldet als
transparency-reports = Meldungen: { $count }
transparency-decisions = Entscheidungen: { $count }
transparency-appeals = Widersprüche: { $count }
transparency-median = Median der Zeit bis zur Entscheidung: { $hours ->
    [0] unter einer Stunde
    [one] { $hours } Stunde
   *[other] { $hours } Stunden
}
transparency-open = Offen
transparency-no-action = Kein Verstoß festgestellt
transparency-action-taken = Gehandelt
transparency-upheld = Entscheidung bestätigt
transparency-reversed = Entscheidung aufgehoben
