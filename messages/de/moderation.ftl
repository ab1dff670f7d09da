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
moderation-action-hide = Aus Suche und Listen ausgeblendet
moderation-action-take-down = Gesperrt
moderation-action-quarantine = In Quarantäne
moderation-action-remove = Entfernt
moderation-action-suspend = Gesperrt
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
moderation-undone = Aufgehoben
moderation-see-decision = <link>Zur Begründung</link>

## Mails

mail-statement-subject = Entscheidung der Moderation: { $target }
mail-statement = Die Moderation von { $store } hat hierüber entschieden: { $target }. Ergebnis: { $action }.
mail-statement-ground = Grund: { $ground }
mail-statement-facts = Sachverhalt: { $facts }
mail-statement-more = Diese Begründung findest du auf { $url }
