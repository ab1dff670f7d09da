# Wer sich registrieren und veröffentlichen darf: Seiten, Mails und die Konsole.

## Registrieren

signup-closed = Dieser Store nimmt keine neuen Konten an.
signup-contact = <link>Wende dich an die Betreiber dieses Stores</link>, wenn du Fragen hast.
signup-by-invitation = Zum Registrieren brauchst du hier eine Einladung. Öffne den Link, den dir die Betreiber dieses Stores geschickt haben.
signup-invited = Du wurdest in diesen Store eingeladen.

## Das Recht zu veröffentlichen

publishing-title = Veröffentlichen
publishing-allowed = Du darfst deine Einträge veröffentlichen.
publishing-by-approval = Die Betreiber dieses Stores entscheiden, wer veröffentlichen darf. Bis dahin bleiben deine Seiten Entwürfe; alles andere kannst du vorbereiten.
publishing-by-invitation = Nur wer von diesem Store eingeladen wurde, darf veröffentlichen. Deine Seiten bleiben Entwürfe.
publishing-not-allowed = In diesem Store braucht das Veröffentlichen eine Zustimmung. <link>So bekommst du sie</link>.
publishing-requested = Deine Anfrage zum Veröffentlichen ist noch offen. Du bekommst eine Mail.
publishing-declined = Deine Anfrage wurde abgelehnt: { $reason }
publishing-waiting = Du hast am { $date } gefragt. Die Antwort kommt per Mail.
publishing-text = Deine Anfrage
publishing-text-hint = Wer bist du, und was möchtest du veröffentlichen? Links zu deinen Arbeiten helfen.
publishing-request = Anfrage senden
publishing-request-sent = Deine Anfrage wurde gesendet

## Die erste Veröffentlichung eines Eintrags

release-needs-review = Die Betreiber dieses Stores sehen sich die erste Veröffentlichung jedes Eintrags an, bevor er öffentlich wird.
release-waiting = Deine erste Veröffentlichung wird geprüft. Die Antwort kommt per Mail.
release-declined = Deine erste Veröffentlichung wurde abgelehnt: { $reason }
release-hand-in = Zur Prüfung einreichen
release-handed-in = Eingereicht. Nach der Prüfung bekommst du eine Mail.

## Console: invitations

console-invitations = Einladungen
invitations-open = In diesem Store können sich alle registrieren. Eine Einladung kann das Recht zum Veröffentlichen geben.
invitations-invitation = Zum Registrieren braucht man in diesem Store eine Einladung.
invitations-closed = In diesem Store kann sich niemand registrieren, auch nicht mit einer Einladung. Das kannst du in den Einstellungen ändern.
invitations-made = Bisherige Einladungen
invitation-made = Schicke diesen Link den Personen, die du einlädst. Er wird nur jetzt angezeigt.
invitation-link = Link
invitation-note = Notiz
invitation-note-hint = Für dich und andere Betreiber.
invitation-uses = Für wie viele Personen
invitation-days = Gültig für Tage
invitation-may-publish = Darf veröffentlichen
invitation-may-publish-hint = Ohne weitere Zustimmung, wo das Veröffentlichen eine braucht.
invitation-make = Einladung erstellen
invitation-open = Offen
invitation-used = Aufgebraucht
invitation-expired = Abgelaufen
invitation-publishes = Darf veröffentlichen
invitation-no-note = Keine Notiz
invitation-used-of = { $uses } von { $max }
invitation-end = Beenden
invitation-end-text = Der Link funktioniert dann nicht mehr. Konten, die damit erstellt wurden, bleiben.
invitation-ended = Die Einladung wurde beendet
invitation-column-note = Notiz
invitation-column-state = Zustand
invitation-column-used = Benutzt
invitation-column-people = Personen
invitation-column-expires = Gültig bis
invitation-column-action = Aktion

## Console: approvals

console-approvals = Freigaben
approvals-releases = Erste Veröffentlichungen ({ $count })
approvals-releases-caption = Erste Veröffentlichungen
approvals-releases-on = Die erste Veröffentlichung jedes Eintrags wartet hier, bis du sie freigibst oder ablehnst.
approvals-releases-off = Erste Veröffentlichungen werden nicht geprüft. Das kannst du in den Einstellungen ändern.
approvals-people = Anfragen zum Veröffentlichen ({ $count })
approvals-people-open = Alle dürfen veröffentlichen. Das kannst du in den Einstellungen ändern.
approvals-people-approval = Hier fragen Personen nach dem Recht zu veröffentlichen.
approvals-people-invited = Nur eingeladene Personen dürfen veröffentlichen und die, denen du es unten erlaubst.
approvals-approved = Dürfen veröffentlichen ({ $count })
approvals-approved-caption = Personen, die veröffentlichen dürfen
approvals-column-listing = Eintrag
approvals-column-kind = Art
approvals-column-person = Person
approvals-column-since = Wartet seit
approvals-column-decided = Seit
approvals-column-by = Erlaubt von
approvals-by-invitation = Einladung
approvals-member-since = Mitglied seit
approvals-unverified = { $email } (nicht bestätigt)
approvals-decide = Entscheiden
approvals-reason = Antwort
approvals-reason-hint = Wird der Person gemailt. Zum Ablehnen nötig.
approvals-approve = Zustimmen
approvals-decline = Ablehnen
approvals-username = Benutzername
approvals-username-hint = Gib jemandem das Recht zu veröffentlichen, der nicht gefragt hat, oder nimm es mit „Ablehnen“ zurück.
approvals-approved-one = { $name } darf jetzt veröffentlichen
approvals-declined-one = { $name } darf nicht veröffentlichen
release-title = Prüfung von { $game }
release-by = Von { $person }, eingereicht am { $date }.
release-is-approved = Diese Veröffentlichung wurde freigegeben.
release-is-declined = Diese Veröffentlichung wurde abgelehnt.
release-tagline = Kurzbeschreibung
release-tags = Tags
release-warnings = Inhaltswarnungen
release-adult = Ja
release-description = Beschreibung
release-images = Bilder
release-image = Bild { $number } von { $name }
release-files = Dateien
release-column-file = Datei
release-column-version = Version
release-column-system = System
release-column-size = Größe
release-column-scan = Virenprüfung
release-approved-one = { $name } ist jetzt öffentlich
release-declined-one = Die Veröffentlichung von { $name } wurde abgelehnt

## Settings

setting-registration = Registrieren
setting-registration-open = Alle
setting-registration-invitation = Mit Einladung
setting-registration-closed = Niemand
setting-publishing = Veröffentlichen
setting-publishing-open = Alle im Entwicklermodus
setting-publishing-approval = Personen, denen ein Betreiber zugestimmt hat
setting-publishing-invited = Eingeladene Personen
setting-review-first-release = Die erste Veröffentlichung jedes Eintrags prüfen
setting-review-first-release-hint = Sie wird öffentlich, wenn ein Betreiber zustimmt.

## Mails

mail-publishing-request-subject = { $username } möchte auf { $store } veröffentlichen
mail-publishing-request = { $username } fragt nach dem Recht, auf { $store } zu veröffentlichen:
mail-publishing-request-open = Zustimmen oder ablehnen: { $url }
mail-publishing-approved-subject = Du darfst auf { $store } veröffentlichen
mail-publishing-approved = Die Betreiber von { $store } haben deiner Anfrage zugestimmt. Du kannst deine Einträge jetzt veröffentlichen.
mail-publishing-declined-subject = Deine Anfrage, auf { $store } zu veröffentlichen
mail-publishing-declined = Die Betreiber von { $store } haben deine Anfrage zum Veröffentlichen abgelehnt:
mail-publishing-open = Deine Projekte: { $url }
mail-release-held-subject = { $game } wartet auf { $store } auf eine Prüfung
mail-release-held = { $username } hat die erste Veröffentlichung von { $game } auf { $store } eingereicht.
mail-release-held-open = Prüfe sie: { $url }
mail-release-approved-subject = { $game } ist auf { $store } öffentlich
mail-release-approved = Die Betreiber von { $store } haben der ersten Veröffentlichung von { $game } zugestimmt. Die Seite ist jetzt öffentlich.
mail-release-approved-open = Seite öffnen: { $url }
mail-release-declined-subject = Die Veröffentlichung von { $game } auf { $store }
mail-release-declined = Die Betreiber von { $store } haben die erste Veröffentlichung von { $game } abgelehnt:
mail-release-declined-open = Ändere das Projekt und reiche es wieder ein: { $url }

## Home page

shelf-picks = Empfehlungen
shelf-picks-text = Ausgewählt von den Betreibern dieses Stores.

setting-group-home = Startseite
setting-hero-title = Überschrift
setting-hero-text = Text unter der Überschrift
setting-hero-text-hint = Für Besucher, die nicht angemeldet sind.
setting-hero-image = Einen beliebten Eintrag mit großem Bild zeigen
setting-shelves = Regale
setting-shelves-hint = In der Reihenfolge der Seite. Ein Regal ohne Einträge fehlt.
setting-shelves-editors-picks = Empfehlungen
setting-shelves-tonight = Für zwischendurch
setting-shelves-unheard-of = Geheimtipps
setting-shelves-new = Gerade erschienen
setting-shelves-recently-updated = Kürzlich aktualisiert
setting-shelves-tools-and-assets = Für Entwickler
setting-no-value = Keines
setting-picks = Empfehlungen
setting-picks-hint = Bis zu 12 Einträge, jeder mit einem Satz dazu. Einträge, die nicht öffentlich sind, fehlen.
setting-picks-listing = Adresse oder uid des Eintrags
setting-picks-note = Dein Satz dazu
